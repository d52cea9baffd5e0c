"""Messages -> arguments of Anthropic's Messages API: separate `system`, merged turns, tool results in user turns."""

from collections.abc import Iterable
from typing import Any

from promptpack.cycle.model_tools import ModelTool
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import File, parts_of, read_call_input, read_data_uri, read_file, read_image

_HOISTED = ("system", "developer")


def write_system(messages: Iterable[Message]) -> str | list[dict[str, Any]]:
    """Return the value of `system`: all system and developer messages.

    It is one text, or a list of parts when a part has extra keys, such as `cache_control`.
    """
    hoisted = [message for message in messages if message.role in _HOISTED and message.text]
    if any(part.extra for message in hoisted for part in parts_of(message)):
        return [block for message in hoisted for block in _blocks(message)]
    return "\n\n".join(message.text for message in hoisted)


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the turns; merge adjacent messages of one role and skip empty messages."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role in _HOISTED:
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def write_tools(tools: Iterable[ModelTool]) -> list[dict[str, Any]]:
    """Return the definitions of the tools."""
    return [
        {"name": tool.name, "input_schema": dict(tool.parameters or {"type": "object"})}
        | ({"description": tool.description} if tool.description else {})
        for tool in tools
    ]


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = [{**_block(part), **part.extra} for part in parts_of(message)]
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id or "", "content": content}]
    return content + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": read_call_input(call.arguments)}
        for call in message.tool_calls
    ]


def _block(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"type": "text", "text": part.payload}
    if part.type == "image_url":
        return {"type": "image", "source": _source(read_image(part).url)}
    if part.type == "file":
        return _document(read_file(part))
    hint = "remove the part, or use a provider that supports it"
    raise UsageError(Problem("PP609", f"anthropic does not support parts of type {part.type!r}", None, hint))


def _document(file: File) -> dict[str, Any]:
    source = _source(file.data) if file.data else {"type": "file", "file_id": file.id}
    title = {"title": file.filename} if file.filename else {}
    return {"type": "document", "source": source} | title


def _source(address: str) -> dict[str, Any]:
    """Return the source of the bytes: the URL, or the data inside a data: URI."""
    embedded = read_data_uri(address)
    if embedded is None:
        return {"type": "url", "url": address}
    return {"type": "base64", "media_type": embedded.media_type, "data": embedded.data}
