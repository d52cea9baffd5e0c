"""Paths -> `Report`: the packs in them are read, checked, linked and compiled, never rendered."""

from collections.abc import Iterable
from dataclasses import dataclass

from promptpack import files
from promptpack.library import Library
from promptpack.problem import Problem


@dataclass(frozen=True, slots=True)
class Report:
    """What was looked at, and what was found, in order of place."""

    files: tuple[str, ...]
    problems: tuple[Problem, ...]


def lint(paths: Iterable[str]) -> Report:
    """Lint folders of packs and single pack files; a file is linted among the packs of its own root."""
    checked: dict[str, None] = {}
    problems: dict[Problem, None] = {}
    for root, wanted in files.group_by_root(paths).items():
        library = Library.open(root)
        listed = [entry.path for entry in library.list()]
        checked.update(dict.fromkeys(path for path in listed if not wanted or path in wanted))
        for path, found in library.problems_by_file().items():
            if not wanted or path in wanted:
                problems.update(dict.fromkeys(found))
    return Report(tuple(checked), tuple(sorted(problems, key=_place)))


def _place(problem: Problem) -> tuple[str, int, int, str]:
    place = problem.location
    return (place.path, place.line, place.column, problem.code) if place else ("", 0, 0, problem.code)
