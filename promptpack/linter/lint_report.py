"""The `LintReport`: the linted files, their problems, and the edits that fix them; as plain data in the cache."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

from promptpack.problem import Location, Problem


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters from `start` to `end` of a document's text with `text`."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class LintReport:
    """The linted files, the problems in order of location, and the edits that fix some of them."""

    files: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    fixes: Mapping[Problem, tuple[Edit, ...]] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether a problem is worse than a note."""
        return any(problem.severity != "note" for problem in self.problems)

    @classmethod
    def join(cls, reports: Iterable["LintReport"]) -> "LintReport":
        """Merge reports; a problem in several of them is reported once."""
        files: dict[str, None] = {}
        problems: dict[Problem, None] = {}
        fixes: dict[Problem, tuple[Edit, ...]] = {}
        for report in reports:
            files.update(dict.fromkeys(report.files))
            problems.update(dict.fromkeys(report.problems))
            fixes.update(report.fixes)
        return cls(tuple(files), tuple(sorted(problems, key=_sort_key)), fixes)

    def to_data(self) -> dict[str, Any]:
        """Convert the report to plain data; fixes refer to their problem by its index."""
        numbers = {problem: number for number, problem in enumerate(self.problems)}
        fixes = [[numbers[problem], list(map(astuple, edits))] for problem, edits in self.fixes.items()]
        return {"files": self.files, "problems": list(map(_dump_problem, self.problems)), "fixes": fixes}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "LintReport":
        """Restore a report from plain data."""
        problems = tuple(_load_problem(**fields) for fields in data["problems"])
        fixes = {problems[number]: tuple(Edit(*edit) for edit in edits) for number, edits in data["fixes"]}
        return cls(tuple(data["files"]), problems, fixes)


def _dump_problem(problem: Problem) -> dict[str, Any]:
    # Not `asdict`, which copies every text.
    return {**vars(problem), "location": problem.location and vars(problem.location)}


def _load_problem(location: dict[str, Any] | None, **fields: Any) -> Problem:
    return Problem(location=Location(**location) if location else None, **fields)


def _sort_key(problem: Problem) -> tuple[str, int, int, str, str]:
    location = problem.location
    where = (location.path, location.line, location.column) if location else ("", 0, 0)
    return (*where, problem.code, problem.message)
