"""Find releases that differ from the ones in git's HEAD: a release never changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from promptpack import files
from promptpack.problem import PackError, Problem, UsageError

if TYPE_CHECKING:
    from promptpack.library import Library
    from promptpack.library.entry import Entry
    from promptpack.sources.git import TreeFile

_SHA1_LENGTH = 40


def find_changed_releases(root: str) -> list[Problem]:
    """Return a problem for each release of a folder whose digest differs from the one in HEAD.

    There are none without git, or with a lock file, which the linter compares with the releases.
    """
    if files.Folder(root).is_occupied("packs.lock"):
        return []
    from promptpack.sources.git import Revision

    try:
        revision = Revision.find(root, "HEAD")
        stored = revision.list_files()
    except UsageError:
        return []
    changed = set(_find_changed(root, stored))
    if not changed:
        return []
    from promptpack.cache import Cache
    from promptpack.library import Library
    from promptpack.library.contents import read_contents

    then = Library(read_contents([revision.read(stored)], Cache()))
    return list(_compare(Library.open(root), then, changed, root))


def _compare(now: Library, then: Library, changed: set[str], root: str) -> Iterator[Problem]:
    from promptpack.library.building import ancestors

    releases = {(entry.name, entry.version, entry.locale): entry for entry in then.entries}
    has_shared = any(not path.endswith((".yaml", ".yml")) for path in changed)
    for entry in now.entries:
        old = releases.get((entry.name, entry.version, entry.locale))
        if old is None or entry.version is None or entry.version.is_draft or entry.document is None:
            continue
        lineage = {entry.file, old.file, *(parent.file for _, _, parent in ancestors(now, entry))}
        if (has_shared or not changed.isdisjoint(lineage)) and _differ(now, entry, then, old):
            yield _problem(entry, entry.file in changed, sorted(changed), root)


def _differ(now: Library, entry: Entry, then: Library, old: Entry) -> bool:
    try:
        return now._build_entry(entry).digest != then._build_entry(old).digest
    except PackError:
        return False  # lint reports the problems of a broken pack


def _problem(entry: Entry, is_own: bool, changed: list[str], root: str) -> Problem:
    message = f"{entry.name}@{entry.version} is a release, but differs from the one in HEAD"
    if is_own:
        move = f"promptpack bump {entry.name}@{entry.version} auto -p {root}"
        hint = f"to keep the change as a new version, run: {move}; to undo it, run: git checkout HEAD -- {entry.path}"
    else:
        hint = f"the change is in a file that it uses; to undo it, run: git checkout HEAD -- {root}/{changed[0]}"
    return Problem("PP728", message, entry.document.locate(("version",)) if entry.document else None, hint)


def _find_changed(root: str, stored: Iterable[TreeFile]) -> Iterator[str]:
    folder = files.Folder(root)
    for file in stored:
        if file.is_special:
            continue
        try:
            content = folder.read(file.path)
        except PackError:
            yield file.path
            continue
        make = hashlib.sha1 if len(file.id) == _SHA1_LENGTH else hashlib.sha256
        if make(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() != file.id:
            yield file.path
