"""The data inside messages: the bytes of a data: URI, the arguments of a tool call, the names of called tools."""

import json
from base64 import b64decode
from binascii import Error
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from promptpack.characters import is_encodable
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message, Part


class EmbeddedData(NamedTuple):
    """The contents of a data: URI; `data` is base64 text."""

    media_type: str
    data: str

    def to_bytes(self) -> bytes:
        """Return the decoded bytes."""
        try:
            return b64decode(self.data, validate=True)
        except Error as error:
            raise _not_base64() from error


def read_data_uri(address: str) -> EmbeddedData | None:
    """Return the contents of a data: URI, or None if the address is a URL."""
    if not address.startswith("data:"):
        return None
    media_type, _, data = address.removeprefix("data:").partition(";base64,")
    if not data:
        raise _not_base64()
    return EmbeddedData(media_type, data)


class Image(NamedTuple):
    """An image part; `url` may be a data: URI."""

    url: str
    detail: str | None = None


class Audio(NamedTuple):
    """An audio part; `data` is base64 text."""

    data: str
    format: str


class File(NamedTuple):
    """A file part, with the data: URI or the id of the file."""

    data: str | None
    id: str | None
    filename: str | None = None


def read_image(part: Part) -> Image:
    """Return the image of a part; its payload may be the URL alone."""
    payload = {"url": part.payload} if isinstance(part.payload, str) else part.payload
    return Image(_field(part, payload, "url"), _optional(payload, "detail"))


def read_audio(part: Part) -> Audio:
    """Return the audio of a part."""
    return Audio(_field(part, part.payload, "data"), _field(part, part.payload, "format"))


def read_file(part: Part) -> File:
    """Return the file of a part."""
    data = _optional(part.payload, "file_data")
    identifier = None if data else _field(part, part.payload, "file_id")
    return File(data, identifier, _optional(part.payload, "filename"))


def _field(part: Part, payload: Any, key: str) -> str:
    value = _optional(payload, key)
    if value is None:
        hint = "create it with Part.image, Part.audio or Part.file"
        raise UsageError(Problem("PP609", f"a part of type {part.type!r} has no {key!r}", None, hint))
    return value


def _optional(payload: Any, key: str) -> str | None:
    value = payload.get(key) if isinstance(payload, Mapping) else None
    return value if isinstance(value, str) else None


def read_call_input(arguments: str) -> dict[str, Any]:
    """Return the arguments of a tool call as an object; invalid arguments of the model are wrapped in one."""
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    is_valid = isinstance(value, dict) and is_encodable(json.dumps(value, ensure_ascii=False))
    return value if is_valid else {"INVALID_JSON": arguments}


def called_tools(messages: Iterable[Message]) -> dict[str, str]:
    """Return the name of the tool of each call, by the id of the call."""
    return {call.id: call.name for message in messages for call in message.tool_calls}


def parts_of(message: Message) -> tuple[Part, ...]:
    """Return the parts of a message without empty texts; its text is one part."""
    parts = message.content if isinstance(message.content, tuple) else (Part.text(message.content or ""),)
    return tuple(part for part in parts if part.type != "text" or part.payload)


def _not_base64() -> UsageError:
    return UsageError(Problem("PP609", "a data: URI is not base64-encoded", None, "write data:<type>;base64,<data>"))
