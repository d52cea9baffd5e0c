"""The items of OpenAI's Responses API: messages, tool calls and tool results."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from promptpack.adapters.outgoing import Carries
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import parts_of, read_file, read_image

RESPONSES: Final = Carries(parts=frozenset(("image_url", "file")))


def write_items(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages as input items."""
    return [item for message in messages for item in _items(message)]


def _items(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        yield {"type": "function_call_output", "call_id": message.tool_call_id or "", "output": message.text}
        return
    content = _content(message)
    if content or not message.tool_calls:
        yield {"type": "message", "role": message.role, "content": content}
    for call in message.tool_calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _content(message: Message) -> str | list[dict[str, Any]]:
    parts = parts_of(message)
    if all(part.type == "text" for part in parts):
        return message.text
    return [_part(part) for part in parts]


def _part(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"type": "input_text", "text": part.payload}
    if part.type == "image_url":
        image = read_image(part)
        return {"type": "input_image", "image_url": image.url, "detail": image.detail or "auto"}
    file = read_file(part)
    source = {"file_data": file.data} if file.data else {"file_id": file.id}
    return {"type": "input_file", **source} | ({"filename": file.filename} if file.filename else {})
