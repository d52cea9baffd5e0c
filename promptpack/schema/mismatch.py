"""One thing that a schema found wrong with a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mismatch:
    """What is wrong, by the schema's keyword and its value, at a path; `at_key` when the key itself is the trouble.

    Of a key that is not known, `expected` is the nearest one that is, if there is any.
    """

    rule: str
    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    at_key: bool = False
    expected: Any = field(default=None, compare=False)

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return pointer(self.path)


def pointer(path: Iterable[str | int]) -> str:
    """Write a path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
