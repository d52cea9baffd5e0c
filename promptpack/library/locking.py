"""Compare the packs of a library with its lock files, and make new lock files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from promptpack.files import SIBLING, Folder, shipped
from promptpack.library.building import ancestors
from promptpack.library.contents import LABELS, LOCK
from promptpack.library.entry import Entry
from promptpack.library.labels import find_problems
from promptpack.library.lock import Lock, LockedFile, LockKey, key_of, write_lock
from promptpack.library.pinned_sources import find_unlocked
from promptpack.pack.building import TESTS
from promptpack.pack.digest import RENDERING_RULES
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.sources.memory_folder import MemoryFolder

if TYPE_CHECKING:
    from promptpack.library.library import Library


def renew_lock(library: Library, folder: Folder, update: Iterable[str] = (), *, rendering: bool = False) -> str:
    """Return the new text of a folder's lock file; raise the problems of locked releases that changed.

    `update` names releases that may have changed, and `rendering` accepts the rendering rules of this version.
    """
    last, kept = library._locks.get(folder.root), None
    if last is not None:
        kept = last.without(update)
        _check_requests(library, last, update)
        library = with_lock(library, folder, kept)
        _refuse_changes(library, folder, kept, rendering)
    return write_lock(make_lock(library, folder, kept))


def _check_requests(library: Library, lock: Lock, update: Iterable[str]) -> None:
    """Refuse a request that names no locked release: it is probably misspelled."""
    for request in update:
        if lock.without([request]) == lock:
            library.select(request)  # raises the problem that no pack matches, with a hint
            raise UsageError(Problem("PP933", f"{request!r} is not locked yet", None, "run it without --update"))


def _refuse_changes(library: Library, folder: Folder, lock: Lock, rendering: bool) -> None:
    found = [*find_changes(library, folder, lock), *find_missing(library, folder, lock)]
    refused = [problem for problem in found if not (rendering and problem.code == "PP756")]
    if refused:
        hint = "nothing was written; undo the changes, or name what may change with --update"
        raise PackError([*refused, Problem("PP933", f"{len(refused)} locked release(s) differ", None, hint)])


def make_lock(library: Library, folder: Folder, last: Lock | None = None) -> Lock:
    """Return the lock of a folder as its packs are now; raise the problems of its labels and broken releases."""
    wrong_labels = find_problems(library._contents, library.entries).get(folder.show(LABELS))
    if wrong_labels:
        raise PackError(wrong_labels)
    problems: dict[Problem, None] = {}
    packs: dict[LockKey, LockedFile] = {}
    for entry in _releases(library, folder):
        try:
            packs[key_of(entry)] = _lock_entry(library, entry)
        except PackError as error:
            problems.update(dict.fromkeys(error.problems))
    if problems:
        hint = "fix it first; nothing was written"
        raise PackError([*problems, Problem("PP932", "a broken release cannot be locked", None, hint)])
    opened = [one for one in library.folders if isinstance(one, MemoryFolder)]
    sources = {**(last.sources if last else {}), **{one.source: f"sha256:{one.source_digest}" for one in opened}}
    return Lock(packs, _labels_of(library, folder), RENDERING_RULES, sources)


def _labels_of(library: Library, folder: Folder) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for label in sorted(library._labels, key=lambda one: (one.pack, one.name)):
        if folder.to_relative(label.document.path) == LABELS:
            target = label.target if isinstance(label.target, str) else dict(sorted(label.target.items()))
            found.setdefault(label.pack, {})[label.name] = target
    return found


def find_differences(library: Library, folder: Folder) -> Iterator[Problem]:
    """Yield each difference between a folder and its lock file: what changed, and what to run."""
    lock = library._locks.get(folder.root)
    if isinstance(folder, MemoryFolder):
        yield from find_unlocked(folder)
        if lock is None:
            return  # its digest is that of all its releases
    if lock is None:
        hint = f"run: promptpack lock {folder.root}"
        yield Problem("PP758", f"there is no {folder.show(LOCK)}", Location(folder.show(LOCK)), hint)
        return
    yield from find_changes(library, folder, lock)
    for entry in _releases(library, folder):
        if key_of(entry) not in lock.packs:
            message = f"{_show(key_of(entry))} is not locked"
            yield Problem("PP754", message, _place(entry), f"run: promptpack lock {folder.root}")
    yield from find_missing(library, folder, lock)
    yield from _compare_labels(library, folder, lock)


def freeze(library: Library) -> None:
    """Freeze a library; raise every problem of it and every difference from its lock files."""
    problems = library.problems or [one for folder in library.folders for one in find_differences(library, folder)]
    if problems:
        raise PackError(problems)
    library._is_frozen = True


def with_lock(library: Library, folder: Folder, lock: Lock) -> Library:
    """Return a library in which a folder has another lock."""
    from promptpack.library.library import Library

    changed = Library(library._contents, library._limits)
    changed.__dict__["_locks"] = {**library._locks, folder.root: lock}
    return changed


def find_missing(library: Library, folder: Folder, lock: Lock) -> Iterator[Problem]:
    """Yield the locked releases whose files are gone."""
    present = {key_of(entry) for entry in _releases(library, folder)}
    for key in lock.packs:
        if key not in present:
            hint = f"restore its file, or run: promptpack lock {folder.root} --update {key[0]}"
            yield Problem("PP755", f"{_show(key)} is locked, but missing", lock.locate("packs", *key), hint)


def find_changes(library: Library, folder: Folder, lock: Lock) -> Iterator[Problem]:
    """Yield the locked releases that changed, and changed rendering rules."""
    if lock.rendering != RENDERING_RULES:
        message = (
            f"the packs were locked with rendering rules {lock.rendering}, but this version uses {RENDERING_RULES}"
        )
        hint = f"compare the prompts, then run: promptpack lock {folder.root} --rendering"
        yield Problem("PP756", message, lock.locate("rendering"), hint)
    for entry in _releases(library, folder):
        locked = lock.packs.get(key_of(entry))
        try:
            now = None if locked is None else _lock_entry(library, entry)
        except PackError:
            continue  # the problems of a broken pack are reported as such
        if now is not None and locked is not None and now != locked:
            yield _changed(entry, now, locked, folder)


_ONLY_FILE: Final = "its file changed: a comment, a description or a test"


def _changed(entry: Entry, now: LockedFile, locked: LockedFile, folder: Folder) -> Problem:
    reason = _explain(now, locked)
    update = f"promptpack lock {folder.root} --update {key_of(entry)[0]}"
    message = f"{_show(key_of(entry))} is a locked release, but {reason}"
    level = "patch" if reason == _ONLY_FILE else "auto"  # `auto` does not move changes that affect no prompt
    move = f"promptpack bump {key_of(entry)[0]} {level} -p {folder.root}"
    keep = f"to move the change to a new version, run: {move}" if now.content != locked.content else "undo the change"
    hint = f"{keep}; to change the release itself, run: {update}"
    return Problem("PP753", message, _place(entry), hint)


def _explain(now: LockedFile, locked: LockedFile) -> str:
    """Return which part of a release changed."""
    if now.content != locked.content:
        is_same = (now.digest, now.parents, now.files) == (locked.digest, locked.parents, locked.files)
        return _ONLY_FILE if is_same else "its content changed"
    if list(now.parents) != list(locked.parents):
        return f"it extends {', '.join(now.parents) or 'nothing'}, not {', '.join(locked.parents) or 'nothing'}"
    parents = [name for name in now.parents if now.parents[name] != locked.parents[name]]
    if parents:
        return f"its parent {parents[0]} changed"
    files = [file for file in {**now.files, **locked.files} if now.files.get(file) != locked.files.get(file)]
    return f"the schema file {files[0]} changed" if files else "a partial that it includes changed, or packs.lock did"


def _compare_labels(library: Library, folder: Folder, lock: Lock) -> Iterator[Problem]:
    now = _labels_of(library, folder)
    for pack in sorted({*now, *lock.labels}):
        for name in sorted({*now.get(pack, {}), *lock.labels.get(pack, {})}):
            new, old = now.get(pack, {}).get(name), lock.labels.get(pack, {}).get(name)
            if new != old:
                message = f"label {pack}@{name} names {_target(new)}, and {_target(old)} when it was locked"
                place = lock.locate("labels", pack, name) or Location(folder.show(LOCK))
                yield Problem("PP757", message, place, f"run: promptpack lock {folder.root}")


def _target(target: object) -> str:
    if isinstance(target, Mapping):
        return " ".join(f"{version}={weight}" for version, weight in target.items())
    return "nothing" if target is None else str(target)


def _releases(library: Library, folder: Folder) -> Iterator[Entry]:
    for entry in library.entries:
        if entry.folder == folder and entry.version is not None and not entry.version.is_draft:
            yield entry


def _lock_entry(library: Library, entry: Entry) -> LockedFile:
    pack = library._build_entry(entry)
    reads = library._result(entry).reads
    schema_files = sorted(file for file in reads if not file.endswith(TESTS) and not _is_shipped(file, reads[file]))
    return LockedFile(
        pack.digest,
        f"sha256:{entry.digest}",
        {f"{one.name}@{one.version}": f"sha256:{one.digest}" for _, _, one in ancestors(library, entry)},
        {file: f"sha256:{hashlib.sha256(reads[file]).hexdigest()}" for file in schema_files},
    )


def _is_shipped(file: str, content: bytes) -> bool:
    """Return whether a file next to the packs is a copy of a shipped schema, so that copied packs keep their lock."""
    name, schemas = file.removeprefix(SIBLING), shipped("schemas")
    return name != file and schemas.exists(name) and schemas.read(name) == content


def _place(entry: Entry) -> Location:
    document = entry.document or entry.refused
    return document.locate(("version",)) if document else Location(entry.path)


def _show(key: LockKey) -> str:
    return key[0] + (f" ({key[1]})" if key[1] != "default" else "")
