"""One mismatch between a value and a schema."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mismatch:
    """The failed keyword (`rule`) and its value (`expected`), at a path; `at_key` if the key itself is wrong.

    For an unknown key, `expected` is the nearest known key, or None. Unsafe schemas are reported in the same form.
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
    """Return a path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
