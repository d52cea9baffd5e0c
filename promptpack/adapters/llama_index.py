"""LlamaIndex: `llm.chat(messages(prompt))`; `prompt.to("llama-index")` has the fields of its message objects."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import parts_of, read_image

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt

__all__ = ["messages"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset()
INSTEAD: Final[Mapping[TargetOption, str]] = {
    "strict": "pass contract.strict(provider) to the model of LlamaIndex",
    "tools": "pass tools to 'llm.chat_with_tools'",
}
CARRIES: Final = Carries(parts=frozenset(("image_url",)))


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `messages`, each with the fields of a `ChatMessage`."""
    return {"messages": [_message(message) for message in outgoing.messages]}


def messages(prompt: "Prompt") -> list[Any]:
    """Return the messages of a prompt as `ChatMessage` objects, in which braces are only text.

    `prompt` is the rendered prompt.
    """
    chat_message = import_sdk("llama_index.core.llms", "llama-index-core").ChatMessage
    return [chat_message(**fields) for fields in prompt.to("llama-index")["messages"]]


def _message(message: Message) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "blocks": [_block(part) for part in parts_of(message)]}
    written["blocks"] += [
        {"block_type": "tool_call", "tool_call_id": call.id, "tool_name": call.name, "tool_kwargs": call.arguments}
        for call in message.tool_calls
    ]
    if message.role == "tool":
        written["additional_kwargs"] = {"tool_call_id": message.tool_call_id or ""}
    return written


def _block(part: Part) -> dict[str, Any]:
    if part.type == "text":
        return {"block_type": "text", "text": part.payload}
    image = read_image(part)
    return {"block_type": "image", "url": image.url} | ({"detail": image.detail} if image.detail else {})
