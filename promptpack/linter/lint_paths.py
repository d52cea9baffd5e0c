"""Paths -> `LintReport`: from the cache, until a file, a setting or the code changes, or by checking the packs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from promptpack import files
from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.linter.lint_report import LintReport
from promptpack.linter.lint_settings import LintSettings, find_settings
from promptpack.problem import PackError, Problem
from promptpack.sources.opening import open_folder

if TYPE_CHECKING:
    from promptpack.library import Library
    from promptpack.linter.result_cache import ResultCache


def lint(
    paths: str | Iterable[str],
    settings: LintSettings | None = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    cache: str | bool | None = None,
    track: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> LintReport:
    """Lint folders of packs and single pack files; a file is linted together with the packs of its root folder.

    `paths` are the folders and files, or one of them. Without `settings`, the nearest `promptpack.toml` or
    `pyproject.toml` applies; `select` and `ignore` override either. Results are cached until a dependency of the pack
    changes: `cache` is the folder for them, or False for none. `track` iterates over the pack files of a folder, and
    may show the progress.
    """
    stored = Cache.open(cache)

    def lint_root(root: str, wanted: Collection[str]) -> LintReport:
        chosen = (settings or find_settings(root)).narrowed(select, ignore)
        folder = open_folder(root, stored)

        def compute() -> tuple[LintReport, ResultCache]:
            from promptpack.library import Library
            from promptpack.library.contents import read_contents
            from promptpack.linter.checking import lint_library
            from promptpack.linter.result_cache import ResultCache
            from promptpack.linter.subject import LintLibrary

            results = ResultCache.open(stored, root, chosen)
            library = Library(read_contents([folder], stored), None, stored)
            packs = LintLibrary(library, results.paragraphs)
            report = lint_library(packs, chosen, wanted, results, track)
            found = _compare_with_lock(library, folder)
            changed = tuple(one for one in found if not wanted or (one.location and one.location.path in wanted))
            return LintReport.join([report, LintReport(problems=changed)]), results

        return _get_or_compute(stored, folder, chosen, wanted, compute)

    return LintReport.join(lint_root(root, wanted) for root, wanted in files.group_by_root(paths).items())


def _compare_with_lock(library: Library, folder: Folder) -> Iterator[Problem]:
    """Yield the releases of a folder that differ from its lock file, or the problems of this file."""
    from promptpack.library.locking import find_changes, find_missing

    try:
        lock = library._locks.get(folder.root)
    except PackError as error:
        yield from error.problems
        return
    if lock is not None:
        yield from find_changes(library, folder, lock)
        yield from find_missing(library, folder, lock)


def lint_text(path: str, text: str, settings: LintSettings | None = None) -> LintReport:
    """Lint a file as if it contained `text`, such as an editor's unsaved buffer.

    `path` need not exist. Without `settings`, the nearest `promptpack.toml` or `pyproject.toml` applies.
    """
    from promptpack.library import Library
    from promptpack.linter.checking import lint_library
    from promptpack.linter.subject import LintLibrary

    root, wanted = files.find_root(path)
    packs = LintLibrary(Library.open(root)._with_text(path, text))
    return lint_library(packs, settings or find_settings(root), wanted)


def _get_or_compute(
    cache: Cache,
    place: Folder,
    settings: LintSettings,
    wanted: Collection[str],
    compute: Callable[[], tuple[LintReport, ResultCache]],
) -> LintReport:
    """Return the cached report of a folder, or compute and cache it, unless a pack in it is broken.

    Rules may read every pack of the library, so a report depends on every file of the folder.
    """
    if not cache.is_on:
        return compute()[0]
    folder = place.record()
    visible = set(folder.find(""))
    name = ("lint", _digest(folder, visible, settings, wanted))
    stored = cache.get(*name)
    if stored is not None and folder.is_unchanged(stored["reads"], stored["absent"]):
        return LintReport.from_data(stored["report"])
    report, results = compute()
    if results.is_complete:
        # References may lead to hidden files, and to `schemas` next to the folder.
        reads = {file: digest for one in results.dependencies for file, digest in one["reads"].items()}
        absent = sorted({file for one in results.dependencies for file in one["absent"]})
        hidden = {file: digest for file, digest in reads.items() if file not in visible}
        cache.put({"report": report.to_data(), "reads": hidden, "absent": absent}, *name)
        cache.shrink()
    return report


def _digest(folder: Folder, files: Collection[str], settings: LintSettings, wanted: Collection[str]) -> str:
    # Reported paths are relative to the working directory, so the path as the user wrote it is part of the key.
    key = json.dumps([folder.root, sorted(wanted), asdict(settings)], sort_keys=True)
    digest = hashlib.sha256(key.encode())
    for file in sorted(files):
        digest.update(f"\0{file}\0".encode("utf-8", "surrogateescape"))
        digest.update(_content_digest(folder, file))
    return digest.hexdigest()


def _content_digest(folder: Folder, file: str) -> bytes:
    try:
        return hashlib.sha256(folder.read(file)).digest()
    except PackError as error:
        return str(error).encode("utf-8", "surrogateescape")
