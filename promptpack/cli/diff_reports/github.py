"""For GitHub Actions: a workflow command for each problem and each change, shown next to the changed line."""

from dataclasses import replace

from promptpack.cli.diff_reports.sentences import sort_of
from promptpack.cli.reports.github import write_problem
from promptpack.problem import Problem, Severity
from promptpack.source_names import is_source
from promptpack.versions.change import Change
from promptpack.versions.version_diff import DiffReport


def write(report: DiffReport) -> str:
    """Return one line per problem and change: errors, then breaking changes as warnings, then the rest as notices."""
    changes = [_as_problem(change) for diff in report.diffs for change in diff.changes]
    changes.sort(key=lambda problem: problem.severity == "note")
    return "\n".join(write_problem(_placed(problem)) for problem in (*report.problems, *changes))


def _as_problem(change: Change) -> Problem:
    severity: Severity = "warning" if change.kind in ("breaking", "narrowing") else "note"
    return Problem(change.code, f"{change.message} ({sort_of(change)})", change.location, change.hint, severity)


def _placed(problem: Problem) -> Problem:
    """Return a problem without a place that a pull request does not have: a file of another revision."""
    if problem.location is None or not is_source(problem.location.path):
        return problem
    return replace(problem, location=None, message=f"{problem.location}: {problem.message}")
