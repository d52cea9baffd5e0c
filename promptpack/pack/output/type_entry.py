"""`TypeEntry`, a described type that exports write back unchanged, and the format of an output."""

from collections.abc import Callable, Mapping, Sequence
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


def infer_output_format(output: Any, output_format: Any) -> tuple[Any, Any]:
    """Return the output and its format; without a format, infer it and describe a bare type as a reply."""
    if output_format is not None:
        return output, output_format if isinstance(output_format, str) else str(output_format)
    if isinstance(output, Mapping | Sequence) and not isinstance(output, str):
        return output, "json"
    if not isinstance(output, type):
        return output, "markdown"
    if output is str:
        return None, "markdown"
    return {"value": (output,), "reply": (str, "Reply according the result value")}, "json"
