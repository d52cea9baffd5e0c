"""The state machine of a conversation: send, call tools, judge, correct, until an answer or a limit ends it.

It decides and never waits: slow work is yielded as an effect, which a driver performs and answers.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from promptpack.characters import escape_surrogates
from promptpack.cycle.cycle_errors import ProviderError, RunStoppedError, ToolError
from promptpack.cycle.cycle_settings import CycleSettings
from promptpack.cycle.events import (
    Event,
    Rejection,
    ReplyJudged,
    ReplyReceived,
    RequestSent,
    RetryPlanned,
    ToolAnswered,
)
from promptpack.cycle.model_tools import ModelTool, ToolFunction, read_arguments, write_result
from promptpack.cycle.provider import Completion, Request
from promptpack.cycle.transcript import Round, Transcript
from promptpack.problem import Problem
from promptpack.prompt.message import Message, ToolCall
from promptpack.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Now:
    """Answer with the current time of the clock."""


@dataclass(frozen=True, slots=True)
class Send:
    """Answer with the `Completion`, or throw the `ProviderError`; stop a stream at the time `until`."""

    request: Request
    until: float | None = None
    number: int = 1
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait, then answer with None."""

    seconds: float


@dataclass(frozen=True, slots=True)
class CallTool:
    """Answer with the result of the tool, or throw its `ToolError`."""

    name: str
    function: ToolFunction
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Emit:
    """Pass the event to the `on_event` callback, then answer with None."""

    event: Event


Effect = Now | Send | Sleep | CallTool | Emit

Result = TypeVar("Result")
Effects = Generator[Effect, Any, Result]
JudgeFunction = Callable[[Completion], Verdict]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The start of a conversation; without a `judge` the first text is the answer."""

    messages: tuple[Message, ...]
    settings: CycleSettings = field(default_factory=CycleSettings)
    tools: tuple[ModelTool, ...] = ()
    judge: JudgeFunction | None = None

    def find_tool(self, name: str) -> ModelTool | None:
        """Return the tool with this name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)


def converse(conversation: Conversation) -> Effects[Transcript]:
    """Run the conversation to its end and return its transcript."""
    started: float = yield Now()
    until = None if conversation.settings.deadline is None else started + conversation.settings.deadline
    messages = conversation.messages
    rounds: list[Round] = []
    while not rounds or rounds[-1].stop is None:
        request = _request(conversation, messages, rounds)
        completion = yield from _send(conversation.settings, request, len(rounds) + 1, until)
        done = yield from _finish_round(conversation, request, completion, rounds)
        rounds.append(done)
        messages = (*messages, _assistant_message(done), *done.answers)
    return Transcript(messages, tuple(rounds))


def _request(conversation: Conversation, messages: tuple[Message, ...], rounds: Sequence[Round]) -> Request:
    settings = conversation.settings
    tool_rounds = sum(bool(done.completion.tool_calls) for done in rounds)
    return Request(
        settings.model,
        messages,
        settings.params,
        conversation.tools,
        # After the last tool round the model must answer with text.
        "auto" if tool_rounds < settings.tool_rounds else "none",
        settings.stream,
        settings.timeout,
    )


def _send(settings: CycleSettings, request: Request, number: int, until: float | None) -> Effects[Completion]:
    attempt = 0
    while True:
        attempt += 1
        sent = replace(request, timeout=(yield from _remaining_time(request.timeout, until)))
        yield Emit(RequestSent(number, sent, attempt))
        try:
            completion: Completion = yield Send(sent, until, number, attempt)
        except ProviderError as error:
            yield from _back_off(settings, number, attempt, error, until)
        else:
            yield Emit(ReplyReceived(number, completion))
            return completion


def _remaining_time(timeout: float | None, until: float | None) -> Effects[float | None]:
    if until is None:
        return timeout
    now: float = yield Now()
    remaining = until - now
    if remaining <= 0:
        raise deadline_error()
    return remaining if timeout is None else min(remaining, timeout)


def _back_off(
    settings: CycleSettings, number: int, attempt: int, error: ProviderError, until: float | None
) -> Effects[None]:
    seconds = settings.backoff.wait(attempt, error.retry_after)
    if not error.retryable or attempt > settings.retries or seconds is None:
        raise error
    if until is not None and (yield Now()) + seconds >= until:
        raise deadline_error() from error
    yield Emit(RetryPlanned(number, attempt, seconds, error))
    yield Sleep(seconds)


def deadline_error() -> RunStoppedError:
    """Return the error of a run whose deadline has passed."""
    return RunStoppedError(Problem("PP611", "the run's deadline has passed", None, "set a longer 'deadline'"))


def _finish_round(
    conversation: Conversation, request: Request, completion: Completion, rounds: Sequence[Round]
) -> Effects[Round]:
    if completion.tool_calls and request.tool_choice == "auto":
        tools = [conversation.find_tool(call.name) for call in completion.tool_calls]
        if any(tool is not None and tool.function is None for tool in tools):
            return Round(request, completion, stop="tool_calls")
        answers = yield from _call_all(conversation, completion.tool_calls, len(rounds) + 1)
        return Round(request, completion, answers=answers)
    if conversation.judge is None:
        return Round(request, completion, stop="answered")
    verdict = conversation.judge(completion)
    judged = 1 + sum(done.verdict is not None for done in rounds)
    last = verdict.ok or judged >= conversation.settings.rounds
    yield Emit(ReplyJudged(len(rounds) + 1, completion, verdict, last))
    if last:
        return Round(request, completion, verdict, stop="answered" if verdict.ok else "rounds")
    return Round(request, completion, verdict, (Message("user", verdict.correction),))


def _call_all(conversation: Conversation, calls: Sequence[ToolCall], number: int) -> Effects[tuple[Message, ...]]:
    answers: tuple[Message, ...] = ()
    for call in calls:
        text, ok, rejection = yield from _result(conversation, call)
        answers += (Message("tool", text, tool_call_id=call.id),)
        yield Emit(ToolAnswered(number, call, answers[-1], ok, rejection))
    return answers


def _result(conversation: Conversation, call: ToolCall) -> Effects[tuple[str, bool, Rejection]]:
    tool = conversation.find_tool(call.name)
    if tool is None or tool.function is None:
        available = ", ".join(tool.name for tool in conversation.tools) or "none"
        return f"unknown tool {call.name!r}; available tools: {available}", False, "unknown tool"
    try:
        arguments = read_arguments(call, tool)
    except ToolError as error:
        return escape_surrogates(str(error)), False, "invalid arguments"
    try:
        result = yield CallTool(tool.name, tool.function, arguments)
    except ToolError as error:
        return escape_surrogates(str(error)), False, ""
    return write_result(call.name, result), True, ""


def _assistant_message(done: Round) -> Message:
    if done.completion.tool_calls and done.request.tool_choice == "none":
        # Providers reject a conversation that contains an unanswered tool call.
        return replace(done.completion, tool_calls=()).message
    return done.completion.message
