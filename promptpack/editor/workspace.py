"""The `Workspace`: the packs that are open in an editor, with one library per folder and the last readable packs."""

import re
from typing import TypeVar

from promptpack import files, flow
from promptpack.editor.buffer import Buffer
from promptpack.library import Library
from promptpack.linter.checking import lint_flow, lint_library
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings, find_settings
from promptpack.linter.result_cache import ResultCache
from promptpack.linter.subject import LintLibrary, Subject
from promptpack.problem import PackError

T = TypeVar("T")

# An editor keeps the packs of so many folders, and the last readable packs of so many files.
_MAX_FOLDERS = 8
_MAX_FILES = 32
_IS_FLOW = re.compile(r"^flow:", re.MULTILINE)
_IS_PACK = re.compile(r"^promptpack:", re.MULTILINE)


class Recent(dict[str, T]):
    """Values by name; the oldest make room for new ones."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, name: str, value: T) -> None:
        self.pop(name, None)
        super().__setitem__(name, value)
        if len(self) > self._limit:
            del self[next(iter(self))]


class Workspace:
    """Lints and opens files as they are typed; files on disk are cached until something is saved."""

    def __init__(self) -> None:
        self._libraries: Recent[Library] = Recent(_MAX_FOLDERS)
        self._subjects: Recent[Subject] = Recent(_MAX_FILES)
        self._caches: Recent[tuple[LintSettings, ResultCache]] = Recent(_MAX_FOLDERS)

    def report(self, path: str, text: str) -> LintReport:
        """Lint a file as it is typed; a file that is neither a pack nor a flow has no problems."""
        root, wanted = files.find_root(path)
        folder = files.Folder(root)
        if folder.to_relative(path) == flow.FILE and _IS_FLOW.search(text):
            return lint_flow(folder, self._open(root), find_settings(root), text)
        if not _IS_PACK.search(text):
            return LintReport()
        settings = find_settings(root)
        return lint_library(self._library(root, path, text), settings, wanted, self._cache(root, settings))

    def open(self, path: str, text: str) -> Buffer:
        """Return a buffer of a file as it is typed; while it is unreadable, with its last readable pack."""
        library = self._library(files.find_root(path)[0], path, text)
        entry = next(entry for entry in library.entries if entry.path == path)
        try:
            subject = self._subjects[path] = LintLibrary(library).load(entry)
        except PackError:
            return Buffer(path, text, library, self._subjects.get(path))
        return Buffer(path, text, library, subject)

    def refresh(self) -> None:
        """Drop the cached libraries, so that files are read from disk again."""
        self._libraries.clear()

    def _cache(self, root: str, settings: LintSettings) -> ResultCache:
        """Return the cached lint results of a folder; changed settings start a new cache."""
        cached = self._caches.get(root)
        if cached is None or cached[0] != settings:
            cached = self._caches[root] = (settings, ResultCache())
        return cached[1]

    def _library(self, root: str, path: str, text: str) -> Library:
        return self._open(root).with_text(path, text)

    def _open(self, root: str) -> Library:
        if root not in self._libraries:
            self._libraries[root] = Library.open(root)
        return self._libraries[root]
