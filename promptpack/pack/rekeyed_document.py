"""Documents with misspelled keys, corrected so that the values below them are checked too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from promptpack.document import Document
from promptpack.document.model import MappedDocument, Path
from promptpack.schema.pointers import ValuePath

if TYPE_CHECKING:
    from promptpack import schema


@dataclass(frozen=True)
class RekeyedDocument(MappedDocument):
    """A document with corrected keys; every value keeps its location."""

    written: Document = field(kw_only=True)
    """The document with the keys as the author wrote them."""
    written_keys: Mapping[ValuePath, str | int] = field(default_factory=dict)
    """The misspelled keys in the file, by their correct paths."""

    def rekey(self, mismatches: Iterable[schema.Mismatch]) -> Self:
        """Rename each unknown key to the nearest known key, unless its mapping has that key too."""
        near: dict[ValuePath, dict[Any, str]] = {}
        for found in mismatches:
            if found.keyword == "additionalProperties" and found.expected is not None:
                near.setdefault(found.path[:-1], {})[found.path[-1]] = found.expected
        written: dict[ValuePath, str | int] = {}

        def copy(value: Any, old: ValuePath, new: ValuePath) -> Any:
            """Return a value with its keys renamed; `old` and `new` are its paths before and after."""
            if isinstance(value, list):
                return [copy(item, (*old, index), (*new, index)) for index, item in enumerate(value)]
            if not isinstance(value, dict):
                return value
            names = {key: name for key, name in near.get(old, {}).items() if name not in value}
            written.update({(*new, name): key for key, name in names.items()})
            correct: dict[str, str] = {**{key: key for key in value}, **names}
            return {correct[key]: copy(item, (*old, key), (*new, correct[key])) for key, item in value.items()}

        return replace(self, data=copy(self.data, (), ()), written_keys=written)

    def origin(self, path: Path) -> tuple[Document, Path]:
        """Return the document as it is written, and the path there."""
        return self.written, [self.written_keys.get(tuple(path[: at + 1]), step) for at, step in enumerate(path)]
