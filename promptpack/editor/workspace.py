"""The `Workspace`: the packs that are open in an editor, with one library per folder and the last readable packs."""

import gc
import re
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from promptpack import files
from promptpack.document import normalize
from promptpack.editor.buffer import Buffer
from promptpack.flow import read_flow
from promptpack.library import Library
from promptpack.library.contents import LABELS
from promptpack.linter.checking import lint_flow, lint_labels, lint_library
from promptpack.linter.lint_report import Fix, LintReport
from promptpack.linter.lint_settings import LintSettings, find_settings
from promptpack.linter.quick_fixes import find_fixes
from promptpack.linter.result_cache import ResultCache
from promptpack.linter.subject import LintLibrary
from promptpack.problem import PackError, Problem

T = TypeVar("T")

# An editor caches the packs of this many folders, and the buffers of this many files.
_MAX_FOLDERS = 8
_MAX_FILES = 32
_LONG_TEXT = 100_000
_IS_FLOW = re.compile(r"^flow:", re.MULTILINE)
_IS_LABELS = re.compile(r"^labels:", re.MULTILINE)
_IS_PACK = re.compile(r"^promptpack:", re.MULTILINE)


class RecentValues(dict[str, T]):
    """Values by name; at most `limit` of them, the oldest are dropped first."""

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

    def __init__(self, root: str = "") -> None:
        """Open files of any folder, or only those below `root`."""
        self._root = root
        self._libraries: RecentValues[Library] = RecentValues(_MAX_FOLDERS)
        self._buffers: RecentValues[tuple[Library, Buffer]] = RecentValues(_MAX_FILES)
        self._caches: RecentValues[tuple[LintSettings, ResultCache]] = RecentValues(_MAX_FOLDERS)

    def report(self, path: str, text: str) -> LintReport:
        """Lint a file as it is typed; a file that is not a pack, flow or labels file has no problems."""
        root, wanted = self._find_root(path)
        folder = files.Folder(root)
        if self._is_flow(folder, path, text):
            return lint_flow(folder, self.library_of(root), find_settings(root), text)
        if self._is_labels(folder, path, text):
            return lint_labels(folder, self.library_of(root), find_settings(root), text)
        if not self.is_pack(text):
            return LintReport()
        settings = find_settings(root)
        return lint_library(self.open(path, text).packs, settings, wanted, self._cache(root, settings))

    def find_fixes(self, path: str, text: str, lines: range) -> list[tuple[Problem, Fix]]:
        """Return the fixes of the problems that start on some lines of a file as it is typed."""
        report = self.report(path, text)
        places = ((problem, problem.location) for problem in report.problems)
        here = [problem for problem, place in places if place and place.path == path and place.line in lines]
        found = [(problem, fix) for problem in here for fix in report.fixes.get(problem, ())]
        entries = self.open(path, text).library.entries if here else ()
        documents = [entry.document or entry.refused for entry in entries if entry.path == path]
        return [*found, *(fix for document in documents for fix in find_fixes(here, normalize(text), document))]

    def is_known(self, path: str, text: str) -> bool:
        """Return whether a file is a pack, a flow or labels."""
        folder = files.Folder(self._find_root(path)[0])
        return self.is_pack(text) or self._is_flow(folder, path, text) or self._is_labels(folder, path, text)

    @staticmethod
    def is_pack(text: str) -> bool:
        """Return whether a text has the key that makes it a pack."""
        return bool(_IS_PACK.search(text))

    def open(self, path: str, text: str) -> Buffer:
        """Return a buffer of a file as it is typed; while it is unreadable, with its last readable pack."""
        root = self._find_root(path)[0]
        base = self.library_of(root)
        last = self._buffers.get(path)
        if last is not None and last[0] is base and last[1].text == text:
            return last[1]
        packs = LintLibrary(base._with_text(path, text), self._cache(root, find_settings(root)).paragraphs)
        buffer = Buffer(path, text, packs, last[1].subject if last else None)
        entry = next(entry for entry in packs.entries if entry.path == path)
        with suppress(PackError):
            buffer = replace(buffer, subject=packs.load(entry))
        self._buffers[path] = base, buffer
        if len(text) > _LONG_TEXT:
            # A subject and its library refer to each other, and a second such pack would double the memory.
            gc.collect()
        return buffer

    def refresh(self) -> None:
        """Drop the cached libraries, so that files are read from disk again."""
        self._libraries.clear()

    def _cache(self, root: str, settings: LintSettings) -> ResultCache:
        """Return the cached lint results of a folder; changed settings start a new cache."""
        cached = self._caches.get(root)
        if cached is None or cached[0] != settings:
            cached = self._caches[root] = (settings, ResultCache())
        return cached[1]

    def _find_root(self, path: str) -> tuple[str, set[str]]:
        return (self._root, {path}) if self._root else files.find_root(path)

    @staticmethod
    def _is_flow(folder: files.Folder, path: str, text: str) -> bool:
        return folder.to_relative(path) == read_flow.FILE and bool(_IS_FLOW.search(text))

    @staticmethod
    def _is_labels(folder: files.Folder, path: str, text: str) -> bool:
        return folder.to_relative(path) == LABELS and bool(_IS_LABELS.search(text))

    def library_of(self, root: str) -> Library:
        """Return the packs of a folder as they are on disk, read once until something is saved."""
        if root not in self._libraries:
            self._libraries[root] = Library.open(root)
        return self._libraries[root]
