"""The contents of a library's folders: pack files and shared partials, read when it opens and when it reloads."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from promptpack import document
from promptpack.cache import Cache
from promptpack.characters import check_characters, decode_utf8
from promptpack.files import Folder
from promptpack.library.entry import CacheRow, Entry, read_entry
from promptpack.pack.building import TESTS
from promptpack.pack.version import Version
from promptpack.problem import Location, PackError, Problem, PromptpackError, UsageError
from promptpack.template.model import Source

Partials = Mapping[str, Mapping[str, Source]]
"""Shared partials by folder and name."""
Broken = dict[str, tuple[Problem, ...]]
"""The problems of unreadable files and folders, by path."""
_PARTIALS = "_partials"
FLOW = "flow.yaml"
LABELS = "labels.yaml"
LOCK = "packs.lock"
_RESERVED = (FLOW, "flow.yml", LABELS, "labels.yml")


class Contents(NamedTuple):
    """Entries, shared partials, and the problems of other unreadable files, by path."""

    entries: tuple[Entry, ...]
    partials: Partials
    broken: Mapping[str, tuple[Problem, ...]]
    folders: tuple[Folder, ...] = ()
    flows: Mapping[str, bytes] = MappingProxyType({})
    """The content of each `flow.yaml`, by folder."""
    labels: Mapping[str, bytes] = MappingProxyType({})
    """The content of each `labels.yaml`, by folder."""
    locks: Mapping[str, bytes] = MappingProxyType({})
    """The content of each `packs.lock`, by folder."""


def _refresh(folder: Folder, broken: Broken) -> Folder:
    """Return a folder as its source is now; as it was if the source cannot be read."""
    from promptpack.sources.memory_folder import MemoryFolder

    if isinstance(folder, MemoryFolder):
        try:
            return folder.refreshed()
        except PromptpackError as error:
            broken[folder.root] = error.problems
    return folder


def read_contents(folders: Iterable[Folder], cache: Cache, last: Contents | None = None) -> Contents:
    """Read the contents of folders; files in the cache are not parsed, and files as in `last` are the same objects."""
    found: list[Entry] = []
    partials: dict[str, Mapping[str, Source]] = {}
    broken: Broken = {}
    seen: set[str] = set()
    known = {(entry.folder, entry.file): entry for entry in last.entries} if last else {}
    flows: dict[str, bytes] = {}
    labels: dict[str, bytes] = {}
    locks: dict[str, bytes] = {}
    opened = tuple(dict.fromkeys(_refresh(folder, broken) if last else folder for folder in folders))
    for folder in opened:
        name = ("library", folder.real_root)
        rows: dict[str, CacheRow] = cache.get(*name) or {}
        found_files = list(_pack_files(folder, broken, seen))
        # A file that became a folder is not found as a file, but its pack is broken, not gone.
        replaced = {file for where, file in known if where == folder and folder.is_occupied(file)} - set(found_files)
        entries = [
            read_entry(folder, file, cache=cache, cached=known.get((folder, file)) or rows.get(file))
            for file in (*found_files, *sorted(replaced))
        ]
        if cache.is_on:
            _store_rows(entries, rows, name, cache)
        found += entries
        partials[folder.root] = dict(_read_partials(folder, last.partials[folder.root] if last else {}, broken))
        flows |= _read_beside(folder, FLOW, last.flows.get(folder.root) if last else None, broken)
        labels |= _read_beside(folder, LABELS, last.labels.get(folder.root) if last else None, broken)
        locks |= _read_beside(folder, LOCK, None, broken)
    return Contents(tuple(found), partials, broken, opened, flows, labels, locks)


def add_conflicts(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries, with a problem for each that has the same name, version and locale as another."""
    groups: dict[tuple[str, Version | None, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.name, entry.version, entry.locale), []).append(entry)
    for entry in entries:
        group = groups[entry.name, entry.version, entry.locale]
        others = [other.path for other in group if other is not entry]
        misnamed = [other for other in group if other.locale_in_path not in ("", other.locale)]
        if not others or entry.document is None or (misnamed and entry not in misnamed):
            yield entry
            continue
        label = f"{entry.name}@{entry.version}" + (f" ({entry.locale})" if entry.locale else "")
        location = entry.document.locate_key(("name",))
        message = f"{label} is also in {', '.join(others)}"
        hint = "change the name, version or locale of one"
        if misnamed:
            location, hint = entry.document.locate(("locale",)), f"the file name says {entry.locale_in_path!r}"
        problem = Problem("PP705", message, location, hint)
        yield replace(entry, problems=(*entry.problems, problem))


def replace_text(contents: Contents, path: str, text: str) -> Contents:
    """Return contents in which one pack file, new or not, has another text."""
    for folder in contents.folders:
        file = folder.to_relative(path)
        if file is not None:
            others = {entry.path: entry for entry in contents.entries}
            entry = read_entry(folder, file, text, cached=others.pop(folder.show(file), None))
            return contents._replace(entries=(*others.values(), entry))
    raise UsageError(Problem("PP704", f"{path!r} is not in a folder of this library"))


def _read_beside(folder: Folder, file: str, last: bytes | None, broken: Broken) -> dict[str, bytes]:
    """Return a file next to the packs of a folder, if it exists; the last one while it is not valid YAML."""
    if not folder.is_occupied(file):
        return {}
    try:
        content = folder.read(file)
        if last not in (None, content):
            document.parse(content, folder.show(file))
    except PackError as error:
        if last is None and file == FLOW:
            return {}  # `Library.flow` reads it again, and raises the problem
        broken[folder.show(file)] = error.problems
        if file == LOCK:
            return {folder.root: b""}  # it is not ignored: whatever needs the lock fails
        return {} if last is None else {folder.root: last}
    return {folder.root: content}


def _store_rows(entries: Iterable[Entry], rows: dict[str, CacheRow], name: tuple[str, str], cache: Cache) -> None:
    clean = {entry.file: entry.row for entry in entries if entry.row is not None}
    if clean != rows:
        cache.put(clean, *name)
        cache.shrink()


def _pack_files(folder: Folder, broken: Broken, seen: set[str]) -> Iterator[str]:
    """Yield the pack files of a folder, without files that an earlier folder contains too."""
    for file in folder.find(".yaml", ".yml", refused=broken):
        hidden = any(part.startswith("_") for part in file.split("/"))
        path = f"{folder.real_root}/{file}"
        if hidden or path in seen:
            continue
        seen.add(path)
        if file not in _RESERVED and not file.endswith(TESTS):
            yield file
        elif (problem := _find_misplaced(folder, file)) is not None:
            broken[folder.show(file)] = (problem,)


def _find_misplaced(folder: Folder, file: str) -> Problem | None:
    """Return the problem of a file that is not a pack and that nothing reads."""
    place = Location(folder.show(file))
    if file == "labels.yml":
        return Problem("PP742", "this file is not read", place, f"rename it to {LABELS}")
    stem = next((file.removesuffix(end) for end in TESTS if file.endswith(end)), "")
    if not stem or folder.exists(f"{stem}.yaml") or folder.exists(f"{stem}.yml"):
        return None
    return Problem(
        "PP759", f"there is no pack {stem}.yaml that these tests belong to", place, "rename one of the files"
    )


def _read_partials(folder: Folder, last: Mapping[str, Source], broken: Broken) -> Iterator[tuple[str, Source]]:
    for file in folder.find(".j2", below=_PARTIALS):
        name, path = file.removeprefix(f"{_PARTIALS}/").removesuffix(".j2"), folder.show(file)
        try:
            text = _read_text(folder, file)
        except PackError as error:
            broken[path] = error.problems
            continue
        source = last.get(name)
        yield name, source if source is not None and source.text == text else Source.of_text(text, path)


def _read_text(folder: Folder, file: str) -> str:
    path = folder.show(file)
    text = decode_utf8(folder.read(file), path).removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    check_characters(text, path, text.encode())
    return text
