"""The events of a run, emitted as they happen; `number` is the round, counted from 1."""

from dataclasses import dataclass
from typing import Literal

from promptpack.cycle.cycle_errors import ProviderError
from promptpack.cycle.provider import Completion, Request
from promptpack.prompt.message import Message, ToolCall
from promptpack.verdict import Verdict

# Why a call of the model did not reach a tool.
Rejection = Literal["", "unknown tool", "invalid arguments"]


@dataclass(frozen=True, slots=True)
class RequestSent:
    """The request is sent; `attempt` is above 1 when it is retried after a failure.

    `number` is the round, counted from 1, and `request` what is sent.
    """

    number: int
    request: Request
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class RetryPlanned:
    """The attempt failed with a temporary error: it is retried after `seconds`.

    `number` is the round, `attempt` the failed attempt, both counted from 1, and `error` why it failed.
    """

    number: int
    attempt: int
    seconds: float
    error: ProviderError


@dataclass(frozen=True, slots=True)
class ReplyReceived:
    """The model answered.

    `number` is the round, counted from 1, and `completion` the answer.
    """

    number: int
    completion: Completion


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """A tool was called, or its call was rejected (`rejection`); `answer` is the message sent to the model.

    `number` is the round, counted from 1, `call` the call of the model, and `ok` whether the tool returned a result.
    """

    number: int
    call: ToolCall
    answer: Message
    ok: bool
    rejection: Rejection = ""


@dataclass(frozen=True, slots=True)
class ReplyJudged:
    """The reply was judged; `last` is false when `verdict.correction` is sent back.

    `number` is the round, counted from 1, `completion` the answer, and `verdict` the verdict on it.
    """

    number: int
    completion: Completion
    verdict: "Verdict"
    last: bool


Event = RequestSent | RetryPlanned | ReplyReceived | ToolAnswered | ReplyJudged
