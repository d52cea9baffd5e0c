"""Anthropic's Messages API: `client.messages.create(model=..., **prompt.to("anthropic"))`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption
from promptpack.cycle.providers.anthropic_writing import write_messages, write_system, write_tools
from promptpack.prompt.message import Message

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools", "cache"))
INSTEAD: Final[Mapping[TargetOption, str]] = {}
CARRIES: Final = Carries(
    parts=frozenset(("image_url", "file")), result_parts=frozenset(("image_url", "file")), turn_needed=True
)
MAX_TOKENS: Final = 4096
"""The API requires a limit: pass your own `max_tokens` after the arguments if replies are longer."""
_MARK: Final = {"cache_control": {"type": "ephemeral"}}


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `max_tokens`, `system`, `messages`, `output_config` (only if strict: there is no other form) and `tools`.

    With `cache`, the ends of the system text and of the history are marked, so that the text before them is cached.
    """
    written: dict[str, Any] = {"max_tokens": MAX_TOKENS}
    system = write_system(outgoing.messages)
    turns = write_messages(outgoing.messages)
    tools = write_tools(outgoing.tools)
    if outgoing.cache:
        system = _mark_system(system)
        _mark_turns(turns, _stable(outgoing))
        if tools and not system:
            tools[-1] |= _MARK
    written |= ({"system": system} if system else {}) | {"messages": turns}
    if outgoing.strict:
        written["output_config"] = {"format": {"type": "json_schema", "schema": outgoing.strict_schema("anthropic")}}
    return written | ({"tools": tools} if tools else {})


def _mark_system(system: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system
    blocks = [block for block in blocks if block.get("text")]
    return [*blocks[:-1], blocks[-1] | _MARK] if blocks else []


def _stable(outgoing: Outgoing) -> tuple[Message, ...]:
    """Return the messages that the next call is likely to repeat: those up to the end of the history."""
    history = [index for index, origin in enumerate(outgoing.prompt.origins) if origin.history]
    return outgoing.messages[: history[-1] + 1] if history else outgoing.messages[:-1]


def _mark_turns(turns: list[dict[str, Any]], stable: tuple[Message, ...]) -> None:
    count = sum(len(turn["content"]) for turn in write_messages(stable))
    blocks = [block for turn in turns for block in turn["content"]]
    if 0 < count < len(blocks):
        blocks[count - 1].update(_MARK)
