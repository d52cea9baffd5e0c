"""Amazon Bedrock's Converse API: `client.converse(modelId=..., **prompt.to("bedrock"))`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from promptpack.adapters.forms.media import suffix_of
from promptpack.adapters.forms.turns import merge_turns
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption, cannot_carry
from promptpack.cycle.model_tools import ModelTool
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import parts_of, read_call_input, read_data_uri, read_file, read_image

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {"cache": "add a {'cachePoint': {'type': 'default'}} block to 'system'"}
CARRIES: Final = Carries(
    parts=frozenset(("image_url", "file")), result_parts=frozenset(("image_url", "file")), turn_needed=True
)
_EMBED: Final = "pass a data: URI"


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `system`, `messages`, `outputConfig` (only if strict, as there is no other form) and `toolConfig`."""
    turns = merge_turns((_role(message), _blocks(message)) for message in outgoing.turns())
    system = outgoing.system_text()
    written: dict[str, Any] = {"system": [{"text": system}]} if system else {}
    written["messages"] = [{"role": role, "content": blocks} for role, blocks in turns]
    if outgoing.strict:
        schema = json.dumps(outgoing.strict_schema("bedrock"), ensure_ascii=False)
        described = {"jsonSchema": {"name": outgoing.schema_name, "schema": schema}}
        written["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": described}}
    if outgoing.tools:
        written["toolConfig"] = {"tools": _tools(outgoing.tools)}
    return written


def _role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _tools(tools: Iterable[ModelTool]) -> list[dict[str, Any]]:
    return [
        {
            "toolSpec": {"name": tool.name, "inputSchema": {"json": dict(tool.parameters or {"type": "object"})}}
            | ({"description": tool.description} if tool.description else {})
        }
        for tool in tools
    ]


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = [_block(part) for part in parts_of(message)]
    if message.role == "tool":
        return [{"toolResult": {"toolUseId": message.tool_call_id or "", "content": content}}]
    return content + [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": read_call_input(call.arguments)}}
        for call in message.tool_calls
    ]


def _block(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"text": part.payload}
    if part.type == "image_url":
        return {"image": _embedded(read_image(part).url, "an image")}
    file = read_file(part)
    if file.data is None:
        raise cannot_carry("bedrock", "a file by its id", _EMBED)
    return {"document": {"name": _document_name(file.filename or "document"), **_embedded(file.data, "a file")}}


def _embedded(address: str, what: str) -> dict[str, Any]:
    embedded = read_data_uri(address)
    if embedded is None:
        raise cannot_carry("bedrock", f"{what} by its URL", _EMBED)
    suffix = suffix_of(embedded.media_type)
    if not suffix:
        raise cannot_carry("bedrock", f"{what} of the type {embedded.media_type!r}")
    return {"format": "jpeg" if suffix == "jpg" else suffix, "source": {"bytes": embedded.to_bytes()}}


def _document_name(name: str) -> str:
    """Return a file name without its extension, and with only the characters that the API accepts."""
    name = name.rpartition(".")[0] or name
    return "".join(one if one.isascii() and (one.isalnum() or one in "-()[] ") else "-" for one in name)
