"""Mistral: `client.chat.complete(model=..., **prompt.to("mistral"))`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.forms.chat import CHAT_PARTS, with_values, write_chat_tools, write_response_format
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import File, parts_of, read_audio, read_file

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {"cache": "pass 'prompt_cache_key' to the client instead"}
CARRIES: Final = Carries(parts=CHAT_PARTS)


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, `response_format` and `tools`; developer messages become system messages."""
    return {"messages": [_message(message) for message in outgoing.messages]} | with_values(
        response_format=write_response_format(outgoing, "mistral"), tools=write_chat_tools(outgoing.tools)
    )


def _message(message: Message) -> dict[str, Any]:
    role = "system" if message.role == "developer" else message.role
    written: dict[str, Any] = {"role": role, "content": _content(message)}
    if message.tool_calls:
        written["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        written |= {"tool_call_id": message.tool_call_id or ""} | ({"name": message.name} if message.name else {})
    return written


def _content(message: Message) -> str | list[dict[str, Any]]:
    parts = parts_of(message)
    if all(part.type == "text" for part in parts):
        return message.text
    return [_part(part) for part in parts]


def _part(part: Part) -> dict[str, Any]:
    if part.type == "input_audio":
        return {"type": "input_audio", "input_audio": read_audio(part).data}
    if part.type == "file":
        return _file(read_file(part))
    return {"type": part.type, part.type: part.payload}


def _file(file: File) -> dict[str, Any]:
    if file.data is None:
        return {"type": "file", "file_id": file.id}
    name = {"document_name": file.filename} if file.filename else {}
    return {"type": "document_url", "document_url": file.data} | name
