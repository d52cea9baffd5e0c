"""What the folders of a library hold: pack files and shared partials, each read once, and read again for a reload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptpack.files import Folder
from promptpack.library.entry import Entry, Row, read_entry
from promptpack.problem import Location, PackError, Problem

if TYPE_CHECKING:
    from promptpack.cache import Cache
    from promptpack.template import Source

    Partials = Mapping[str, Mapping[str, Source]]
    """Shared partials by the root of their folder and their name."""
    Broken = dict[str, tuple[Problem, ...]]
    """The problems of files and folders that are no packs, by their path."""

_PARTIALS = "_partials"


@dataclass(frozen=True)
class Contents:
    """Entries, shared partials, and the problems of everything else that could not be read, by path."""

    entries: tuple[Entry, ...]
    partials: Partials
    broken: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)


def read_contents(folders: Iterable[Folder], cache: Cache) -> Contents:
    """Read everything in some folders; files that the cache knows are not parsed."""
    found: list[Entry] = []
    partials: dict[str, Mapping[str, Source]] = {}
    broken: Broken = {}
    taken: set[str] = set()
    for folder in folders:
        name = ("library", folder.real_root)
        rows: dict[str, Row] = cache.get(*name) or {}
        entries = [
            read_entry(folder, file, cache=cache, known=rows.get(file)) for file in _pack_files(folder, broken, taken)
        ]
        if cache.is_on:
            _remember(entries, rows, name, cache)
        found += entries
        partials[folder.root] = dict(_shared_partials(folder, {}, broken))
    return Contents(tuple(found), partials, broken)


def read_again(known: Contents) -> Contents:
    """Read everything again; what has the same bytes is kept as it is."""
    entries = {(entry.folder, entry.file): entry for entry in known.entries}
    found: list[Entry] = []
    partials: dict[str, Mapping[str, Source]] = {}
    broken: Broken = {}
    taken: set[str] = set()
    for root, before in known.partials.items():
        folder = Folder(root)
        found += (
            read_entry(folder, file, known=entries.get((folder, file))) for file in _pack_files(folder, broken, taken)
        )
        partials[root] = dict(_shared_partials(folder, before, broken))
    return Contents(tuple(found), partials, broken)


def _remember(entries: Iterable[Entry], rows: dict[str, Row], name: tuple[str, str], cache: Cache) -> None:
    clean = {entry.file: entry.row for entry in entries if entry.row is not None}
    if clean != rows:
        cache.put(clean, *name)
        cache.shrink()


def _pack_files(folder: Folder, broken: Broken, taken: set[str]) -> Iterator[str]:
    """Find the pack files of a folder, but for those that a folder before it has `taken` already."""
    for file in folder.find(".yaml", ".yml", refused=broken):
        hidden = any(part.startswith("_") for part in file.split("/"))
        path = f"{folder.real_root}/{file}"
        if not hidden and file not in ("flow.yaml", "flow.yml") and path not in taken:
            taken.add(path)
            yield file


def _shared_partials(folder: Folder, before: Mapping[str, Source], broken: Broken) -> Iterator[tuple[str, Source]]:
    for file in folder.find(".j2", below=_PARTIALS):
        name, shown = file.removeprefix(f"{_PARTIALS}/").removesuffix(".j2"), folder.show(file)
        try:
            text = _read_text(folder, file)
        except PackError as error:
            broken[shown] = error.problems
            continue
        kept = before.get(name)
        from promptpack.template import Source

        yield name, kept if kept is not None and kept.text == text else Source.of_text(text, shown)


def _read_text(folder: Folder, file: str) -> str:
    try:
        text = folder.read(file).decode().removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    except UnicodeDecodeError as error:
        place = Location(folder.show(file))
        raise PackError(Problem("PP101", "file is not UTF-8", place, "save it as UTF-8")) from error
    from promptpack.document.character_check import check_characters

    check_characters(text, folder.show(file), text.encode())
    return text
