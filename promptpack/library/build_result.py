"""Build the pack of a file, or find in the cache that it builds without problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptpack.files import Folder, RecordingFolder
from promptpack.library.build_cache import Lineage, find_clean, store_clean
from promptpack.library.entry import BuildResult, Entry
from promptpack.library.parents import ancestors, follow
from promptpack.pack import building
from promptpack.pack.model import Pack
from promptpack.problem import PackError

if TYPE_CHECKING:
    from promptpack.library.library import Library


def try_build(library: Library, entry: Entry) -> BuildResult:
    """Return the pack of a file, or its problems."""
    if entry.load is None or entry.problems:
        return BuildResult(entry, entry, entry.problems)
    partials = library._contents.partials[entry.folder.root]
    cache = library._cache
    shared = library._digest_of_shared(entry.folder) if cache.is_on else ""
    if cache.is_on:
        clean = find_clean(cache, entry, shared, lambda rows: _is_current(library, rows))
        if clean is not None:
            return _restore(library, entry, *clean)
    folder = entry.folder.record()
    try:
        built = _build(library, entry, folder)
    except PackError as error:
        return BuildResult(entry, entry, error.problems, None, folder.reads, partials)
    lineage = tuple(ancestors(library, entry))
    if cache.is_on:
        rows = [[reference, locale, parent.digest] for reference, locale, parent in lineage]
        store_clean(cache, entry, rows, shared, folder)
    parents = tuple(parent for _, _, parent in lineage)
    return BuildResult(entry, entry, (), lambda: built, folder.reads, partials, parents)


def _restore(library: Library, entry: Entry, folder: RecordingFolder, rows: Lineage) -> BuildResult:
    """Return the result of an entry that builds without problems, as the cache says."""
    partials = library._contents.partials[entry.folder.root]
    parents = follow(library, ((reference, locale) for reference, locale, _ in rows)) or ()
    return BuildResult(entry, entry, (), lambda: _build(library, entry, folder), folder.reads, partials, tuple(parents))


def _is_current(library: Library, rows: Lineage) -> bool:
    parents = follow(library, ((reference, locale) for reference, locale, _ in rows))
    return parents is not None and [parent.digest for parent in parents] == [row[2] for row in rows]


def _build(library: Library, entry: Entry, folder: Folder) -> Pack:
    assert entry.document is not None  # noqa: S101 -- the caller checks `load`
    return building.build(entry.document, library._build_context(entry, (), folder))
