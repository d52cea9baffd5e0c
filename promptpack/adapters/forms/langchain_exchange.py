"""One exchange with a LangChain model: ask, check, send the correction behind the failed reply, ask again."""

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


Steps = Generator[list[Any], Any, Exchange]


def converse(prompt: Prompt, messages: list[Any], rounds: int) -> Steps:
    """Yield the messages to send and receive the reply of the model, at most `rounds` times."""
    added: list[Any] = []
    verdict: Verdict | None = None
    while True:
        reply = yield [*messages, *added]
        verdict = prompt.check(_text(reply), after=verdict)
        added.append(reply)
        rounds -= 1
        if verdict.ok or rounds < 1:
            return Exchange(verdict, tuple(added))
        added.append({"role": "user", "content": verdict.correction})


def drive(steps: Steps, model: Any, config: Any) -> Exchange:
    """Run an exchange with `model.invoke`."""
    messages = next(steps)
    while True:
        try:
            messages = steps.send(model.invoke(messages, config))
        except StopIteration as stop:
            return _exchange(stop)


async def adrive(steps: Steps, model: Any, config: Any) -> Exchange:
    """Run an exchange with `model.ainvoke`."""
    messages = next(steps)
    while True:
        reply = await model.ainvoke(messages, config)
        try:
            messages = steps.send(reply)
        except StopIteration as stop:
            return _exchange(stop)


def _exchange(stop: StopIteration) -> Exchange:
    exchange: Exchange = stop.value
    return exchange


def _text(reply: Any) -> str:
    """Return the text of a LangChain message, whose content may have parts."""
    content = reply.content
    if isinstance(content, str):
        return content
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)
