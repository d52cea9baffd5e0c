"""The `LintReport`: the linted files, their problems, and the fixes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from promptpack.linter.edit import Edit
from promptpack.problem import Problem


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


def _sort_key(problem: Problem) -> tuple[str, int, int, str, str]:
    location = problem.location
    where = (location.path, location.line, location.column) if location else ("", 0, 0)
    return (*where, problem.code, problem.message)
