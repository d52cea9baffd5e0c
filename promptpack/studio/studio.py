"""The `Studio`: the state of one server, shared by all pages: the project, drafts, the model, and results of checks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

from promptpack.cycle import Services, Transcript
from promptpack.prompt.prompt import Prompt
from promptpack.studio.drafts import Drafts
from promptpack.studio.project import Project


class Ask(Protocol):
    """Sends a prompt to the model of the command line."""

    def __call__(self, prompt: Prompt, test: str, services: Services) -> Transcript:
        """Return the transcript; a scripted model gives the reply of the test named `test`."""
        ...


@dataclass
class Studio:
    """The state that handlers use; its key never leaves the function `ask`."""

    project: Project
    drafts: Drafts
    ask: Ask
    model: str
    """The model in words, for the page."""
    tabs: Counter[str] = field(default_factory=Counter)
    """The connections of each page that is open."""
    waiting: int = 0
    """How many messages wait for an answer; background work lets them pass."""
    status: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The results of lint and tests of each pack file, as far as they are known."""
