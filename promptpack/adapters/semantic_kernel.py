"""Semantic Kernel: `service.get_chat_message_content(chat_history(prompt), settings)`; no template reads the text."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.prompt.message import Message, Part, ToolCall
from promptpack.prompt.message_data import called_tools, parts_of, read_image

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt

__all__ = ["chat_history"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset()
INSTEAD: Final[Mapping[TargetOption, str]] = {
    "strict": "set 'response_format' in the execution settings",
    "tools": "add the functions to the kernel",
}
CARRIES: Final = Carries(parts=frozenset(("image_url",)), names=True)


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `chat_history` as plain data."""
    names = called_tools(outgoing.messages)
    return {"chat_history": {"messages": [one for message in outgoing.messages for one in _messages(message, names)]}}


def chat_history(prompt: "Prompt") -> Any:
    """Return the messages of a prompt as a `ChatHistory`, in which braces are only text.

    `prompt` is the rendered prompt. Never pass its text as `instructions`, which call `{{ functions }}`.
    """
    history = import_sdk("semantic_kernel.contents", "semantic-kernel").ChatHistory
    return history.restore_chat_history(json.dumps(prompt.to("semantic-kernel")["chat_history"]))


def _messages(message: Message, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Write the calls apart: the framework drops the text of a message with calls."""
    name = {"name": message.name} if message.name else {}
    shared = {"content_type": "message", "role": message.role, **name}
    items = [*_items(message, names)]
    if items or not message.tool_calls:
        yield {**shared, "items": items}
    if message.tool_calls:
        yield {**shared, "items": [_call(call) for call in message.tool_calls]}


def _items(message: Message, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    identifier = message.tool_call_id or ""
    if message.role == "tool":
        name = names.get(identifier) or message.name or ""
        yield {"content_type": "function_result", "id": identifier, "name": name, "result": message.text}
        return
    yield from map(_item, parts_of(message))


def _call(call: ToolCall) -> dict[str, Any]:
    return {"content_type": "function_call", "id": call.id, "name": call.name, "arguments": call.arguments}


def _item(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"content_type": "text", "text": part.payload}
    address = read_image(part).url
    return {"content_type": "image", "data_uri" if address.startswith("data:") else "uri": address}
