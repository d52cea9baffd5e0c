"""Strict JSON: no duplicate keys, no NaN or Infinity."""

import json
from typing import Any, NoReturn


def read(text: str) -> Any:
    """Parse a text; raise `ValueError`, or `RecursionError` if it is nested too deeply."""
    return _DECODER.decode(text)


def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object; raise `ValueError` if a key appears twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for index, key in enumerate(keys) if key in keys[:index])
        raise ValueError(f"key {twice!r} appears twice")
    return found


def reject_constant(word: str) -> NoReturn:
    """Raise `ValueError` for NaN or Infinity."""
    raise ValueError(f"{word} is not a number")


_DECODER = json.JSONDecoder(object_pairs_hook=reject_duplicates, parse_constant=reject_constant)
