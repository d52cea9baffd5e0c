"""The `FilePlan`: ordered writes and removals that may stop at any point, and continue when they are planned again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from promptpack import files
from promptpack.files import Folder
from promptpack.library import Library
from promptpack.library.contents import LOCK, replace_text
from promptpack.pack.building import TESTS
from promptpack.problem import Location, PackError, Problem, UsageError

_UNREADABLE = "\0"


class FilePlan(NamedTuple):
    """Files of a folder to write in this order, then files to remove.

    A file of `restored`, and the lock, may have another content before.
    """

    folder: Folder
    writes: Mapping[str, str]
    removes: tuple[str, ...] = ()
    restored: frozenset[str] = frozenset()
    before: Mapping[str, bytes | None] = {}
    """What the files contained when the plan was made; None if they were missing."""

    def pending(self) -> FilePlan:
        """Return the part of the plan that is left; refuse to write a file that exists with another content."""
        states = {path: self._state(path) for path in self.writes}
        mine = {*self.restored, LOCK}
        present = [path for path, state in states.items() if state is not None and path not in mine]
        refused = [path for path in present if states[path] != self.writes[path]]
        if refused:
            hint = "nothing was written; delete it if you do not need it, or name another version to start from"
            raise UsageError(
                Problem("PP936", "already exists with different content", Location(self.folder.show(path)), hint)
                for path in refused
            )
        writes = {path: text for path, text in self.writes.items() if states[path] != text}
        known = {path: states[path] for path in writes if states[path] != _UNREADABLE}
        before = {path: None if text is None else text.encode() for path, text in known.items()}
        return self._replace(writes=writes, before=before, removes=tuple(filter(self.folder.is_occupied, self.removes)))

    def apply(self) -> None:
        """Write and remove the files; each one atomically, and none unless all can be prepared."""
        self.folder.write(self.writes, self.before)
        for path in self.removes:
            files.remove(self.folder.show(path))

    def preview(self, library: Library) -> Library:
        """Return a library as it would be afterwards."""
        contents = library._contents
        for path, text in self.writes.items():
            if path.endswith((".yaml", ".yml")) and not path.endswith(TESTS) and path != LOCK:
                contents = replace_text(contents, self.folder.show(path), text)
        removed = set(self.removes)
        kept = tuple(one for one in contents.entries if one.folder != self.folder or one.file not in removed)
        return Library(contents._replace(entries=kept), library._limits)

    def _state(self, path: str) -> str | None:
        """Return the text of a file; None if nothing has this path, and an impossible text for anything else."""
        if not self.folder.is_occupied(path):
            return None
        try:
            return self.folder.read(path).decode()
        except (PackError, UnicodeDecodeError):
            return _UNREADABLE
