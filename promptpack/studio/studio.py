"""The `Studio`: what all pages of one server share: the project, drafts, the model to try, and results of checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from promptpack.cycle import Services, Transcript
from promptpack.prompt.prompt import Prompt
from promptpack.studio.drafts import Drafts
from promptpack.studio.project import Project


class Ask(Protocol):
    """Sends a prompt to the model of the command line."""

    def __call__(self, prompt: Prompt, test: str, services: Services) -> Transcript:
        """Return what was said; a scripted model gives the reply of the test named `test`."""
        ...


@dataclass
class Studio:
    """The state that handlers use; its key never leaves the function `ask`."""

    project: Project
    drafts: Drafts
    ask: Ask
    model: str
    """The model in words, for the page."""
    waiting: int = 0
    """How many messages wait for an answer; background work lets them pass."""
    status: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What lint and tests say about each pack file, as far as it is known."""
