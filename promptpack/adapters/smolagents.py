"""smolagents: `model.generate(**prompt.to("smolagents"))`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.adapters.forms.chat import with_values, write_response_format
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption
from promptpack.prompt.message import Message
from promptpack.prompt.message_data import parts_of

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict",))
INSTEAD: Final[Mapping[TargetOption, str]] = {"tools": "pass Tool objects as 'tools_to_call_from'"}
CARRIES: Final = Carries(parts=frozenset(("image_url",)))


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, and `response_format` if strict; tool calls and results in the words of its own agents."""
    return {"messages": [one for message in outgoing.messages for one in _messages(message)]} | with_values(
        response_format=write_response_format(outgoing) if outgoing.strict else None
    )


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    content = [part.to_dict() for part in parts_of(message)]
    if message.role == "tool":
        yield _text("tool-response", f"Observation:\n{message.text}")
    elif content:
        yield {"role": "system" if message.role == "developer" else message.role, "content": content}
    if message.tool_calls:
        yield _text("tool-call", f"Calling tools:\n{[call.to_dict() for call in message.tool_calls]}")


def _text(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}
