"""Build the pack of a file, with the files that it extends, or find in the cache that it builds without problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from promptpack.files import Folder, RecordingFolder
from promptpack.library.build_cache import Lineage, find_clean, store_clean
from promptpack.library.choosing import DEFAULT_LOCALE, choose, home_of, parse_reference, shipped_library
from promptpack.library.entry import BuildResult, Entry
from promptpack.pack import building
from promptpack.pack.model import Pack
from promptpack.pack.sections import Sections
from promptpack.problem import PackError, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from promptpack.library.library import Library

_MAX_EXTENDS = 8


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
    build = partial(_build, library, entry, folder, is_clean=True)
    return BuildResult(entry, entry, (), build, folder.reads, partials, tuple(parents))


def _is_current(library: Library, rows: Lineage) -> bool:
    parents = follow(library, ((reference, locale) for reference, locale, _ in rows))
    return parents is not None and [parent.digest for parent in parents] == [row[2] for row in rows]


def _build(library: Library, entry: Entry, folder: Folder, *, is_clean: bool = False) -> Pack:
    assert entry.document is not None  # noqa: S101 -- the caller checks `load`
    return building.build(entry.document, library._build_context(entry, (), folder)._replace(is_clean=is_clean))


def read_parent(library: Library, child: Entry, reference: str, locale: str, trail: tuple[str, ...]) -> Sections:
    """Return the sections of the pack that a file extends; `trail` has the files on the way, to find cycles."""
    try:
        home, parent = find_parent(library, reference, locale)
    except UsageError as error:
        raise PackError(
            _at_extends(child, "PP231", found.message, _suggest(library, child, reference, found))
            for found in error.problems
        ) from error
    if parent.path in trail:
        cycle = " -> ".join((*trail[trail.index(parent.path) :], parent.path))
        raise PackError(_at_extends(child, "PP232", f"'extends' forms a cycle: {cycle}", "remove one 'extends'"))
    if len(trail) >= _MAX_EXTENDS:
        message = f"the chain of 'extends' is longer than {_MAX_EXTENDS} packs"
        raise PackError(_at_extends(child, "PP233", message, "merge some of the packs"))
    if parent.document is None:
        broken = _at_extends(child, "PP234", f"'extends' refers to a broken pack: {parent.path}", "fix it first")
        raise PackError([broken, *parent.problems])
    height, sections = home._parent_sections.get(parent.path, (_MAX_EXTENDS, None))
    if sections is None or len(trail) + height > _MAX_EXTENDS:
        sections = building.resolve_sections(parent.document, home._build_context(parent, trail))
        home._parent_sections[parent.path] = sum(1 for _ in lineage(home, parent)), sections
    return sections


def find_parent(library: Library, reference: str, locale: str) -> tuple[Library, Entry]:
    """Return the file that `extends` refers to, and its library."""
    parent = library._parents_cache.get((reference, locale))
    if parent is None:
        home = home_of(library, reference)
        parent = home, choose(home, parse_reference(reference), locale or None, DEFAULT_LOCALE)
        library._parents_cache[reference, locale] = parent
    return parent


def lineage(library: Library, entry: Entry) -> Iterator[tuple[Library, Entry]]:
    """Yield a file and the files that it extends, nearest first, each with its library."""
    yield library, entry
    while entry.document is not None and "extends" in entry.document.data:
        library, entry = find_parent(library, extends_of(library, entry), entry.document.data.get("locale", ""))
        yield library, entry


def ancestors(library: Library, entry: Entry) -> Iterator[tuple[str, str, Entry]]:
    """Yield the files that a pack extends, nearest first, each with the value of `extends` and the locale."""
    home, child = library, entry
    for owner, parent in islice(lineage(library, entry), 1, None):
        assert child.document is not None  # noqa: S101 -- it has a parent
        yield extends_of(home, child), child.document.data.get("locale", ""), parent
        home, child = owner, parent


def follow(library: Library, references: Iterable[tuple[str, str]]) -> Sequence[Entry] | None:
    """Return the files that a chain of `extends` and locales finds now; None if one of them does not exist."""
    found: list[Entry] = []
    for reference, locale in references:
        try:
            library, parent = find_parent(library, reference, locale)
        except UsageError:
            return None
        found.append(parent)
    return found


def _suggest(library: Library, child: Entry, reference: str, found: Problem) -> str:
    """Return a hint at a pack that can be extended, for an unknown name."""
    if child.document is not None and child.document.data.get("extends") != reference:
        return f"packs.lock has this version; restore it, or run: promptpack lock --update {child.name}@{child.version}"
    if found.code != "PP701":
        return found.hint
    names = [name for name in (*library._by_name, *shipped_library()._by_name) if name != child.name]
    return did_you_mean(parse_reference(reference).name, names) or found.hint


def _at_extends(child: Entry, code: str, message: str, hint: str = "") -> Problem:
    document = child.document or child.refused
    return Problem(code, message, document.locate(("extends",)) if document else None, hint)


def extends_of(library: Library, entry: Entry, reference: str = "") -> str:
    """Return the reference in `extends` of a file; for a locked release, the locked version."""
    extends: str = reference or (entry.document.data["extends"] if entry.document else "")
    if not library._contents.locks or entry.version is None or entry.version.is_draft:
        return extends
    lock = library._locks.get(entry.folder.root)
    return extends if lock is None else lock.pin(entry, extends)
