"""Read the fields of chat messages in plain data."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from promptpack.problem import ContextError, Problem
from promptpack.template.runtime import describe_kind

MessageMapping: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One tool call in an assistant message, with its original texts."""

    id: str
    name: str
    arguments: str


def read_messages(value: object) -> list[MessageMapping]:
    """Return the messages of a history; skip empty items, and read None as an empty history."""
    return [message for message in read_mappings(value, "the history", "PP430") if message]


def read_mappings(value: object, what: str, code: str) -> list[Mapping[str, Any]]:
    """Return the mappings in a sequence; read None as an empty one."""
    items = _items(value, what, code)
    for position, item in enumerate(items):
        if item is not None and not isinstance(item, Mapping):
            message = f"item {position} of {what} must be a mapping, not {describe_kind(item)}"
            raise ContextError(Problem(code, message, hint="pass a list of mappings"))
    return [item or {} for item in items]


def read_content_text(message: MessageMapping) -> str:
    """Return the text of a message; the text parts of a list are joined with line breaks."""
    content = message.get("content")
    if isinstance(content, (list, tuple)):
        return "\n".join(_part_texts(content))
    return content if isinstance(content, str) else ""


def read_text_field(message: MessageMapping, name: str) -> str:
    """Return a field that is text, or else an empty text."""
    value = message.get(name)
    return value if isinstance(value, str) else ""


def read_tool_calls(message: MessageMapping) -> list[RecordedCall]:
    """Return the tool calls of a message, with nested or flat function fields."""
    calls = message.get("tool_calls")
    if not calls:
        return []
    return [_call(call) for call in read_mappings(calls, "tool_calls", "PP430")]


def _items(value: object, what: str, code: str) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return list(value)
    message = f"{what} must be a list, not {describe_kind(value)}"
    raise ContextError(Problem(code, message, hint="pass a list of mappings"))


def _part_texts(parts: Iterable[object]) -> Iterable[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text


def _call(call: Mapping[str, Any]) -> RecordedCall:
    nested = call.get("function")
    function = nested if isinstance(nested, Mapping) else call
    arguments = _arguments(function.get("arguments"))
    return RecordedCall(read_text_field(call, "id"), read_text_field(function, "name"), arguments)


def _arguments(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        message = "the arguments of a tool call are neither text nor plain data"
        raise ContextError(Problem("PP430", message, hint="pass the JSON of the arguments, or a mapping")) from error
