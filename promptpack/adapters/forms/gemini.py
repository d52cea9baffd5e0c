"""Gemini's form: `contents` of two roles, and a `config` with the system text, the tools and the schema."""

from collections.abc import Iterable
from typing import Any, Final

from promptpack.adapters.forms.media import guess_media_type
from promptpack.adapters.forms.turns import merge_turns
from promptpack.adapters.outgoing import Carries, Outgoing, cannot_carry
from promptpack.cycle.model_tools import ModelTool
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import (
    EmbeddedData,
    called_tools,
    parts_of,
    read_audio,
    read_call_input,
    read_data_uri,
    read_file,
    read_image,
)

GEMINI: Final = Carries(parts=frozenset(("image_url", "input_audio", "file")), turn_needed=True)


def write_contents(outgoing: Outgoing) -> list[dict[str, Any]]:
    """Return the messages except system and developer messages, as `contents`."""
    names = called_tools(outgoing.messages)
    turns = ((_role(message), _parts(outgoing.target, message, names)) for message in outgoing.turns())
    return [{"role": role, "parts": parts} for role, parts in merge_turns(turns)]


def write_config(outgoing: Outgoing) -> dict[str, Any]:
    """Return the `config`; without `strict`, the reply must only be JSON, as the schema may have open objects."""
    config: dict[str, Any] = {}
    system = outgoing.system_text()
    if system:
        config["system_instruction"] = system
    if outgoing.strict:
        config["response_mime_type"] = "application/json"
        config["response_json_schema"] = outgoing.strict_schema("gemini")
    elif outgoing.prompt.pack.contract is not None and not outgoing.tools:
        # Most models refuse tools together with a response type.
        config["response_mime_type"] = "application/json"
    if outgoing.tools:
        config["tools"] = [{"function_declarations": _declarations(outgoing.tools)}]
    return config


def _declarations(tools: Iterable[ModelTool]) -> list[dict[str, Any]]:
    return [
        {"name": tool.name}
        | ({"description": tool.description} if tool.description else {})
        | ({"parameters_json_schema": dict(tool.parameters)} if tool.parameters else {})
        for tool in tools
    ]


def _role(message: Message) -> str:
    return "model" if message.role == "assistant" else "user"


def _parts(target: str, message: Message, names: dict[str, str]) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [_response(target, message, names)]
    calls = [
        {"function_call": _with_id(call.id, {"name": call.name, "args": read_call_input(call.arguments)})}
        for call in message.tool_calls
    ]
    return [*(_part(target, part) for part in parts_of(message)), *calls]


def _response(target: str, message: Message, names: dict[str, str]) -> dict[str, Any]:
    name = names.get(message.tool_call_id or "") or message.name
    if not name:
        raise cannot_carry(target, "a tool result without the call that it answers", "keep the call in the history")
    response = {"name": name, "response": {"result": message.text}}
    return {"function_response": _with_id(message.tool_call_id or "", response)}


def _with_id(identifier: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": identifier, **value} if identifier else value


def _part(target: str, part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"text": part.payload}
    if part.type == "input_audio":
        audio = read_audio(part)
        return _inline(EmbeddedData(f"audio/{audio.format}", audio.data))
    if part.type == "image_url":
        return _media(target, read_image(part).url, "image")
    file = read_file(part)
    return _media(target, file.data or file.id or "", "file", file.filename or "")


def _media(target: str, address: str, what: str, filename: str = "") -> dict[str, Any]:
    embedded = read_data_uri(address)
    if embedded is not None:
        return _inline(embedded)
    media_type = guess_media_type(filename or address)
    if what == "image" and not media_type:
        hint = "give the URL an extension such as .png, or pass a data: URI"
        raise cannot_carry(target, "an image whose URL does not say its type", hint)
    return {"file_data": {"file_uri": address} | ({"mime_type": media_type} if media_type else {})}


def _inline(embedded: EmbeddedData) -> dict[str, Any]:
    return {"inline_data": {"mime_type": embedded.media_type, "data": embedded.to_bytes()}}
