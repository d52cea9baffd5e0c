"""Documents whose misspelt keys at the top are taken for what was meant, so that what stands below is checked too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from promptpack.document import Document

if TYPE_CHECKING:
    from promptpack import schema
    from promptpack.document.model import Path
    from promptpack.document.yaml_nodes import YamlNode


@dataclass(frozen=True)
class Respelt(Document):
    """A document under its right keys; everything keeps its place."""

    misspelt: Mapping[str | int, str | int] = field(default_factory=dict)
    """By their right names, the keys of the file that were meant for them."""

    def respell(self, findings: Iterable[schema.Mismatch]) -> Self:
        """Take keys that the schema does not know for those it thinks of, where those are not there."""
        unknown = [finding for finding in findings if finding.at_key and len(finding.path) == 1]
        meant = {finding.expected: finding.path[0] for finding in unknown if finding.expected not in (None, *self.data)}
        names = {key: name for name, key in meant.items()}
        return replace(self, data={names.get(key, key): value for key, value in self.data.items()}, misspelt=meant)

    def _walk(self, path: Path) -> YamlNode:
        return super()._walk([*(self.misspelt.get(step, step) for step in path[:1]), *path[1:]])
