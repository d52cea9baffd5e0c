"""The `Report`: what was looked at, what was found, and what can be mended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from promptpack.linter.edit import Edit
from promptpack.problem import Problem


@dataclass(frozen=True, slots=True)
class Report:
    """The files looked at, the problems in order of place, and the edits that would mend some of them."""

    files: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    fixes: Mapping[Problem, tuple[Edit, ...]] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether anything worse than a note was found."""
        return any(problem.severity != "note" for problem in self.problems)

    @classmethod
    def join(cls, reports: Iterable["Report"]) -> "Report":
        """Put reports together; what several of them tell is told once."""
        files: dict[str, None] = {}
        problems: dict[Problem, None] = {}
        fixes: dict[Problem, tuple[Edit, ...]] = {}
        for report in reports:
            files.update(dict.fromkeys(report.files))
            problems.update(dict.fromkeys(report.problems))
            fixes.update(report.fixes)
        return cls(tuple(files), tuple(sorted(problems, key=_place)), fixes)


def _place(problem: Problem) -> tuple[str, int, int, str, str]:
    place = problem.location
    where = (place.path, place.line, place.column) if place else ("", 0, 0)
    return (*where, problem.code, problem.message)
