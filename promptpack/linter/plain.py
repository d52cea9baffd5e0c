"""Reports and ignores as plain data, to be kept, and back."""

from dataclasses import asdict
from typing import Any

from promptpack.linter.edit import Edit
from promptpack.linter.ignores import Ignore
from promptpack.linter.ignoring import SharedIgnores
from promptpack.linter.report import Report
from promptpack.problem import Location, Problem


def plain_report(report: Report) -> dict[str, Any]:
    """Write a report; edits go with the number of their problem."""
    numbers = {problem: number for number, problem in enumerate(report.problems)}
    return {
        "files": report.files,
        "problems": [asdict(problem) for problem in report.problems],
        "fixes": [[numbers[problem], list(map(_plain_edit, edits))] for problem, edits in report.fixes.items()],
    }


def restore_report(kept: dict[str, Any]) -> Report:
    """Read a report that was written."""
    problems = tuple(_problem(**fields) for fields in kept["problems"])
    fixes = {problems[number]: tuple(Edit(*edit) for edit in edits) for number, edits in kept["fixes"]}
    return Report(tuple(kept["files"]), problems, fixes)


def plain_ignores(ignores: SharedIgnores) -> list[Any]:
    """Write ignores, each with whether it was used."""
    return [[_plain_ignore(ignore), ignore in ignores.used] for ignore in ignores.all]


def restore_ignores(kept: list[Any]) -> SharedIgnores:
    """Read ignores that were written."""
    found = [(_ignore(*fields), is_used) for fields, is_used in kept]
    return SharedIgnores([ignore for ignore, _ in found], [ignore for ignore, is_used in found if is_used])


def _problem(location: dict[str, Any] | None, **fields: Any) -> Problem:
    return Problem(location=Location(**location) if location else None, **fields)


def _plain_edit(edit: Edit) -> list[Any]:
    return [edit.start, edit.end, edit.text]


def _plain_ignore(ignore: Ignore) -> list[Any]:
    removal = _plain_edit(ignore.removal) if ignore.removal else None
    return [ignore.code, asdict(ignore.location), [ignore.lines.start, ignore.lines.stop], removal, ignore.hint]


def _ignore(code: str, location: dict[str, Any], lines: list[int], removal: list[Any] | None, hint: str) -> Ignore:
    return Ignore(code, Location(**location), range(*lines), Edit(*removal) if removal else None, hint)
