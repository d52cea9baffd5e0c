"""JSON that has one meaning: no key twice, no number that is none."""

import json
from typing import Any, NoReturn


def read(text: str) -> Any:
    """Read a text; raises `ValueError`, or `RecursionError` where it nests too deep."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key!r} is given twice")
        found[key] = value
    return found


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
