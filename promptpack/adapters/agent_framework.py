"""Microsoft Agent Framework: `client.get_response(**arguments(prompt))`; `prompt.to` has the fields of its objects."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms.chat import with_values, write_response_format
from promptpack.adapters.forms.media import guess_media_type
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import parts_of, read_data_uri, read_image

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt

__all__ = ["messages"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict",))
INSTEAD: Final[Mapping[TargetOption, str]] = {"tools": "pass functions to Agent(tools=...)"}
CARRIES: Final = Carries(parts=frozenset(("image_url",)), names=True)


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, each with the fields of a `Message`, and `options` with the `response_format` if strict."""
    response_format = write_response_format(outgoing) if outgoing.strict else None
    return {"messages": [_message(message) for message in outgoing.messages]} | with_values(
        options=with_values(response_format=response_format)
    )


def messages(prompt: "Prompt") -> list[Any]:
    """Return the messages of a prompt as `Message` objects.

    `prompt` is the rendered prompt.
    """
    message = import_sdk("agent_framework", "agent-framework-core").Message
    return [message(**fields) for fields in prompt.to("agent-framework")["messages"]]


def _message(message: Message) -> dict[str, Any]:
    name = {"author_name": message.name} if message.name else {}
    return {"role": message.role, "contents": [*_contents(message)]} | name


def _contents(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        yield {"type": "function_result", "call_id": message.tool_call_id or "", "result": message.text}
        return
    yield from map(_content, parts_of(message))
    for call in message.tool_calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _content(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"type": "text", "text": part.payload}
    address = read_image(part).url
    embedded = read_data_uri(address)
    media_type = embedded.media_type if embedded else guess_media_type(address) or "image/*"
    return {"type": "data" if embedded else "uri", "uri": address, "media_type": media_type}
