"""One mismatch between a value and a schema."""

from dataclasses import dataclass, field
from typing import Any

from promptpack.schema.pointers import pointer


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
