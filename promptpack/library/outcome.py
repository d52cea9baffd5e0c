"""What building the pack of one file gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptpack.problem import PackError, Problem

if TYPE_CHECKING:
    from promptpack.library.entry import Entry
    from promptpack.pack import Pack
    from promptpack.template import Source


@dataclass(frozen=True)
class Outcome:
    """A pack, or problems; both, where the file as it was found is broken and the last good entry and pack are kept."""

    found: Entry
    entry: Entry
    pack: Pack | None
    problems: tuple[Problem, ...] = ()
    reads: Mapping[str, bytes] = field(default_factory=dict)
    partials: Mapping[str, Source] = field(default_factory=dict)

    def is_of(self, entry: Entry, partials: Mapping[str, Source]) -> bool:
        """Say whether this is still what building the pack of an entry would give, as far as its own files go."""
        return self.found == entry and self.partials == partials and all(map(self._is_unchanged, self.reads))

    def _is_unchanged(self, file: str) -> bool:
        try:
            return self.found.folder.read(file) == self.reads[file]
        except PackError:
            return False
