"""The correction loop around any function that asks a model: ask, check, send the correction, ask again."""

from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING

from promptpack.adapters.responses import read_response
from promptpack.cycle.cycle_settings import CycleSettings
from promptpack.cycle.provider import Completion
from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Prompt
from promptpack.verdict import Verdict

if TYPE_CHECKING:
    Messages = tuple[Message, ...]


def correct(prompt: Prompt, ask: Callable[["Messages"], object], rounds: int) -> Verdict:
    """Ask until a reply meets the contract or the rounds are used; return the last verdict."""
    steps = _steps(prompt, rounds)
    messages = next(steps)
    while True:
        reply = ask(messages)  # outside the `try`: it may raise StopIteration itself
        try:
            messages = steps.send(reply)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


async def acorrect(prompt: Prompt, ask: Callable[["Messages"], Awaitable[object]], rounds: int) -> Verdict:
    """Do the same with a function that is awaited."""
    steps = _steps(prompt, rounds)
    messages = next(steps)
    while True:
        reply = await ask(messages)
        try:
            messages = steps.send(reply)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def _steps(prompt: Prompt, rounds: int) -> Generator["Messages", object, Verdict]:
    """Yield the messages to send and receive the reply, until the end."""
    rounds = CycleSettings(rounds=rounds).rounds  # raises if there is no round
    messages, verdict = prompt.messages, None
    for _ in range(rounds):
        reply = yield messages
        completion = read_response(reply)
        verdict = prompt.check(reply, after=verdict)
        if verdict.ok:
            return verdict
        messages = (*messages, completion.message, *_answers(completion, verdict))
    assert verdict is not None  # noqa: S101 -- there is at least one round
    return verdict


def _answers(completion: Completion, verdict: Verdict) -> "Messages":
    """Return the correction; providers require an answer to each tool call."""
    if not completion.tool_calls:
        return (Message("user", verdict.correction),)
    return tuple(Message("tool", verdict.correction, tool_call_id=call.id) for call in completion.tool_calls)
