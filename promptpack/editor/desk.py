"""The `Desk`: the packs that an editor works on, one library a folder, and each file's last readable state."""

import re

from promptpack import files, flow
from promptpack.editor.buffer import Buffer
from promptpack.library import Library
from promptpack.linter import Report, Settings, find_settings, lint_flow, lint_library
from promptpack.linter.ledger import Ledger
from promptpack.linter.subject import Neighbours, Subject
from promptpack.problem import PackError

_IS_FLOW = re.compile(r"^flow:", re.MULTILINE)
_IS_PACK = re.compile(r"^promptpack:", re.MULTILINE)


class Desk:
    """Looks at files as they are typed; what lies on the disk is read once, until something was saved."""

    def __init__(self) -> None:
        self._libraries: dict[str, Library] = {}
        self._subjects: dict[str, Subject] = {}
        self._ledgers: dict[str, tuple[Settings, Ledger]] = {}

    def report(self, path: str, text: str) -> Report:
        """Lint a file as it is typed; a file that is neither a pack nor a flow has nothing wrong with it."""
        root, wanted = files.find_root(path)
        folder = files.Folder(root)
        if folder.to_relative(path) == flow.FILE and _IS_FLOW.search(text):
            return lint_flow(folder, self._open(root), find_settings(root), text)
        if not _IS_PACK.search(text):
            return Report()
        settings = find_settings(root)
        return lint_library(self._library(root, path, text), settings, wanted, self._ledger(root, settings))

    def open(self, path: str, text: str) -> Buffer:
        """Make a buffer of a file as it is typed; while it cannot be read, its last readable state is known."""
        library = self._library(files.find_root(path)[0], path, text)
        entry = next(entry for entry in library.entries if entry.shown == path)
        try:
            self._subjects[path] = Neighbours(library).subject_of(entry)
        except PackError:
            return Buffer(path, text, library, self._subjects.get(path))
        return Buffer(path, text, library, self._subjects[path])

    def refresh(self) -> None:
        """Read the disk again when something is asked next."""
        self._libraries.clear()

    def _ledger(self, root: str, settings: Settings) -> Ledger:
        """Give what is known of the packs of a folder, as long as the settings stay the same."""
        known = self._ledgers.get(root)
        if known is None or known[0] != settings:
            known = self._ledgers[root] = (settings, Ledger())
        return known[1]

    def _library(self, root: str, path: str, text: str) -> Library:
        return self._open(root).with_text(path, text)

    def _open(self, root: str) -> Library:
        if root not in self._libraries:
            self._libraries[root] = Library.open(root)
        return self._libraries[root]
