"""`Dialect`: the interface of a convention of attribute names, and how all of them write data as text."""

import json
from collections.abc import Mapping, Sequence
from typing import Protocol

from promptpack.observation import Ended, Started

AttributeValue = str | bool | int | float | Sequence[str]
Attributes = dict[str, AttributeValue]
# The content of an event, without secrets; empty unless the user asked for content.
Content = Mapping[str, object]


class Dialect(Protocol):
    """Names the facts of an event."""

    def started(self, event: Started, content: Content) -> Attributes:
        """Return the attributes at the start of an operation."""
        ...

    def ended(self, event: Ended, content: Content) -> Attributes:
        """Return the attributes at its end."""
        ...


def write_json(value: object) -> str:
    """Return data as JSON text; a value that JSON does not know as its text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def write_text(value: object) -> str:
    """Return a text unchanged, other data as JSON text."""
    return value if isinstance(value, str) else write_json(value)


def without_empty(attributes: Attributes) -> Attributes:
    """Return the attributes that have a value: no empty texts and lists."""
    return {name: value for name, value in attributes.items() if value not in ("", (), [])}
