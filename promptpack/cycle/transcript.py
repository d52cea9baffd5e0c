"""The record of a run: every round with its request, completion and verdict."""

from dataclasses import dataclass, field
from typing import Literal

from promptpack.cycle.provider import Completion, Request, Usage
from promptpack.prompt.message import Message
from promptpack.verdict import Verdict

# Why a run ended: an answer; no valid reply in all rounds; calls of tools without a function.
StopReason = Literal["answered", "rounds", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Round:
    """One request and its completion; `answers` holds the tool results or the correction sent back.

    `request` is what was sent, `completion` the answer, `verdict` the verdict on it, if it was judged, and `stop` why
    the run ended, in its last round.
    """

    request: Request
    completion: Completion
    verdict: "Verdict | None" = None
    answers: tuple[Message, ...] = ()
    stop: StopReason | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole run; `messages` is the complete conversation, ready to be continued.

    `rounds` are the requests in order, with their completions and verdicts.
    """

    messages: tuple[Message, ...] = field(repr=False)
    rounds: tuple[Round, ...]

    @property
    def completion(self) -> Completion:
        """The last completion."""
        return self.rounds[-1].completion

    @property
    def text(self) -> str:
        """The text of the last completion."""
        return self.completion.text

    @property
    def verdict(self) -> "Verdict | None":
        """The last verdict, or None when no reply was judged."""
        return next((done.verdict for done in reversed(self.rounds) if done.verdict is not None), None)

    @property
    def stop(self) -> StopReason:
        """Why the run ended."""
        return self.rounds[-1].stop or "answered"

    @property
    def usage(self) -> Usage:
        """The tokens of all rounds together."""
        return sum((done.completion.usage for done in self.rounds), Usage())
