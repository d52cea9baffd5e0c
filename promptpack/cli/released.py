"""Find releases that differ from the ones in git's HEAD: a release never changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from promptpack import files
from promptpack.problem import PackError, Problem

if TYPE_CHECKING:
    from promptpack.library import Library
    from promptpack.library.entry import Entry

_SHA1_LENGTH = 40
_SECONDS = 30


def find_changed_releases(root: str) -> list[Problem]:
    """Return a problem for each release of a folder whose digest differs from the one in HEAD.

    Without git, or outside a repository, there are none.
    """
    stored = {folder: _list_files(folder) for folder in (root, f"{root}/{files.SIBLING}")}
    changed = {path for folder, blobs in stored.items() for path in _find_changed(folder, blobs)}
    if not changed:
        return []
    from tempfile import TemporaryDirectory

    from promptpack.library import Library

    with TemporaryDirectory() as scratch:
        for folder, blobs in stored.items():
            _write_files(folder, blobs, f"{scratch}/{'packs' if folder == root else 'schemas'}")
        return list(_compare(Library.open(root), Library.open(f"{scratch}/packs"), changed, root))


def _compare(now: Library, then: Library, changed: set[str], root: str) -> Iterator[Problem]:
    releases = {(entry.name, entry.version, entry.locale): entry for entry in then.entries}
    has_shared = any(not path.endswith((".yaml", ".yml")) for path in changed)
    for entry in now.entries:
        old = releases.get((entry.name, entry.version, entry.locale))
        if old is None or entry.version is None or entry.version.is_draft or entry.document is None:
            continue
        lineage = {entry.file, old.file, *(parent.file for _, _, parent in now._ancestors(entry))}
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
        draft = entry.version.next_draft if entry.version else ""
        copy = entry.path.replace(str(entry.version), str(draft))
        move = f"cp {entry.path} {copy}, set 'version: {draft}' there, and " if copy != entry.path else ""
        hint = f"to keep the change as a draft: {move}run: git checkout HEAD -- {entry.path}"
    else:
        hint = f"the change is in a file that it uses; to undo it, run: git checkout HEAD -- {root}/{changed[0]}"
    return Problem("PP728", message, entry.document.locate(("version",)) if entry.document else None, hint)


def _list_files(folder: str) -> Mapping[str, str]:
    """Return the ids of the files of a folder in HEAD, by path; empty outside a repository."""
    listed = _git(folder, "ls-tree", "-r", "-z", "HEAD", "--", ".")
    rows = (row.split("\t", 1) for row in listed.decode("utf-8", "surrogateescape").split("\0") if "\t" in row)
    return {path: facts.split()[2] for facts, path in rows if facts.split()[0] != "120000"}


def _find_changed(folder: str, blobs: Mapping[str, str]) -> Iterator[str]:
    for path, blob in blobs.items():
        try:
            content = files.Folder(folder).read(path)
        except PackError:
            yield path
            continue
        make = hashlib.sha1 if len(blob) == _SHA1_LENGTH else hashlib.sha256
        if make(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() != blob:
            yield path


def _write_files(folder: str, blobs: Mapping[str, str], target: str) -> None:
    os.makedirs(target, exist_ok=True)
    output = _git(folder, "cat-file", "--batch", given="\n".join(blobs.values()).encode()) if blobs else b""
    position = 0
    for path in blobs:
        header, position = output[position : output.index(b"\n", position)], output.index(b"\n", position) + 1
        size = int(header.split()[2])
        os.makedirs(os.path.dirname(f"{target}/{path}"), exist_ok=True)
        with open(f"{target}/{path}", "wb") as file:
            file.write(output[position : position + size])
        position += size + 1


def _git(folder: str, *words: str, given: bytes = b"") -> bytes:
    """Return the output of a plumbing command, which runs no program of the repository; empty if it fails."""
    import subprocess

    command = ["git", "--no-optional-locks", *words]
    # A hook gets variables that are relative to another folder.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(  # noqa: S603 -- fixed words and ids
            command, cwd=folder, env=env, input=given, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return done.stdout if done.returncode == 0 else b""
