"""The contents of a library's folders: pack files and shared partials, read when it opens and when it reloads."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from promptpack import document
from promptpack.cache import Cache
from promptpack.document.character_check import check_characters
from promptpack.files import Folder
from promptpack.library.entry import CacheRow, Entry, read_entry
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.template.model import Source

Partials = Mapping[str, Mapping[str, Source]]
"""Shared partials by folder and name."""
Broken = dict[str, tuple[Problem, ...]]
"""The problems of unreadable files and folders, by path."""
_PARTIALS = "_partials"
FLOW = "flow.yaml"


class Contents(NamedTuple):
    """Entries, shared partials, and the problems of other unreadable files, by path."""

    entries: tuple[Entry, ...]
    partials: Partials
    broken: Mapping[str, tuple[Problem, ...]]
    folders: tuple[Folder, ...] = ()
    flows: Mapping[str, bytes] = MappingProxyType({})
    """The content of each `flow.yaml`, by folder."""


def open_folder(folder: str) -> Folder:
    """Return an existing folder; raise a `UsageError` if there is none."""
    opened = Folder(str(folder))
    if not opened.is_there:
        raise UsageError(Problem("PP704", f"no folder {folder!r}", None, "pass a folder that contains packs"))
    return opened


def read_contents(folders: Iterable[Folder], cache: Cache, last: Contents | None = None) -> Contents:
    """Read the contents of folders; files in the cache are not parsed, and files as in `last` are the same objects."""
    found: list[Entry] = []
    partials: dict[str, Mapping[str, Source]] = {}
    broken: Broken = {}
    seen: set[str] = set()
    known = {(entry.folder, entry.file): entry for entry in last.entries} if last else {}
    flows: dict[str, bytes] = {}
    opened = tuple(dict.fromkeys(folders))
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
        flows |= _read_flow(folder, last.flows.get(folder.root) if last else None, broken)
    return Contents(tuple(found), partials, broken, opened, flows)


def _read_flow(folder: Folder, last: bytes | None, broken: Broken) -> dict[str, bytes]:
    """Return the flow of a folder, if there is one; the last one while it is no YAML."""
    if not folder.exists(FLOW):
        return {}
    try:
        content = folder.read(FLOW)
        if last not in (None, content):
            document.parse(content, folder.show(FLOW))
    except PackError as error:
        if last is None:
            return {}  # `Library.flow` reads it again, and raises the problem
        broken[folder.show(FLOW)] = error.problems
        return {folder.root: last}
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
        if not hidden and file not in (FLOW, "flow.yml") and path not in seen:
            seen.add(path)
            yield file


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
    try:
        text = folder.read(file).decode().removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    except UnicodeDecodeError as error:
        location = Location(folder.show(file))
        raise PackError(Problem("PP101", "file is not UTF-8", location, "save it as UTF-8")) from error
    check_characters(text, folder.show(file), text.encode())
    return text
