"""Documents with misspelled top-level keys, corrected so that the values below them are checked too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from promptpack.document import Document
from promptpack.document.model import Path

if TYPE_CHECKING:
    from promptpack import schema
    from promptpack.document.yaml_nodes import YamlNode


@dataclass(frozen=True)
class RekeyedDocument(Document):
    """A document with corrected keys; every value keeps its location."""

    written_keys: Mapping[str | int, str | int] = field(default_factory=dict)
    """The misspelled keys in the file, by their correct names."""

    def rekey(self, mismatches: Iterable[schema.Mismatch]) -> Self:
        """Rename each unknown key to the nearest known key, unless the document has that key too."""
        unknown = [found for found in mismatches if found.at_key and len(found.path) == 1]
        written = {found.expected: found.path[0] for found in unknown if found.expected not in (None, *self.data)}
        names = {key: name for name, key in written.items()}
        data = {names.get(key, key): value for key, value in self.data.items()}
        return replace(self, data=data, written_keys=written)

    def _walk(self, path: Path) -> YamlNode:
        return super()._walk([*(self.written_keys.get(step, step) for step in path[:1]), *path[1:]])
