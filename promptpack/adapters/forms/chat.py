"""OpenAI's chat form: messages, tools and the format of the response."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from promptpack.adapters.outgoing import Carries, Outgoing
from promptpack.cycle.model_tools import ModelTool
from promptpack.cycle.providers.openai_writing import write_message
from promptpack.prompt.message import Message, ToolCall
from promptpack.prompt.message_data import read_call_input

CHAT_PARTS: Final = frozenset(("image_url", "input_audio", "file"))
CHAT: Final = Carries(parts=CHAT_PARTS, names=True)


def write_chat(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages as OpenAI's chat API accepts them."""
    return [write_message(message) for message in messages]


def write_parsed_chat(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages for frameworks that parse the arguments of calls; invalid ones are wrapped in an object."""
    return write_chat(
        replace(message, tool_calls=tuple(_with_valid_arguments(call) for call in message.tool_calls))
        for message in messages
    )


def write_chat_tools(tools: Iterable[ModelTool]) -> list[dict[str, Any]]:
    """Return tools as OpenAI's chat API accepts them; a tool without parameters takes any object."""
    return [_with_parameters(tool.to_dict()) for tool in tools]


def write_response_format(outgoing: Outgoing, provider: str = "openai") -> dict[str, Any] | None:
    """Return the `response_format` with the schema of the reply, or None if the pack has no contract."""
    schema = outgoing.strict_schema(provider) if outgoing.strict else outgoing.schema()
    if schema is None:
        return None
    described = {"name": outgoing.schema_name, "schema": schema, "strict": outgoing.strict}
    return {"type": "json_schema", "json_schema": described}


def with_values(**arguments: Any) -> dict[str, Any]:
    """Return the arguments without empty ones."""
    return {name: value for name, value in arguments.items() if value}


def _with_valid_arguments(call: ToolCall) -> ToolCall:
    value = read_call_input(call.arguments)
    is_valid = bool(call.arguments) and "INVALID_JSON" not in value
    return call if is_valid else replace(call, arguments=json.dumps(value, ensure_ascii=False))


def _with_parameters(tool: dict[str, Any]) -> dict[str, Any]:
    tool["function"].setdefault("parameters", {"type": "object", "properties": {}})
    return tool
