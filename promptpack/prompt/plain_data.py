"""The caller's values -> plain JSON data: copied within limits, so that they cannot run code or change later."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, Final

from promptpack.characters import is_encodable
from promptpack.problem import ContextError, Problem
from promptpack.prompt.value_encoders import UNKNOWN, Encode, encode_known, find_own, is_a
from promptpack.schema.pointers import pointer
from promptpack.template.model import Limits
from promptpack.template.values import MAX_DEPTH, MAX_TEXTS, is_plain

# The bytes of half of a surrogate pair; in the fingerprint of plain data, other bytes match only by chance.
_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf]")
_SURROGATE_START: Final = b"\xed"
_SHORT: Final = 1_000
_DEFAULT: Final = Limits()
_NO_TABLE: Final[Encode] = {}
_MAX_PLACE: Final = 200
_PLAIN_HINT: Final = "use text, numbers, true/false, null, lists and mappings"
_TOO_LARGE_HINT: Final = "pass only what the prompt needs"


def to_plain(
    value: Any, where: str, limits: Limits = _DEFAULT, encode: Encode = _NO_TABLE, *, shows_place: bool = True
) -> Any:
    """Copy a value as plain JSON data; problems name the input and the place in it, but never quote its value.

    `encode` has functions for the caller's own classes. A secret input does not show the place: its keys are secret
    too.
    """
    copier = _Copier(limits, encode)
    try:
        return copier.copy(value, 0)
    except (RecursionError, MemoryError):
        raise
    except _NotPlainError as error:
        place = (
            f" at {pointer(error.path[::-1])[:_MAX_PLACE]}"
            if error.path and shows_place and error.code == "PP411"
            else ""
        )
        failed = Problem(error.code, f"input {where!r}{place} {error.message}", None, error.hint)
    except Exception as error:  # noqa: BLE001 -- the methods of the caller's objects can raise anything
        message = f"input {where!r} contains an object that cannot be read: {type(error).__name__}"
        failed = Problem("PP411", message, None, _PLAIN_HINT)
    # Raised outside the `except`, because an error may quote the value.
    raise ContextError(failed)


class _NotPlainError(Exception):
    """A value that is not plain data; `path` leads to it, innermost key first."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code)
        self.code, self.message, self.hint = code, message, hint
        self.path: list[str | int] = []


def can_skip_copy(value: Any, fingerprint: bytes, limits: Limits) -> bool:
    """Return whether the mapping or list with this fingerprint is plain data that needs no copy."""
    has_valid_text = _SURROGATE_START not in fingerprint or not _SURROGATE.search(fingerprint)
    return has_valid_text and len(fingerprint) <= limits.text and is_plain(value, fingerprint, limits)


class _Copier:
    def __init__(self, limits: Limits, encode: Encode) -> None:
        self._encode = encode
        self._limits = limits
        self._remaining_values = limits.items
        self._remaining_text = MAX_TEXTS * limits.text
        self._short = min(_SHORT, limits.text)

    def copy(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is int or value is None or kind is bool:
            return value
        if kind is float:
            return self._finite(value)
        if depth > MAX_DEPTH:
            raise _NotPlainError("PP413", f"is nested more than {MAX_DEPTH} levels deep")
        if is_a(value, tuple) and hasattr(kind, "_fields"):
            return self.copy(dict(zip(kind._fields, value, strict=True)), depth)  # a named tuple
        if is_a(value, list, tuple):
            self._count(len(value))
            return self._list(value, depth + 1)
        if kind is dict or is_a(value, Mapping):
            self._count(len(value))
            return self._mapping(value, depth + 1)
        return self._convert(value, depth)

    def _count(self, members: int) -> None:
        self._remaining_values -= members
        if self._remaining_values < 0:
            raise _NotPlainError("PP409", f"contains more than {self._limits.items:,} values", _TOO_LARGE_HINT)

    # Most values are short ASCII texts, and most contexts hold many of them: these two methods take a short cut.
    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        copied = {}
        for key, item in value.items():
            if type(key) is not str or not key.isascii() or len(key) > self._short:
                key = self._key(key)  # noqa: PLW2901 -- the same key, as plain text
            if type(item) is str and item.isascii() and len(item) < self._short:
                copied[key] = item
                continue
            try:
                copied[key] = self.copy(item, depth)
            except _NotPlainError as error:
                error.path.append(key)
                raise
        return copied

    def _list(self, value: Sequence[Any], depth: int) -> list[Any]:
        copied: list[Any] = []
        try:
            for item in value:
                is_short = type(item) is str and item.isascii() and len(item) < self._short
                copied.append(item if is_short else self.copy(item, depth))
        except _NotPlainError as error:
            error.path.append(len(copied))
            raise
        return copied

    def _convert(self, value: Any, depth: int) -> Any:
        try:
            plain = self._to_simpler(value)
        except (_NotPlainError, RecursionError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 -- the methods of the caller's objects can raise anything
            failed = _NotPlainError(
                "PP411", f"contains an object that cannot be read: {type(error).__name__}", _PLAIN_HINT
            )
        else:
            return self.copy(plain, depth + 1)
        raise failed

    def _to_simpler(self, value: Any) -> Any:
        """Return plain data, or a value that is nearer to it."""
        own = find_own(value, self._encode) if self._encode else UNKNOWN
        if own is not UNKNOWN:
            return own
        # The methods of the plain types themselves: an override in a subclass would run the caller's code.
        if is_a(value, str):
            return str.__str__(value)
        if is_a(value, int):
            return int.__int__(value)
        if is_a(value, float):
            return float.__float__(value)
        if is_dataclass(type(value)) and hasattr(type(value), "to_dict"):
            return value.to_dict()
        if hasattr(type(value), "model_dump"):
            return value.model_dump(mode="json", by_alias=True)
        known = encode_known(value)
        if known is UNKNOWN:
            message = f"contains a value of type {type(value).__name__}, which is not plain data"
            raise _NotPlainError("PP411", message, f"{_PLAIN_HINT}, or pass encode={{{type(value).__name__}: ...}}")
        return known

    def _text(self, text: str) -> str:
        if len(text) > self._limits.text:
            message = f"contains a text of more than {self._limits.text:,} characters"
            raise _NotPlainError("PP409", message, _TOO_LARGE_HINT)
        self._remaining_text -= len(text)
        if self._remaining_text < 0:
            message = f"contains texts of more than {MAX_TEXTS * self._limits.text:,} characters in total"
            raise _NotPlainError("PP409", message, _TOO_LARGE_HINT)
        if not is_encodable(text):
            raise _NotPlainError("PP408", "contains half of a surrogate pair", "decode the text again")
        return text

    def _finite(self, number: float) -> float:
        if math.isfinite(number):
            return number
        raise _NotPlainError("PP411", "contains a number that is not finite", "JSON has no NaN or Infinity; use null")

    def _key(self, key: Any) -> str:
        if is_a(key, str):
            return self._text(str.__str__(key))
        raise _NotPlainError("PP411", "has a key that is not text", "use text as keys")
