"""Turns of two roles, as APIs without tool and system messages need them."""

from collections.abc import Iterable
from typing import Any


def merge_turns(turns: Iterable[tuple[str, list[Any]]]) -> list[tuple[str, list[Any]]]:
    """Merge adjacent turns of one role, and leave out empty ones."""
    merged: list[tuple[str, list[Any]]] = []
    for role, contents in turns:
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(contents)
        elif contents:
            merged.append((role, [*contents]))
    return merged
