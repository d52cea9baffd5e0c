"""Messages -> arguments of Anthropic's Messages API: separate `system`, merged turns, tool results in user turns."""

import json
from collections.abc import Iterable
from typing import Any

from promptpack.characters import is_encodable
from promptpack.cycle.model_tools import ModelTool
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message, Part

_HOISTED = ("system", "developer")


def write_system(messages: Iterable[Message]) -> str | list[dict[str, Any]]:
    """Return the value of `system`: all system and developer messages.

    It is one text, or a list of parts when a part has extra keys, such as `cache_control`.
    """
    hoisted = [message for message in messages if message.role in _HOISTED and message.text]
    if any(part.extra for message in hoisted for part in _parts(message)):
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
    content = [{**_block(part), **part.extra} for part in _parts(message) if part.type != "text" or part.payload]
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id or "", "content": content}]
    return content + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}
        for call in message.tool_calls
    ]


def _parts(message: Message) -> tuple[Part, ...]:
    return message.content if isinstance(message.content, tuple) else (Part.text(message.content or ""),)


def _block(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"type": "text", "text": part.payload}
    if part.type == "image_url":
        return {"type": "image", "source": _source(part.payload["url"])}
    if part.type == "file":
        return _document(part.payload)
    hint = "remove the part, or use a provider that supports it"
    raise UsageError(Problem("PP609", f"anthropic does not support parts of type {part.type!r}", None, hint))


def _document(file: dict[str, Any]) -> dict[str, Any]:
    source = {"type": "file", "file_id": file["file_id"]} if "file_id" in file else _source(file["file_data"])
    title = {"title": file["filename"]} if "filename" in file else {}
    return {"type": "document", "source": source} | title


def _source(address: str) -> dict[str, Any]:
    """Return the source of the bytes: the URL, or the data inside a data: URI."""
    if not address.startswith("data:"):
        return {"type": "url", "url": address}
    kind, _, data = address.removeprefix("data:").partition(";base64,")
    if not data:
        raise UsageError(Problem("PP609", "a data: URI is not base64-encoded", None, "write data:<type>;base64,<data>"))
    return {"type": "base64", "media_type": kind, "data": data}


def _input(arguments: str) -> Any:
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    # The API accepts only objects, so invalid arguments of the model are wrapped in one.
    is_valid = isinstance(value, dict) and is_encodable(json.dumps(value, ensure_ascii=False))
    return value if is_valid else {"INVALID_JSON": arguments}
