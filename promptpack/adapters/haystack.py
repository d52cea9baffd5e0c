"""Haystack: `generator.run(messages(prompt))`; `prompt.to("haystack")` has its messages in OpenAI's form."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms.chat import with_values, write_chat, write_response_format
from promptpack.adapters.outgoing import Carries, Option, Outgoing, cannot_carry
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.prompt.message import Message
from promptpack.prompt.message_data import parts_of, read_data_uri, read_image

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt

OPTIONS: Final[frozenset[Option]] = frozenset(("strict",))
INSTEAD: Final[Mapping[Option, str]] = {"tools": "pass Tool objects to the generator"}
CARRIES: Final = Carries(parts=frozenset(("image_url",)), names=True)


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, and `generation_kwargs` with the `response_format` if strict."""
    for message in outgoing.messages:
        _refuse_urls(message)
    response_format = write_response_format(outgoing) if outgoing.strict else None
    return {"messages": write_chat(outgoing.messages)} | with_values(
        generation_kwargs=with_values(response_format=response_format)
    )


def messages(prompt: "Prompt") -> list[Any]:
    """Return the messages of a prompt as `ChatMessage` objects; developer messages become system messages.

    `prompt` is the rendered prompt.
    """
    chat_message = import_sdk("haystack.dataclasses", "haystack-ai").ChatMessage
    return [chat_message.from_openai_dict_format(message) for message in prompt.to("haystack")["messages"]]


def _refuse_urls(message: Message) -> None:
    if any(part.type == "image_url" and read_data_uri(read_image(part).url) is None for part in parts_of(message)):
        raise cannot_carry("haystack", "an image by its URL", "pass a data: URI")
