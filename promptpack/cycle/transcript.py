"""The record of a run: its events as they happen, and every round; `number` is the round, counted from 1."""

from dataclasses import dataclass, field
from typing import Literal

from promptpack.cycle.cycle_errors import ProviderError
from promptpack.cycle.provider import Completion, Request, Usage
from promptpack.prompt.message import Message, ToolCall
from promptpack.verdict import Verdict

# Why a run ended: an answer; no valid reply in all rounds; calls of tools without a function.
StopReason = Literal["answered", "rounds", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Round:
    """One request and its completion; `answers` holds the tool results or the correction sent back."""

    request: Request
    completion: Completion
    verdict: "Verdict | None" = None
    answers: tuple[Message, ...] = ()
    stop: StopReason | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole run; `messages` is the complete conversation, ready to be continued."""

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


@dataclass(frozen=True, slots=True)
class RequestSent:
    """The request is sent; `attempt` is above 1 when it is retried after a failure."""

    number: int
    request: Request
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class RetryPlanned:
    """The attempt failed with a temporary error: it is retried after `seconds`."""

    number: int
    attempt: int
    seconds: float
    error: ProviderError


@dataclass(frozen=True, slots=True)
class ReplyReceived:
    """The model answered."""

    number: int
    completion: Completion


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """A tool was called, or its call was rejected; `answer` is the message sent to the model."""

    number: int
    call: ToolCall
    answer: Message
    ok: bool


@dataclass(frozen=True, slots=True)
class ReplyJudged:
    """The reply was judged; `last` is false when `verdict.correction` is sent back."""

    number: int
    completion: Completion
    verdict: "Verdict"
    last: bool


Event = RequestSent | RetryPlanned | ReplyReceived | ToolAnswered | ReplyJudged
