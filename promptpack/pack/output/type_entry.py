"""`TypeEntry`: a described type read from YAML or JSON, which exports write back unchanged."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Self

ATOMS: Final = frozenset({str, int, float, bool, type(None)})


class TypeEntry(tuple[Any, ...]):  # noqa: SLOT001 - it has an extra attribute
    """The tuple `(type, description)`, with the original text of its `$type`."""

    written: str | None

    def __new__(cls, items: Sequence[Any], written: str | None = None) -> Self:
        """Create the tuple; `written` is the text of `$type` in the file, if it was text."""
        entry = super().__new__(cls, items)
        entry.written = written
        return entry

    def convert(self, function: Callable[[Any], Any]) -> Self:
        """Return an entry with every element converted and the same `written` text."""
        return type(self)([function(item) for item in self], self.written)


class BareTuple(TypeEntry):
    """A tuple in exported data, which the next export writes as a tuple again."""
