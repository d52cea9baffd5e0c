"""Haystack: `generator.run(messages(prompt))`; `prompt.to("haystack")` has the fields of its messages."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms.chat import with_values, write_response_format
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption, cannot_carry
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import called_tools, parts_of, read_call_input, read_data_uri, read_image

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt

__all__ = ["messages"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict",))
INSTEAD: Final[Mapping[TargetOption, str]] = {"tools": "pass Tool objects to the generator"}
CARRIES: Final = Carries(parts=frozenset(("image_url",)), names=True)


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, each as `ChatMessage.to_dict` writes it, and `generation_kwargs` with the schema if strict.

    Developer messages become system messages.
    """
    names = called_tools(outgoing.messages)
    response_format = write_response_format(outgoing) if outgoing.strict else None
    return {"messages": [_message(message, names) for message in outgoing.messages]} | with_values(
        generation_kwargs=with_values(response_format=response_format)
    )


def messages(prompt: "Prompt") -> list[Any]:
    """Return the messages of a prompt as `ChatMessage` objects.

    `prompt` is the rendered prompt.
    """
    chat_message = import_sdk("haystack.dataclasses", "haystack-ai").ChatMessage
    return [chat_message.from_dict(message) for message in prompt.to("haystack")["messages"]]


def _message(message: Message, names: Mapping[str, str]) -> dict[str, Any]:
    role = "system" if message.role == "developer" else message.role
    name = message.name if message.role != "tool" else None
    return {"role": role, "content": [*_content(message, names)]} | ({"name": name} if name else {})


def _content(message: Message, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    identifier = message.tool_call_id or ""
    if message.role == "tool":
        tool = names.get(identifier) or message.name or ""
        origin = {"id": identifier, "tool_name": tool, "arguments": {}}
        yield {"tool_call_result": {"result": message.text, "origin": origin, "error": False}}
        return
    parts = parts_of(message)
    yield from map(_part, parts)
    if not parts and not message.tool_calls:
        yield {"text": ""}
    for call in message.tool_calls:
        yield {"tool_call": {"id": call.id, "tool_name": call.name, "arguments": read_call_input(call.arguments)}}


def _part(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"text": part.payload}
    image = read_image(part)
    embedded = read_data_uri(image.url)
    if embedded is None:
        raise cannot_carry("haystack", "an image by its URL", "pass a data: URI")
    detail = {"detail": image.detail} if image.detail else {}
    return {"image": {"base64_image": embedded.data, "mime_type": embedded.media_type, **detail}}
