"""For CI servers: JUnit XML, one suite per file, one case per problem, and a passed case for a clean file."""

from xml.sax.saxutils import escape, quoteattr

from promptpack.characters import visible
from promptpack.cli.console import on_one_line
from promptpack.linter.lint_report import LintReport
from promptpack.problem import Problem


def write(report: LintReport) -> str:
    """Return every file as a test suite; notes do not fail."""
    by_file: dict[str, list[Problem]] = {path: [] for path in report.files}
    for problem in report.problems:
        by_file.setdefault(problem.location.path if problem.location else "", []).append(problem)
    suites = "\n".join(_suite(path, problems) for path, problems in by_file.items())
    counts = _counts(list(report.problems), len(by_file))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="promptpack lint" {counts}>\n{suites}\n</testsuites>'
    )


def _suite(path: str, problems: list[Problem]) -> str:
    cases = "\n".join(_case(path, problem) for problem in problems)
    clean = f"    <testcase classname={attribute(path)} name={attribute('lint')}/>"
    return f"  <testsuite name={attribute(path)} {_counts(problems, 1)}>\n{cases or clean}\n  </testsuite>"


def _case(path: str, problem: Problem) -> str:
    place = problem.location
    where = f"{place.line}:{place.column} " if place and place.line else ""
    name = attribute(f"{where}{problem.code} {problem.message}")
    details = escape(write_details(problem))
    body = (
        f"      <system-out>{details}</system-out>"
        if problem.severity == "note"
        else f"      <failure type={attribute(problem.code)} message={attribute(problem.message)}>{details}</failure>"
    )
    return f"    <testcase classname={attribute(path)} name={name}>\n{body}\n    </testcase>"


def _counts(problems: list[Problem], files: int) -> str:
    failures = sum(problem.severity != "note" for problem in problems)
    return f'tests="{max(len(problems), files)}" failures="{failures}"'


def write_details(problem: Problem) -> str:
    """Return a problem as text."""
    place = f"{on_one_line(str(problem.location))}: " if problem.location else ""
    hint = f"\n  hint: {visible(problem.hint)}" if problem.hint else ""
    return f"{place}{problem.code} {on_one_line(problem.message)}{hint}"


def attribute(text: str) -> str:
    """Return a text as the value of an attribute, in quotes."""
    return quoteattr(on_one_line(text))
