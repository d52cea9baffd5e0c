"""Ollama: `client.chat(model=..., **prompt.to("ollama"))`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.forms.chat import with_values, write_chat_tools
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption, cannot_carry
from promptpack.prompt.message import Message
from promptpack.prompt.message_data import called_tools, parts_of, read_call_input, read_data_uri, read_image

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {"cache": "Ollama caches prefixes by itself; leave out 'cache'"}
CARRIES: Final = Carries(parts=frozenset(("image_url",)))


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, `format` and `tools`; developer messages become system messages."""
    names = called_tools(outgoing.messages)
    schema = outgoing.strict_schema("ollama") if outgoing.strict else outgoing.schema()
    # A model that must follow a schema from its first token cannot call a tool.
    return {"messages": [_message(message, names) for message in outgoing.messages]} | with_values(
        format=schema if outgoing.strict or not outgoing.tools else None, tools=write_chat_tools(outgoing.tools)
    )


def _message(message: Message, names: Mapping[str, str]) -> dict[str, Any]:
    role = "system" if message.role == "developer" else message.role
    written: dict[str, Any] = {"role": role, "content": message.text}
    images = [_image(read_image(part).url) for part in parts_of(message) if part.type == "image_url"]
    if images:
        written["images"] = images
    if message.tool_calls:
        written["tool_calls"] = [
            {"function": {"name": call.name, "arguments": read_call_input(call.arguments)}}
            for call in message.tool_calls
        ]
    name = names.get(message.tool_call_id or "") or message.name
    return written | ({"tool_name": name} if message.role == "tool" and name else {})


def _image(address: str) -> bytes:
    # Bytes, because the package reads a text as the path of a file.
    embedded = read_data_uri(address)
    if embedded is None:
        raise cannot_carry("ollama", "an image by its URL", "pass a data: URI")
    return embedded.to_bytes()
