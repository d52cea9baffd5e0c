"""The data inside messages: the bytes of a data: URI, the arguments of a tool call, the names of called tools."""

import json
from base64 import b64decode
from binascii import Error
from collections.abc import Iterable
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
