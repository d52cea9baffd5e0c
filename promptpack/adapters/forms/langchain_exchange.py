"""One exchange with a LangChain model: ask, check, send the correction after the failed reply, ask again."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt
    from promptpack.verdict import Verdict

DEFAULT_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Exchange:
    """The verdict of the last reply, and the messages since the prompt: every reply, and every correction."""

    verdict: Verdict
    messages: tuple[Any, ...] = field(repr=False)


ExchangeSteps = Generator[list[Any], Any, Exchange]


def converse(prompt: Prompt, messages: list[Any], rounds: int) -> ExchangeSteps:
    """Yield the messages to send and receive the reply of the model, at most `rounds` times."""
    added: list[Any] = []
    verdict: Verdict | None = None
    while True:
        reply = yield [*messages, *added]
        verdict = prompt.check(reply, after=verdict)
        added.append(reply)
        rounds -= 1
        if verdict.ok or rounds < 1:
            return Exchange(verdict, tuple(added))
        added.extend(_correct(reply, verdict.correction))


def drive(steps: ExchangeSteps, model: Any, config: Any) -> Exchange:
    """Run an exchange with `model.invoke`."""
    messages = next(steps)
    while True:
        try:
            messages = steps.send(model.invoke(messages, config))
        except StopIteration as stop:
            return _exchange(stop)


async def adrive(steps: ExchangeSteps, model: Any, config: Any) -> Exchange:
    """Run an exchange with `model.ainvoke`."""
    messages = next(steps)
    while True:
        reply = await model.ainvoke(messages, config)
        try:
            messages = steps.send(reply)
        except StopIteration as stop:
            return _exchange(stop)


def _correct(reply: Any, correction: str) -> list[dict[str, Any]]:
    """Return the correction as a user message, or as the results of the calls in the reply, which APIs require."""
    calls = (*reply.tool_calls, *reply.invalid_tool_calls)
    results = [{"role": "tool", "content": correction, "tool_call_id": call["id"]} for call in calls]
    return results or [{"role": "user", "content": correction}]


def _exchange(stop: StopIteration) -> Exchange:
    exchange: Exchange = stop.value
    return exchange
