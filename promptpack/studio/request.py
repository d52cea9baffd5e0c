"""The `PageRequest`: one message of a page, whose fields are checked as they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from promptpack.problem import Problem, UsageError

T = TypeVar("T")
SendToPage = Callable[[Mapping[str, Any]], object]


@dataclass(frozen=True)
class PageRequest:
    """The fields of a message, the texts that the page has open, and a way to send parts of the answer early."""

    fields: Mapping[str, Any]
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts as they are typed, by path."""
    tab: str = ""
    """The page, for its drafts."""
    emit: SendToPage = lambda _: None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field that is text."""
        return self._read(name, str, default)

    def number(self, name: str) -> int:
        """Return a field that is a whole number."""
        return self._read(name, int, None)

    def flag(self, name: str) -> bool:
        """Return a field that is true or false; false if it is missing."""
        return self._read(name, bool, False)

    def mapping(self, name: str) -> dict[str, Any] | None:
        """Return a field that is an object; None if it is missing or null."""
        return None if self.fields.get(name) is None else self._read(name, dict, None)

    def _read(self, name: str, kind: type[T], default: T | None) -> T:
        value = self.fields.get(name, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            message = f"the message has no valid {name!r}"
            raise UsageError(Problem("PP994", message, None, "reload the page; it may be older than the server"))
        return value
