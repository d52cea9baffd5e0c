"""Cached lint results, one per pack file: a pack is linted again only when one of its dependencies has changed.

A pack depends on its own file and its other locales, on the files that they extend and reference, on the partials and
the flow of its folder, and on other packs that contain the same paragraphs. Only packs that can be built are cached.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from promptpack import files
from promptpack.cache import Cache
from promptpack.library.entry import Entry
from promptpack.linter.ignores import SharedIgnores
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings
from promptpack.linter.subject import LintLibrary
from promptpack.linter.tool_names import find_flow_pool


@dataclass(frozen=True, slots=True)
class LintResult:
    """The result of linting one file: its report, and the ignores in files that it shares with other packs."""

    report: LintReport
    ignores: SharedIgnores


class ResultCache:
    """The lint results of a folder's packs, by file; in memory only unless a `Cache` is given."""

    def __init__(self, cache: Cache | None = None, *name: str) -> None:
        self._cache, self._name = cache or Cache(), name
        stored = self._cache.get(*name) or {"rows": {}, "paragraphs": {}}
        self._rows: dict[str, Any] = stored["rows"]
        self.paragraphs: dict[str, list[str]] = stored["paragraphs"]
        """The digests of the long paragraphs in each file, by the digest of the file."""
        self._is_changed = False
        self.dependencies: list[dict[str, Any]] = []
        """The dependencies of all results of this run."""
        self.is_complete: bool = True
        """Whether all results of this run can be cached."""

    @classmethod
    def open(cls, cache: Cache, root: str, settings: LintSettings) -> "ResultCache":
        """Open the cached results of a folder for these settings."""
        # Reported paths are relative to the working directory, so the path as the user wrote it is part of the key.
        key = json.dumps([root, asdict(settings)], sort_keys=True)
        return cls(cache, "packs", files.Folder(root).real_root, hashlib.sha256(key.encode()).hexdigest())

    def get(self, entry: Entry, library: LintLibrary) -> LintResult | None:
        """Return the cached result of a file, or None when a dependency has changed."""
        row = self._rows.get(entry.file)
        if row is None or row["digest"] != _digest(entry, library):
            return None
        if not all(_is_current(dependencies, entry, library) for dependencies in row["dependencies"]):
            return None
        self.dependencies += row["dependencies"]
        return LintResult(LintReport.from_data(row["report"]), SharedIgnores.from_data(row["ignores"]))

    def put(self, entry: Entry, library: LintLibrary, result: LintResult) -> None:
        """Cache the result of a file with its dependencies, unless one of its locales is broken."""
        self._is_changed = True
        self._rows.pop(entry.file, None)
        locales = library.locales(entry)
        if not all(map(library.is_valid, locales)):
            self.is_complete = False
            return
        dependencies = [_dependencies(locale, library) for locale in locales]
        self.dependencies += dependencies
        self._rows[entry.file] = {
            "digest": _digest(entry, library),
            "dependencies": dependencies,
            "report": result.report.to_data(),
            "ignores": result.ignores.to_data(),
        }

    def save(self, entries: Iterable[Entry]) -> None:
        """Write the results to the cache, without those of files that no longer exist."""
        if not self._is_changed:
            return
        digest_by_file = {entry.file: entry.digest for entry in entries}
        digests = set(digest_by_file.values())
        self._rows = {file: row for file, row in self._rows.items() if file in digest_by_file}
        self.paragraphs = {digest: found for digest, found in self.paragraphs.items() if digest in digests}
        self._cache.put({"rows": self._rows, "paragraphs": self.paragraphs}, *self._name)
        self._is_changed = False


def _digest(entry: Entry, library: LintLibrary) -> str:
    """Return a digest of the partials, the tools of the flow, the locales of the pack, and its repeated paragraphs."""
    pool = find_flow_pool(entry.name, library)
    inputs = [
        library.digest_of_partials(entry.folder),
        [sorted(pool.names), pool.where] if pool else [],
        [[locale.file, locale.digest, bool(locale.problems)] for locale in library.locales(entry)],
        [library.paragraph_index.in_other_packs(entry.name, digest) for digest in library.paragraphs_of(entry)],
    ]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def _dependencies(entry: Entry, library: LintLibrary) -> dict[str, Any]:
    """Return the other files that a pack is built from, with their digests."""
    folder = library.recorded_folder(entry)
    return {
        "extends": [
            [request, locale, parent.path, parent.digest] for request, locale, parent in library.ancestors(entry)
        ],
        "reads": folder.digests,
        "absent": sorted(folder.absent),
    }


def _is_current(dependencies: dict[str, Any], entry: Entry, library: LintLibrary) -> bool:
    rows = dependencies["extends"]
    parents = library.follow((request, locale) for request, locale, _, _ in rows)
    if parents is None or [[parent.path, parent.digest] for parent in parents] != [row[2:] for row in rows]:
        return False
    return entry.folder.record().is_unchanged(dependencies["reads"], dependencies["absent"])
