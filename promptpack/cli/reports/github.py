"""For GitHub Actions: one workflow command a problem, which GitHub shows beside the line of the change."""

from promptpack.cli.output import visible
from promptpack.linter import LintReport
from promptpack.problem import Problem

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def write(report: LintReport) -> str:
    """Write one line a problem."""
    return "\n".join(_line(problem) for problem in report.problems)


def _line(problem: Problem) -> str:
    place = problem.location
    where = (
        f"file={_escape(visible(place.path), True)},line={max(place.line, 1)},col={max(place.column, 1)},"
        if place
        else ""
    )
    text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    return f"::{_LEVELS[problem.severity]} {where}title={problem.code}::{_escape(visible(text))}"


def _escape(text: str, property: bool = False) -> str:  # noqa: A002 -- GitHub's own word
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if property else escaped
