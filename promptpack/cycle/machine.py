"""The state machine of a conversation: send, call tools, judge, correct, until there is an answer or a limit is met.

It decides and never waits: what takes time is yielded as an effect, and a driver answers it.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from promptpack.characters import escape_surrogates
from promptpack.cycle.effects import CallTool, Effect, Now, Send, Sleep, Tell
from promptpack.cycle.events import ReplyJudged, ReplyReceived, RequestSent, RetryPlanned, ToolAnswered
from promptpack.cycle.failure import ProviderError, RunStoppedError, ToolError
from promptpack.cycle.request import Completion, Request
from promptpack.cycle.settings import Settings
from promptpack.cycle.tools import Refusal, Tool, read_arguments, write_result
from promptpack.cycle.transcript import Round, Transcript
from promptpack.problem import Problem
from promptpack.prompt.message import Message, ToolCall

if TYPE_CHECKING:
    from promptpack.verdict import Verdict

Result = TypeVar("Result")
Steps = Generator[Effect, Any, Result]
Judge = Callable[[Completion], "Verdict"]


@dataclass(frozen=True, slots=True)
class Task:
    """What a conversation is to do; without a `judge` the first text is the answer."""

    messages: tuple[Message, ...]
    settings: Settings = field(default_factory=Settings)
    tools: tuple[Tool, ...] = ()
    judge: Judge | None = None

    def find(self, name: str) -> Tool | None:
        """Find a tool by the name that the model calls."""
        return next((tool for tool in self.tools if tool.name == name), None)


def converse(task: Task) -> Steps[Transcript]:
    """Hold the conversation to its end."""
    started: float = yield Now()
    until = None if task.settings.deadline is None else started + task.settings.deadline
    messages = task.messages
    rounds: list[Round] = []
    while not rounds or rounds[-1].stop is None:
        request = _request(task, messages, rounds)
        completion = yield from _send(task.settings, request, len(rounds) + 1, until)
        done = yield from _settle(task, request, completion, rounds)
        rounds.append(done)
        messages = (*messages, _said(done), *done.answers)
    return Transcript(messages, tuple(rounds))


def _request(task: Task, messages: tuple[Message, ...], rounds: Sequence[Round]) -> Request:
    settings = task.settings
    tool_rounds = sum(bool(done.completion.tool_calls) for done in rounds)
    return Request(
        settings.model,
        messages,
        settings.params,
        task.tools,
        # A model that has used up its tool rounds is made to answer in words.
        "auto" if tool_rounds < settings.tool_rounds else "none",
        settings.stream,
        settings.timeout,
    )


def _send(settings: Settings, request: Request, number: int, until: float | None) -> Steps[Completion]:
    attempt = 0
    while True:
        attempt += 1
        sent = replace(request, timeout=(yield from _time_left(request.timeout, until)))
        yield Tell(RequestSent(number, sent, attempt))
        try:
            completion: Completion = yield Send(sent, until)
        except ProviderError as error:
            yield from _back_off(settings, number, attempt, error, until)
        else:
            yield Tell(ReplyReceived(number, completion))
            return completion


def _time_left(timeout: float | None, until: float | None) -> Steps[float | None]:
    if until is None:
        return timeout
    now: float = yield Now()
    left = until - now
    if left <= 0:
        raise over()
    return left if timeout is None else min(left, timeout)


def _back_off(settings: Settings, number: int, attempt: int, error: ProviderError, until: float | None) -> Steps[None]:
    seconds = settings.backoff.wait(attempt, error.retry_after)
    if not error.retryable or attempt > settings.retries or seconds is None:
        raise error
    if until is not None and (yield Now()) + seconds >= until:
        raise over() from error
    yield Tell(RetryPlanned(number, attempt, seconds, error))
    yield Sleep(seconds)


def over() -> RunStoppedError:
    """Make the error of a run whose time is over."""
    return RunStoppedError(Problem("PP611", "the run's time is over", None, "raise 'deadline' in the settings"))


def _settle(task: Task, request: Request, completion: Completion, rounds: Sequence[Round]) -> Steps[Round]:
    if completion.tool_calls and request.tool_choice == "auto":
        if any(_is_the_callers(task.find(call.name)) for call in completion.tool_calls):
            return Round(request, completion, stop="tool_calls")
        answers = yield from _call_all(task, completion.tool_calls, len(rounds) + 1)
        return Round(request, completion, answers=answers)
    if task.judge is None:
        return Round(request, completion, stop="answered")
    verdict = task.judge(completion)
    judged = 1 + sum(done.verdict is not None for done in rounds)
    last = verdict.ok or judged >= task.settings.rounds
    yield Tell(ReplyJudged(len(rounds) + 1, completion, verdict, last))
    if last:
        return Round(request, completion, verdict, stop="answered" if verdict.ok else "rounds")
    return Round(request, completion, verdict, (Message("user", verdict.correction),))


def _is_the_callers(tool: Tool | None) -> bool:
    return tool is not None and tool.function is None


def _call_all(task: Task, calls: Sequence[ToolCall], number: int) -> Steps[tuple[Message, ...]]:
    answers: tuple[Message, ...] = ()
    for call in calls:
        text, ok = yield from _result(task, call)
        answers += (Message("tool", text, tool_call_id=call.id),)
        yield Tell(ToolAnswered(number, call, answers[-1], ok))
    return answers


def _result(task: Task, call: ToolCall) -> Steps[tuple[str, bool]]:
    tool = task.find(call.name)
    if tool is None or tool.function is None:
        known = ", ".join(known.name for known in task.tools) or "none"
        return f"there is no tool {call.name!r}; the tools are: {known}", False
    arguments = read_arguments(call, tool)
    if isinstance(arguments, Refusal):
        return arguments.text, False
    try:
        result = yield CallTool(tool.name, tool.function, arguments)
    except ToolError as error:
        return escape_surrogates(str(error)), False
    return write_result(call.name, result), True


def _said(done: Round) -> Message:
    if done.completion.tool_calls and done.request.tool_choice == "none":
        # A call that nobody answers would make the conversation unfit to go on with.
        return replace(done.completion, tool_calls=()).message
    return done.completion.message
