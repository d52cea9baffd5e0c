"""Names and paths of packs, as arguments -> the packs, and the problems of those that cannot be loaded."""

import os
from pathlib import Path
from typing import NamedTuple

from promptpack import files
from promptpack.cli.options import open_library
from promptpack.library import Library
from promptpack.library.contents import FLOW, LABELS, LOCK
from promptpack.pack.building import TESTS
from promptpack.pack.model import Pack
from promptpack.problem import Problem
from promptpack.source_names import is_archive, is_source

_BESIDE = (FLOW, LABELS, LOCK)  # they have their own commands


class ChosenPacks(NamedTuple):
    """The packs, the problems of broken ones, and the folders; `files` has all pack files, if all are chosen."""

    packs: tuple[Pack, ...]
    problems: tuple[Problem, ...]
    roots: tuple[str, ...]
    files: tuple[str, ...] | None = None


def choose_packs(arguments: tuple[str, ...], folders: tuple[str, ...]) -> ChosenPacks:
    """Return the packs that names and paths mean; a path contains a slash, or exists and is not the name of a pack."""
    library = open_library(folders)
    known = {entry.name for entry in library.entries}
    paths = [one for one in arguments if _is_path(one) and one not in known]
    names = [one for one in arguments if one not in paths]
    chosen = [_choose_all(library)] if not arguments else []
    chosen += [_choose_names(library, names)] if names else []
    chosen += (_choose_files(root, wanted) for root, wanted in files.group_by_root(map(_pack_of, paths)).items())
    return _join(chosen)


def _is_path(argument: str) -> bool:
    return "/" in argument or is_source(argument) or is_archive(argument) or Path(argument).exists()


def _pack_of(path: str) -> str:
    """Return the pack file that a file of tests belongs to."""
    stem = next((path.removesuffix(end) for end in TESTS if path.endswith(end)), None)
    found = (f"{stem}{end}" for end in (".yaml", ".yml") if stem is not None and files.is_file(f"{stem}{end}"))
    return next(found, path)


def _choose_all(library: Library) -> ChosenPacks:
    packs, _ = library.select()
    broken = library.problems_by_file()
    problems = (one for path, found in broken.items() if Path(path).name not in _BESIDE for one in found)
    paths = (*(entry.path for entry in library.entries), *broken)
    return ChosenPacks(packs, tuple(problems), _roots(library), paths)


def _choose_names(library: Library, names: list[str]) -> ChosenPacks:
    packs, problems = library.select(*names)
    return ChosenPacks(packs, problems, _roots(library))


def _choose_files(root: str, wanted: set[str]) -> ChosenPacks:
    chosen = _choose_all(Library.open(root))
    if not wanted:
        return chosen
    packs = tuple(pack for pack in chosen.packs if os.path.normpath(pack.path) in wanted)
    broken = Library.open(root).problems_by_file()
    problems = (one for path, found in broken.items() if os.path.normpath(path) in wanted for one in found)
    return ChosenPacks(packs, tuple(problems), chosen.roots)


def _roots(library: Library) -> tuple[str, ...]:
    return tuple(folder.root for folder in library.folders)


def _join(chosen: list[ChosenPacks]) -> ChosenPacks:
    packs = {pack.path: pack for one in chosen for pack in one.packs}
    problems = dict.fromkeys(problem for one in chosen for problem in one.problems)
    roots = dict.fromkeys(root for one in chosen for root in one.roots)
    listed = tuple(file for one in chosen for file in one.files or ())
    is_all = all(one.files is not None for one in chosen)
    return ChosenPacks(tuple(packs.values()), tuple(problems), tuple(roots), listed if is_all else None)
