"""Strict JSON: no duplicate keys, no NaN or Infinity."""

import json
from collections import Counter
from typing import Any, NoReturn


def read(text: str) -> Any:
    """Parse a text; raise `ValueError`, or `RecursionError` if it is nested too deeply."""
    return _DECODER.decode(text)


def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object; raise `ValueError` if a key appears twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"key {twice!r} appears twice")
    return found


def reject_constant(word: str) -> NoReturn:
    """Raise `ValueError` for NaN or Infinity."""
    raise ValueError(f"{word} is not a number")


_DECODER = json.JSONDecoder(object_pairs_hook=reject_duplicates, parse_constant=reject_constant)
