"""For GitHub Actions: one workflow command per problem, which GitHub shows next to the changed line."""

from promptpack.characters import visible
from promptpack.linter.lint_report import LintReport
from promptpack.problem import Location, Problem

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def write(report: LintReport) -> str:
    """Return one line per problem."""
    return "\n".join(write_problem(problem) for problem in report.problems)


def write_problem(problem: Problem) -> str:
    """Return the line of a problem."""
    text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    return write_line(_LEVELS[problem.severity], problem.location, problem.code, text)


def write_line(level: str, place: Location | None, title: str, text: str) -> str:
    """Return a workflow command that shows a text at a place."""
    where = _where(place) if place else ""
    return f"::{level} {where}title={_escape(visible(title), True)}::{_escape(visible(text))}"


def _where(place: Location) -> str:
    # GitHub shows columns only within one line, and its last column is part of the range.
    line, column = max(place.line, 1), max(place.column, 1)
    end = f",endColumn={place.end_column - 1}" if place.end_line == line and place.end_column > column else ""
    return f"file={_escape(visible(place.path), True)},line={line},col={column}{end},"


def _escape(text: str, property: bool = False) -> str:  # noqa: A002 -- the word of GitHub
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if property else escaped
