"""A described type that was read from YAML or JSON, and so is written back as it was read."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Self

ATOMS: Final = frozenset({str, int, float, bool, type(None)})


class TypeEntry(tuple[Any, ...]):  # noqa: SLOT001 - it has an attribute of its own
    """`(type, description)` that remembers how its `$type` was written; for all else it is that tuple."""

    written: str | None

    def __new__(cls, items: Sequence[Any], written: str | None = None) -> Self:
        """Make the tuple and note what stood in the file, if it was text."""
        entry = super().__new__(cls, items)
        entry.written = written
        return entry

    def convert(self, convert: Callable[[Any], Any]) -> Self:
        """Convert every element and keep what was written."""
        return type(self)([convert(item) for item in self], self.written)


class BareTuple(TypeEntry):
    """A tuple that an export gave as a tuple, and so is given as one again."""
