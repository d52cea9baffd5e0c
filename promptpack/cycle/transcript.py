"""What a run leaves behind: every round with its request, completion and verdict."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from promptpack.cycle.request import Completion, Request, Usage
from promptpack.prompt.message import Message

if TYPE_CHECKING:
    from promptpack.verdict import Verdict

# Why a run ended: an answer; no good reply in all its rounds; calls of tools that have no function here.
Stop = Literal["answered", "rounds", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Round:
    """One request and its completion; `answers` is what was sent back: the tools' results, or the correction."""

    request: Request
    completion: Completion
    verdict: "Verdict | None" = None
    answers: tuple[Message, ...] = ()
    stop: Stop | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole run; `messages` is the conversation with everything that was said, ready to go on from."""

    messages: tuple[Message, ...] = field(repr=False)
    rounds: tuple[Round, ...]

    @property
    def completion(self) -> Completion:
        """The last thing the model said."""
        return self.rounds[-1].completion

    @property
    def text(self) -> str:
        """The text of the last completion."""
        return self.completion.text

    @property
    def verdict(self) -> "Verdict | None":
        """The last verdict, or None when nothing was judged."""
        return next((done.verdict for done in reversed(self.rounds) if done.verdict is not None), None)

    @property
    def stop(self) -> Stop:
        """Why the run ended."""
        return self.rounds[-1].stop or "answered"

    @property
    def usage(self) -> Usage:
        """The tokens of all rounds together."""
        return sum((done.completion.usage for done in self.rounds), Usage())
