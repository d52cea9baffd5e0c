"""Slots -> `PromptView`: validated by plain code, which falls back to the pydantic model for unusual values."""

from dataclasses import dataclass, field
from typing import Any, Final, cast

from promptpack.pack.output.output_format import infer_output_format
from promptpack.pack.output.type_entry import ATOMS
from promptpack.prompt.slots.model import PromptModel
from promptpack.prompt.slots.slot_data import find

_PLAIN_SLOTS: Final = ("system", "developer", "info", "action_results", "instruct", "examples", "input")
_STANDARD: Final = frozenset(
    {*_PLAIN_SLOTS, "chat_history", "tools", "attachment", "output", "output_format", "options"}
)
_TOOL_KEYS: Final = ("name", "desc", "kwargs", "returns")


class _FallbackError(ValueError):
    """Plain code cannot validate a value: the pydantic model must read it."""


@dataclass(frozen=True, slots=True)
class SlotPart:
    """A part of a slot message; `is_text` is false for an attachment of type "text"."""

    is_text: bool
    data: dict[str, Any]
    text: Any = None


@dataclass(frozen=True, slots=True)
class SlotMessage:
    """A message of the chat history; its content is text, or the caller's parts."""

    role: Any
    content: Any


@dataclass(slots=True)
class PromptView:
    """Every slot, ready to print."""

    system: Any = None
    developer: Any = None
    chat_history: list[SlotMessage] = field(default_factory=list)
    info: Any = None
    tools: list[dict[str, Any]] | None = None
    action_results: Any = None
    instruct: Any = None
    examples: Any = None
    input: Any = None
    attachment: list[SlotPart] = field(default_factory=list)
    output: Any = None
    output_format: str = "markdown"
    extras: dict[str, Any] = field(default_factory=dict)


def read_view(data: dict[Any, Any]) -> PromptView:
    """Read the slots; raise pydantic's ValidationError for a slot with an invalid value."""
    slots = resolve_slot_values(data)
    try:
        return _plain_view(slots)
    except _FallbackError:
        return _view_from_model(read_model(slots))


def read_model(slots: dict[str, Any]) -> "PromptModel":
    """Read the slots into the pydantic model."""
    from promptpack.prompt.slots.model import PromptModel

    return PromptModel(**slots)


def resolve_slot_values(data: dict[Any, Any]) -> dict[str, Any]:
    """Look up every key; one with a dot is a path, so a literal dotted key is usually None."""
    if any("." in key for key in data if isinstance(key, str)):
        data = {key: find(data, key)[1] for key in data}
    if not all(isinstance(key, str) for key in data):
        raise TypeError("keywords must be strings")
    return data


def read_part(item: Any) -> SlotPart:
    """Read one part of a message in the form it is sent in."""
    try:
        return _plain_part(item)
    except _FallbackError:
        from promptpack.prompt.slots import model

        part = model.validate_part(item)
        is_text = isinstance(part, model.TextMessageContent)
        return SlotPart(is_text, part.model_dump(warnings=False), getattr(part, "text", None))


def _plain_view(slots: dict[str, Any]) -> PromptView:
    options = slots.get("options", {})
    if type(options) is not dict or not _has_text_keys(options):
        raise _FallbackError
    output, output_format = infer_output_format(slots.get("output"), slots.get("output_format"))
    return PromptView(
        **{name: slots[name] for name in _PLAIN_SLOTS if name in slots},
        chat_history=_plain_history(slots.get("chat_history")),
        tools=_plain_tools(slots.get("tools")),
        attachment=_plain_attachment(slots.get("attachment")),
        output=output,
        output_format=output_format,
        extras={name: value for name, value in slots.items() if name not in _STANDARD},
    )


def _plain_history(value: Any) -> list[SlotMessage]:
    if value is None:
        return []
    return [_plain_message(item) for item in (value if type(value) is list else [value])]


def _plain_message(item: Any) -> SlotMessage:
    if type(item) is str:
        return SlotMessage("user", item)
    if type(item) is not dict or not _has_text_keys(item):
        raise _FallbackError
    role, content = item.get("role", "user"), item.get("content")
    if type(role) is not str or not _is_plain_content(content):
        raise _FallbackError
    return SlotMessage(role, content)


def _is_plain_content(content: Any) -> bool:
    if type(content) is str:
        return True
    return type(content) is list and all(type(part) is dict and _has_text_keys(part) for part in content)


def _plain_attachment(value: Any) -> list[SlotPart]:
    if value is None:
        return []
    return [_plain_part(item) for item in (value if type(value) is list else [value])]


def _plain_part(item: Any) -> SlotPart:
    if type(item) is str:
        return _text_part(item)
    if type(item) is not dict or not _has_text_keys(item):
        raise _FallbackError
    kind = item.get("type")
    if kind == "text" and type(item.get("text")) is str:
        return _text_part(item["text"])
    # the model decides about a part without the key named by its type, or with a private name as its type
    if type(kind) is not str or kind == "text" or kind.startswith("_") or kind not in item:
        raise _FallbackError
    return SlotPart(is_text=False, data={"type": kind, **{key: _plain_copy(value) for key, value in item.items()}})


def _text_part(text: str) -> SlotPart:
    return SlotPart(is_text=True, data={"type": "text", "text": text}, text=text)


def _plain_copy(value: Any) -> Any:
    if type(value) in ATOMS:
        return value
    if type(value) is dict:
        return {key: _plain_copy(item) for key, item in value.items()}
    if type(value) is list:
        return [_plain_copy(item) for item in value]
    raise _FallbackError


def _plain_tools(value: Any) -> list[dict[str, Any]] | None:
    if value is None:
        return None
    if type(value) is not list:
        raise _FallbackError
    return [_plain_tool(item) for item in value]


def _plain_tool(item: Any) -> dict[str, Any]:
    if type(item) is not dict or not _has_text_keys(item):
        raise _FallbackError
    arguments = item.get("kwargs")
    if type(item.get("name")) is not str or type(item.get("desc")) is not str:
        raise _FallbackError
    if type(arguments) is not dict or not _has_text_keys(arguments):
        raise _FallbackError
    known = {key: item[key] for key in _TOOL_KEYS if key in item}
    return {**known, **item}


def _has_text_keys(mapping: dict[Any, Any]) -> bool:
    return all(type(key) is str for key in mapping)


def _view_from_model(model: "PromptModel") -> PromptView:
    return PromptView(
        **{name: getattr(model, name) for name in _PLAIN_SLOTS},
        chat_history=[SlotMessage(message.role, message.content) for message in model.chat_history],
        tools=cast("list[dict[str, Any]] | None", model.tools),
        attachment=[read_part(part) for part in model.attachment],
        output=model.output,
        output_format=model.output_format,
        extras=dict(model.model_extra or {}),
    )
