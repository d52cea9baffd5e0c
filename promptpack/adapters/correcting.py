"""The correction loop around any function that asks a model: ask, check, send the correction, ask again."""

from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from inspect import isawaitable

from promptpack import hook
from promptpack.adapters.responses import read_response
from promptpack.cycle.cycle_settings import CycleSettings
from promptpack.cycle.provider import Completion
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Prompt
from promptpack.verdict import Verdict

PromptMessages = tuple[Message, ...]


def correct(prompt: Prompt, ask: Callable[[PromptMessages], object], rounds: int) -> Verdict:
    """Ask until a reply meets the contract or the rounds are used; return the last verdict."""
    with _observe(prompt) as note:
        steps = _steps(prompt, rounds)
        messages = next(steps)
        while True:
            reply = ask(messages)
            if isawaitable(reply):
                getattr(reply, "close", bool)()  # a coroutine that is never awaited would warn
                message = "'ask' is asynchronous, but 'correct' does not wait"
                raise UsageError(Problem("PP617", message, None, "use 'await prompt.acorrect(ask)'"))
            try:
                messages = steps.send(reply)
            except StopIteration as end:
                return note(*end.value)


async def acorrect(prompt: Prompt, ask: Callable[[PromptMessages], Awaitable[object]], rounds: int) -> Verdict:
    """Do the same with a function that is awaited."""
    with _observe(prompt) as note:
        steps = _steps(prompt, rounds)
        messages = next(steps)
        while True:
            asked = ask(messages)
            reply = await asked if isawaitable(asked) else asked
            try:
                messages = steps.send(reply)
            except StopIteration as end:
                return note(*end.value)


def _steps(prompt: Prompt, rounds: int) -> Generator[PromptMessages, object, tuple[Verdict, int]]:
    """Yield the messages to send and receive the reply, until the end; return the last verdict and its round."""
    last = CycleSettings(rounds=rounds).rounds  # raises if `rounds` is below 1
    messages, verdict, number = prompt.messages, None, 0
    while True:
        number += 1
        reply = yield messages
        completion = read_response(reply)
        verdict = prompt.check(reply, after=verdict)
        if verdict.ok or number >= last:
            return verdict, number
        messages = (*messages, completion.message, *answer_to(completion, verdict))


def answer_to(completion: Completion, verdict: Verdict) -> PromptMessages:
    """Return the correction; providers require an answer to each tool call."""
    if not completion.tool_calls:
        return (Message("user", verdict.correction),)
    return tuple(Message("tool", verdict.correction, tool_call_id=call.id) for call in completion.tool_calls)


@contextmanager
def _observe(prompt: Prompt) -> Iterator[Callable[[Verdict, int], Verdict]]:
    """Observe all rounds as one run of an agent."""
    if not hook.listeners:
        yield lambda verdict, _: verdict
        return
    from promptpack.observation import observe_run
    from promptpack.prompt.observe_render import enter_prompt

    with observe_run("agent", prompt.pack) as seen:
        enter_prompt(prompt)

        def note(verdict: Verdict, rounds: int) -> Verdict:
            seen.end = replace(seen.end, outcome=verdict.outcome, ok=verdict.ok, rounds=rounds)
            return verdict

        yield note
