"""The parent of a pack: its sections, and hints at packs with similar names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from promptpack import files
from promptpack.library.entry import Entry
from promptpack.library.ranges import parse_reference
from promptpack.pack import building
from promptpack.pack.sections import Sections
from promptpack.problem import PackError, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from promptpack.library.library import Library

_MAX_EXTENDS = 8


def read_parent(library: Library, child: Entry, reference: str, locale: str, trail: tuple[str, ...]) -> Sections:
    """Return the sections of the pack that a file extends; `trail` has the files on the way, to find cycles."""
    try:
        home, parent = library._find(reference, locale)
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
        home._parent_sections[parent.path] = sum(1 for _ in home._lineage(parent)), sections
    return sections


def home_of(library: Library, reference: str) -> Library:
    """Return the library that contains a pack: the given one, or else the shipped one."""
    name = parse_reference(reference).name
    if name in library._by_name:
        return library
    shipped = _shipped()
    return shipped if name in shipped._by_name else library


@cache
def _shipped() -> Library:
    from promptpack.library.library import Library

    return Library.open()


def suggest_name(library: Library, name: str) -> str:
    """Return a hint at the shipped pack of this name, or at a pack with a similar name."""
    shipped = files.shipped("packs").root
    if all(folder.root != shipped for folder in library.folders) and name in _shipped()._by_name:
        return f"it is a shipped pack; use '--packs {shipped}' or Library.open()"
    return did_you_mean(name, library._by_name) or "'promptpack list' shows all packs"


def _suggest(library: Library, child: Entry, reference: str, found: Problem) -> str:
    """Return a hint at a pack that can be extended, for an unknown name."""
    if child.document is not None and child.document.data.get("extends") != reference:
        return f"packs.lock has this version; restore it, or run: promptpack lock --update {child.name}@{child.version}"
    if found.code != "PP701":
        return found.hint
    names = [name for name in (*library._by_name, *_shipped()._by_name) if name != child.name]
    return did_you_mean(parse_reference(reference).name, names) or found.hint


def _at_extends(child: Entry, code: str, message: str, hint: str = "") -> Problem:
    document = child.document or child.refused
    return Problem(code, message, document.locate(("extends",)) if document else None, hint)


def extends_of(library: Library, entry: Entry, reference: str = "") -> str:
    """Return what a file extends; for a locked release, the locked version."""
    extends: str = reference or (entry.document.data["extends"] if entry.document else "")
    if not library._contents.locks or entry.version is None or entry.version.is_draft:
        return extends
    lock = library._locks.get(entry.folder.root)
    return extends if lock is None else lock.pin(entry, extends)
