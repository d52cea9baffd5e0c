"""Convert reports and ignores to plain data for the cache, and back."""

from dataclasses import asdict, astuple
from typing import Any

from promptpack.linter.edit import Edit
from promptpack.linter.ignores import Ignore, SharedIgnores
from promptpack.linter.lint_report import LintReport
from promptpack.problem import Location, Problem


def dump_report(report: LintReport) -> dict[str, Any]:
    """Convert a report to plain data; fixes refer to their problem by its index."""
    numbers = {problem: number for number, problem in enumerate(report.problems)}
    return {
        "files": report.files,
        "problems": [asdict(problem) for problem in report.problems],
        "fixes": [[numbers[problem], list(map(astuple, edits))] for problem, edits in report.fixes.items()],
    }


def load_report(data: dict[str, Any]) -> LintReport:
    """Restore a report from plain data."""
    problems = tuple(_load_problem(**fields) for fields in data["problems"])
    fixes = {problems[number]: tuple(Edit(*edit) for edit in edits) for number, edits in data["fixes"]}
    return LintReport(tuple(data["files"]), problems, fixes)


def dump_ignores(ignores: SharedIgnores) -> list[Any]:
    """Convert ignores to plain data, each with whether it was used."""
    return [[_dump_ignore(ignore), ignore.scope in ignores.used] for ignore in ignores.all]


def load_ignores(data: list[Any]) -> SharedIgnores:
    """Restore ignores from plain data."""
    found = [(_load_ignore(*fields), is_used) for fields, is_used in data]
    return SharedIgnores([ignore for ignore, _ in found], [ignore.scope for ignore, is_used in found if is_used])


def _load_problem(location: dict[str, Any] | None, **fields: Any) -> Problem:
    return Problem(location=Location(**location) if location else None, **fields)


def _dump_ignore(ignore: Ignore) -> list[Any]:
    removal = astuple(ignore.removal) if ignore.removal else None
    return [ignore.code, asdict(ignore.location), [ignore.lines.start, ignore.lines.stop], removal, ignore.hint]


def _load_ignore(code: str, location: dict[str, Any], lines: list[int], removal: list[Any] | None, hint: str) -> Ignore:
    return Ignore(code, Location(**location), range(*lines), Edit(*removal) if removal else None, hint)
