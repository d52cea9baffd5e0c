"""What happens in a run, told as it happens; `number` is the round, counted from 1."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from promptpack.cycle.failure import ProviderError
from promptpack.cycle.request import Completion, Request
from promptpack.prompt.message import Message, ToolCall

if TYPE_CHECKING:
    from promptpack.verdict import Verdict


@dataclass(frozen=True, slots=True)
class RequestSent:
    """The request goes out; `attempt` is above 1 when it is sent again after a failure."""

    number: int
    request: Request
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class RetryPlanned:
    """The attempt failed in a way that may pass: it is made again after `seconds`."""

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
    """A tool was called, or the call refused; `answer` is what the model is told."""

    number: int
    call: ToolCall
    answer: Message
    ok: bool


@dataclass(frozen=True, slots=True)
class ReplyJudged:
    """The reply was judged; when `verdict.correction` is sent back, `last` is false."""

    number: int
    completion: Completion
    verdict: "Verdict"
    last: bool


Event = RequestSent | RetryPlanned | ReplyReceived | ToolAnswered | ReplyJudged
