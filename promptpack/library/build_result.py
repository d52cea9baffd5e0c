"""The result of building the pack of one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptpack.lazy import cached_property
from promptpack.library.entry import Entry
from promptpack.problem import PackError, Problem

if TYPE_CHECKING:
    from promptpack.pack import Pack
    from promptpack.template import Source


@dataclass(frozen=True)
class BuildResult:
    """A pack, or problems; both if a reload keeps the last good pack of a file that is broken now."""

    found: Entry
    entry: Entry
    problems: tuple[Problem, ...] = ()
    build: Callable[[], Pack] | None = field(default=None, compare=False, repr=False)
    """Builds a pack without problems; None if the pack cannot be built."""
    reads: Mapping[str, bytes] = field(default_factory=dict)
    partials: Mapping[str, Source] = field(default_factory=dict)

    @cached_property
    def pack(self) -> Pack | None:
        """The pack, built on first use; None if it cannot be built."""
        return None if self.build is None else self.build()

    def is_current(self, entry: Entry, partials: Mapping[str, Source]) -> bool:
        """Return whether building the pack of an entry again would use the same files."""
        return self.found == entry and self.partials == partials and all(map(self._is_unchanged, self.reads))

    def _is_unchanged(self, file: str) -> bool:
        try:
            return self.found.folder.read(file) == self.reads[file]
        except PackError:
            return False
