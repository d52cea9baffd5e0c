"""Messages -> what Anthropic's Messages API takes: system hoisted, turns merged, tools' results in the user's turn."""

import json
from collections.abc import Iterable
from typing import Any

from promptpack.characters import is_encodable
from promptpack.cycle.tools import Tool
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message, Part, ToolCall

_HOISTED = ("system", "developer")


def write_system(messages: Iterable[Message]) -> str | list[dict[str, Any]]:
    """Join what goes into `system`: system and developer messages, wherever they stand.

    It is one text, or the parts as they are where something stands beside one of them, such as `cache_control`.
    """
    hoisted = [message for message in messages if message.role in _HOISTED and message.text]
    if any(part.extra for message in hoisted for part in _parts(message)):
        return [block for message in hoisted for block in _blocks(message)]
    return "\n\n".join(message.text for message in hoisted)


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Write the turns; neighbours of one role become one turn, and what says nothing is left out."""
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


def write_tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Write the tools' descriptions."""
    return [
        {"name": tool.name, "input_schema": dict(tool.parameters or {"type": "object"})}
        | ({"description": tool.description} if tool.description else {})
        for tool in tools
    ]


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = [{**_block(part), **part.extra} for part in _parts(message) if part.type != "text" or part.payload]
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id or "", "content": content}]
    return content + [_tool_use(call) for call in message.tool_calls]


def _parts(message: Message) -> tuple[Part, ...]:
    return message.content if isinstance(message.content, tuple) else (Part.text(message.content or ""),)


def _block(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"type": "text", "text": part.payload}
    if part.type == "image_url":
        return {"type": "image", "source": _source(part.payload["url"])}
    if part.type == "file":
        return _document(part.payload)
    hint = "leave the part out, or use a provider that takes it"
    raise UsageError(Problem("PP609", f"anthropic takes no part of the type {part.type!r}", None, hint))


def _document(file: dict[str, Any]) -> dict[str, Any]:
    source = {"type": "file", "file_id": file["file_id"]} if "file_id" in file else _source(file["file_data"])
    title = {"title": file["filename"]} if "filename" in file else {}
    return {"type": "document", "source": source} | title


def _source(address: str) -> dict[str, Any]:
    """Write where the bytes are: in the address itself when it is a data: URI."""
    if not address.startswith("data:"):
        return {"type": "url", "url": address}
    kind, _, data = address.removeprefix("data:").partition(";base64,")
    if not data:
        raise UsageError(Problem("PP609", "a data: address is not in base64", None, "write data:<type>;base64,<data>"))
    return {"type": "base64", "media_type": kind, "data": data}


def _tool_use(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}


def _input(arguments: str) -> Any:
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    # The API takes an object only; arguments that the model spoilt go back under a name that says so.
    is_sound = isinstance(value, dict) and is_encodable(json.dumps(value, ensure_ascii=False))
    return value if is_sound else {"INVALID_JSON": arguments}
