"""The `LintReport`: the linted files, their problems, and their fixes; as plain data in the cache."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

from promptpack.document.edits import Edit
from promptpack.problem import Location, Problem


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits of the problem's file that fix the problem; a safe one does not change what the pack does."""

    title: str
    edits: tuple[Edit, ...]
    is_safe: bool = False


@dataclass(frozen=True, slots=True)
class LintReport:
    """The linted files, the problems in order of location, and the fixes of some of them.

    `files` are paths, `problems` are in order, and `fixes` has the fixes of each problem that can be fixed.
    """

    files: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    fixes: Mapping[Problem, tuple[Fix, ...]] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether a problem is worse than a note."""
        return any(problem.severity != "note" for problem in self.problems)

    @property
    def safe_fixes(self) -> dict[Problem, Fix]:
        """The first safe fix of each problem that has one."""
        return {problem: fix for problem, fixes in self.fixes.items() for fix in fixes[::-1] if fix.is_safe}

    @classmethod
    def join(cls, reports: Iterable["LintReport"]) -> "LintReport":
        """Merge `reports`; a problem in several of them is reported once."""
        files: dict[str, None] = {}
        problems: dict[Problem, None] = {}
        fixes: dict[Problem, tuple[Fix, ...]] = {}
        for report in reports:
            files.update(dict.fromkeys(report.files))
            problems.update(dict.fromkeys(report.problems))
            fixes.update(report.fixes)
        return cls(tuple(files), tuple(sorted(problems, key=_sort_key)), fixes)

    def to_data(self) -> dict[str, Any]:
        """Convert the report to plain data; fixes refer to their problem by its index."""
        numbers = {problem: number for number, problem in enumerate(self.problems)}
        fixes = [[numbers[problem], list(map(astuple, several))] for problem, several in self.fixes.items()]
        return {"files": self.files, "problems": list(map(_dump_problem, self.problems)), "fixes": fixes}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "LintReport":
        """Restore a report from the plain `data` of `to_data`."""
        problems = tuple(_load_problem(**fields) for fields in data["problems"])
        fixes = {problems[number]: tuple(_load_fix(*fix) for fix in several) for number, several in data["fixes"]}
        return cls(tuple(data["files"]), problems, fixes)


def _dump_problem(problem: Problem) -> dict[str, Any]:
    # Not `asdict`, which copies every text.
    return {**vars(problem), "location": problem.location and vars(problem.location)}


def _load_fix(title: str, edits: list[list[Any]], is_safe: bool) -> Fix:
    return Fix(title, tuple(Edit(*edit) for edit in edits), is_safe)


def _load_problem(location: dict[str, Any] | None, **fields: Any) -> Problem:
    return Problem(location=Location(**location) if location else None, **fields)


def _sort_key(problem: Problem) -> tuple[str, int, int, str, str]:
    location = problem.location
    where = (location.path, location.line, location.column) if location else ("", 0, 0)
    return (*where, problem.code, problem.message)
