"""`packs.lock` -> `Lock`: the digests of released packs, and the exact versions of their parents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from promptpack import schema
from promptpack.cache import Cache
from promptpack.document import Document, parse_cached
from promptpack.document.model import DocumentLimits
from promptpack.files import Folder
from promptpack.library.choosing import parse_reference
from promptpack.library.contents import LOCK, Contents
from promptpack.library.entry import Entry
from promptpack.pack.digest import RENDERING_RULES
from promptpack.pack.pack_schema import find_mismatches, read_shipped
from promptpack.pack.version import parse_version
from promptpack.problem import Location, PackError, Problem, UsageError

_FORMAT: Final = 1
_LIMITS: Final = DocumentLimits(nodes=200_000)
_HEADER: Final = "# The releases of this folder. Written by 'promptpack lock'; do not edit.\n"
_CONFLICTS: Final = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
_END: Final = "...\n"
"""The last line: without it, the rest of the file is missing."""
_DEFAULT: Final = "default"
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9@./-]*\Z")


class LockedFile(NamedTuple):
    """One file of a release: the digests of its pack, of the file, of its parents and of its schema files."""

    digest: str
    content: str
    parents: Mapping[str, str] = {}
    files: Mapping[str, str] = {}

    @property
    def parent(self) -> str:
        """The pack that it extends, as name@version; empty if there is none."""
        return next(iter(self.parents), "")


LockKey = tuple[str, str]
"""A pack as `name@version`, and the locale."""


class Lock(NamedTuple):
    """The locked releases of one folder."""

    packs: Mapping[LockKey, LockedFile]
    labels: Mapping[str, Any]
    rendering: int = RENDERING_RULES
    sources: Mapping[str, str] = {}
    document: Document | None = None

    def locate(self, *path: str) -> Location | None:
        """Return where the lock file has a value."""
        return self.document.locate_key(path) if self.document and path else None

    def pin(self, entry: Entry, extends: str) -> str:
        """Return the value of `extends` of a file: the locked version, if the file may still extend it."""
        locked = self.packs.get(key_of(entry))
        if locked is None or not locked.parent:
            return extends
        try:
            reference = parse_reference(extends)
        except UsageError:
            return extends  # reported where it is resolved
        name, _, text = locked.parent.partition("@")
        version = parse_version(text)
        is_possible = version is not None and (reference.label != "" or reference.accepts(version))
        return locked.parent if name == reference.name and is_possible else extends

    def has(self, name: str, version: object) -> bool:
        """Return whether a release is locked, in any locale."""
        return any(one == f"{name}@{version}" for one, _ in self.packs)

    def without(self, requests: Iterable[str]) -> Lock:
        """Return the lock without sources, and without packs that are requested as `name` or `name@version`."""
        wanted = set(requests)
        kept = {key: one for key, one in self.packs.items() if wanted.isdisjoint((key[0], key[0].partition("@")[0]))}
        sources = {name: digest for name, digest in self.sources.items() if name not in wanted}
        return self._replace(packs=kept, sources=sources)


def key_of(entry: Entry) -> LockKey:
    """Return the name of a pack file in a lock."""
    return f"{entry.name}@{entry.version}", entry.locale or _DEFAULT


def read_lock(content: bytes, path: str, cache: Cache | None = None) -> Lock:
    """Parse and validate a lock file."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.lstrip(b" \t").startswith(_CONFLICTS):
            message = "the lock file has a merge conflict"
            hint = "keep the rows of both sides, delete the lines with <, |, = and >, then run: promptpack lock"
            raise PackError(Problem("PP752", message, Location(path, number, 1), hint))
    document = parse_cached(content, path, cache or Cache(), _LIMITS)
    problems = [
        Problem("PP751", one.message, (place.locate_key if one.at_key else place.locate)(one.path), _REWRITE)
        for place, one in find_mismatches(lock_schema(), document)
    ]
    problems = problems or list(_find_invalid(document))
    if problems:
        raise PackError(problems)
    data: Mapping[str, Any] = document.data
    packs = {(name, locale): LockedFile(**row) for name, rows in data["packs"].items() for locale, row in rows.items()}
    return Lock(packs, data["labels"], data["rendering"], data["sources"], document)


_REWRITE: Final = "restore the file, or delete it and run: promptpack lock"


def _find_invalid(document: Document) -> Iterator[Problem]:
    """Yield the problems that the schema cannot find: keys that do not name a release, and a missing file end."""
    for name in document.data["packs"]:
        _, _, text = name.partition("@")
        version = parse_version(text)
        if version is None or version.is_draft:
            place = document.locate_key(("packs", name))
            yield Problem("PP751", f"{name!r} is not a release such as planner@1.0.0", place, _REWRITE)
    lines = document.text.rstrip().split("\n")
    if lines[-1] != _END.rstrip():
        message = f"the file is cut off: it does not end with {_END.rstrip()!r}"
        yield Problem("PP751", message, Location(document.path, len(lines), 1), _REWRITE)


@cache
def lock_schema() -> schema.Schema:
    """Return the schema of lock files; it is read once."""
    return schema.compile(read_shipped("lock.schema.json"))


def write_lock(lock: Lock) -> str:
    """Return the text of a lock file: sorted, without times, one block for each pack and version."""
    rows: dict[str, dict[str, Any]] = {}
    for (name, locale), one in sorted(lock.packs.items(), key=lambda pair: _order(pair[0])):
        parts = {key: value for key, value in one._asdict().items() if value}
        rows.setdefault(name, {})[locale] = parts
    data = {"lock": _FORMAT, "rendering": lock.rendering, "packs": rows}
    data |= {"labels": lock.labels, "sources": dict(sorted(lock.sources.items()))}
    return _HEADER + "".join(_lines(data)) + _END


def _order(key: LockKey) -> tuple[Any, ...]:
    name, _, version = key[0].partition("@")
    return name, parse_version(version), key[1]


def _lines(data: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, value in data.items():
        shown = key if _PLAIN.match(key) else json.dumps(key, ensure_ascii=False)
        if isinstance(value, Mapping) and value:
            yield f"{indent}{shown}:\n"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{shown}: {'{}' if isinstance(value, Mapping) else value}\n"


def read_locks(contents: Contents, cache: Cache) -> dict[str, Lock]:
    """Return the lock file of each folder that has one, by folder; raise the problems of these files."""
    found, problems = _try_locks(contents, cache)
    if problems:
        raise PackError(one for several in problems.values() for one in several)
    return found


def find_lock_problems(contents: Contents) -> dict[str, tuple[Problem, ...]]:
    """Return the problems of each lock file, by path; of an unreadable one, why it is."""
    return _try_locks(contents)[1]


def _try_locks(
    contents: Contents, cache: Cache | None = None
) -> tuple[dict[str, Lock], dict[str, tuple[Problem, ...]]]:
    found: dict[str, Lock] = {}
    problems: dict[str, tuple[Problem, ...]] = {}
    for root, content in contents.locks.items():
        path = Folder(root).show(LOCK)
        try:
            found[root] = read_lock(content, path, cache)
        except PackError as error:
            problems[path] = error.problems if content else contents.broken.get(path, error.problems)
    return found, problems
