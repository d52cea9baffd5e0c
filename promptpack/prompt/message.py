"""`Message`, `Part` and `ToolCall`: immutable values in the form that chat APIs accept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from promptpack.frozen import create
from promptpack.pack.model import ROLES, Role
from promptpack.problem import ContextError, Problem, did_you_mean
from promptpack.prompt.value_encoders import is_a

_USUAL_KEYS: Final = frozenset(("role", "content"))
_MESSAGE_KEYS: Final = _USUAL_KEYS | {"name", "tool_calls", "tool_call_id"}
_CALL_KEYS: Final = frozenset(("id", "type", "function"))
_FLAT_CALL_KEYS: Final = _CALL_KEYS | {"name", "arguments"}
_PART_TYPES: Final = ("text", "image_url", "input_audio", "file")


@dataclass(frozen=True)
class Part:
    """One part of a message, as OpenAI-style APIs accept it; the `payload` of a text part is the text itself.

    `type` is the type of the part in the API, such as `text` or `image_url`.
    """

    type: str
    payload: Any
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Other keys of the part, such as `cache_control`; they are sent too."""

    @classmethod
    def text(cls, text: str) -> Part:
        """Create a part from a `text`."""
        return cls("text", text)

    @classmethod
    def image(cls, url: str, detail: str | None = None) -> Part:
        """Create an image part; `url` is an address or a data: URI, and `detail` the resolution that the model sees."""
        return cls("image_url", {"url": url} | ({"detail": detail} if detail else {}))

    @classmethod
    def audio(cls, data: str, format: str = "wav") -> Part:  # noqa: A002 -- the API's own word
        """Create an audio part; `data` is base64, and `format` the format of the sound."""
        return cls("input_audio", {"data": data, "format": format})

    @classmethod
    def file(cls, source: str, filename: str | None = None) -> Part:
        """Create a file part; `source` is the id of a file or a data: URI, and `filename` the name for the model."""
        key = "file_data" if source.startswith("data:") else "file_id"
        return cls("file", {key: source} | ({"filename": filename} if filename else {}))

    def __repr__(self) -> str:
        # Without the payload: like all content, it may contain secrets, and a repr may be logged.
        return f"Part({self.type!r})" if self.type in _PART_TYPES else "Part()"

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data."""
        return {"type": self.type, self.type: self.payload, **self.extra}


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool by the assistant; `arguments` is JSON text.

    `id` is repeated by the message with the result, and `name` is the name of the tool.
    """

    id: str
    name: str
    arguments: str
    extra: Mapping[str, Any] | None = None
    """Other keys that a server sent with the call and may expect back."""

    def __repr__(self) -> str:
        return f"ToolCall({len(self.arguments)} characters)"

    def to_dict(self) -> dict[str, Any]:
        """Return the call as plain data."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function, **(self.extra or {})}


@dataclass(frozen=True)
class Message:
    """One chat message; immutable.

    `role` says who speaks, and `content` is a text or parts. `name` is the name of the speaker. `tool_calls` are calls
    of the assistant, and `tool_call_id` is the call that a tool message answers.
    """

    role: Role
    content: str | tuple[Part, ...] | None
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    extra: Mapping[str, Any] | None = None
    """Other keys of the message, such as `reasoning_content`; they are sent too."""

    def __repr__(self) -> str:
        parts = [] if not isinstance(self.content, tuple) else [f"{len(self.content)} part(s)"]
        calls = [f"{len(self.tool_calls)} tool call(s)"] if self.tool_calls else []
        return f"Message({', '.join([self.role, f'{len(self.text)} characters', *parts, *calls])})"

    @property
    def text(self) -> str:
        """The message's text, without its other parts."""
        if isinstance(self.content, tuple):
            return "\n".join(str(part.payload) for part in self.content if part.type == "text")
        return self.content or ""

    def to_dict(self) -> dict[str, Any]:
        """Return the message as plain data for OpenAI-style APIs."""
        content = [part.to_dict() for part in self.content] if isinstance(self.content, tuple) else self.content
        message: dict[str, Any] = {"role": self.role, "content": content}
        if self.name is not None:
            message["name"] = self.name
        if self.tool_calls:
            message["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.tool_call_id is not None:
            message["tool_call_id"] = self.tool_call_id
        return {**message, **self.extra} if self.extra else message


def read_message(value: Any, where: str = "message") -> Message:
    """Read a message from plain data in the form of OpenAI-style APIs."""
    if type(value) is not dict:
        if is_a(value, Message):
            return cast("Message", value)
        if not is_a(value, Mapping):
            hint = "write a mapping with role and content"
            raise ContextError(Problem("PP412", f"{where} is not a message", None, hint))
    role = value.get("role")
    if role not in ROLES:
        hint = (did_you_mean(role, ROLES) if isinstance(role, str) else "") or f"use one of {', '.join(ROLES)}"
        raise ContextError(Problem("PP412", f"{where} has no valid role", None, hint))
    content = _read_content(value.get("content"), where)
    if _USUAL_KEYS.issuperset(value):
        return create(Message, role=role, content=content)
    return Message(
        role,
        content,
        _text_or_none(value.get("name")),
        _read_calls(value.get("tool_calls"), where),
        _text_or_none(value.get("tool_call_id")),
        _extra_keys(value, _MESSAGE_KEYS),
    )


def _read_content(content: Any, where: str) -> str | tuple[Part, ...] | None:
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, Iterable) and not isinstance(content, Mapping):
        return tuple(_read_part(part, where) for part in content)
    raise ContextError(Problem("PP412", f"the content of {where} must be text or a list of parts"))


def _read_part(part: Any, where: str) -> Part:
    if is_a(part, Part):
        return cast("Part", part)
    kind = part.get("type") if is_a(part, Mapping) else None
    if isinstance(kind, str) and kind in part and (kind != "text" or isinstance(part["text"], str)):
        return Part(kind, part[kind], {key: value for key, value in part.items() if key not in ("type", kind)})
    raise ContextError(Problem("PP412", f"{where} has an invalid part", None, 'write {"type": "text", "text": ...}'))


def _read_calls(calls: Any, where: str) -> tuple[ToolCall, ...]:
    if calls is None:
        return ()
    if isinstance(calls, list | tuple):
        return tuple(_read_call(call, where) for call in calls)
    raise ContextError(Problem("PP412", f"the tool calls of {where} must be a list"))


def _read_call(call: Any, where: str) -> ToolCall:
    if is_a(call, ToolCall):
        return cast("ToolCall", call)
    function = call.get("function", call) if is_a(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise ContextError(Problem("PP412", f"{where} has an invalid tool call"))
    arguments = function.get("arguments", "{}")
    if not isinstance(arguments, str):
        arguments = _write_arguments(arguments, where)
    known = _CALL_KEYS if "function" in call else _FLAT_CALL_KEYS
    return ToolCall(str(call.get("id", "")), function["name"], arguments, _extra_keys(call, known))


def _extra_keys(value: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any] | None:
    if known.issuperset(value):
        return None
    return {key: item for key, item in value.items() if key not in known}


def _write_arguments(arguments: Any, where: str) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"the arguments of a tool call of {where} are neither text nor plain data"
        raise ContextError(Problem("PP412", message)) from error


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)
