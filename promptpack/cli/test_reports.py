"""The results of tests, for people, programs, CI servers and GitHub."""

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

import click

from promptpack.characters import visible
from promptpack.cli.console import on_one_line
from promptpack.cli.reports.github import write_line, write_problem
from promptpack.cli.reports.junit import attribute, write_details
from promptpack.cli.text_diffs import draw_difference
from promptpack.problem import Problem, as_data
from promptpack.trial import Failure, Trial

_WORDS: Final = {"not_run": "not run", "unreadable": "file(s) could not be loaded"}
_ALWAYS: Final = ("passed", "failed")


class TestReport(NamedTuple):
    """The results of a run."""

    trials: tuple[Trial, ...]
    problems: tuple[Problem, ...] = ()
    stale: tuple[str, ...] = ()
    """Snapshots that no test uses."""
    skipped: int = 0
    """Tests that did not run, because an earlier one failed."""
    deselected: int = 0
    is_pruned: bool = False

    @property
    def failures(self) -> tuple[Trial, ...]:
        """The tests that failed."""
        return tuple(one for one in self.trials if not one.passed)

    @property
    def failed(self) -> bool:
        """Whether a test failed, or a pack could not be loaded."""
        return bool(self.failures or self.problems)

    @property
    def counts(self) -> dict[str, int]:
        """The number of tests by result, and of files with packs that could not be loaded."""
        broken = {problem.location.path if problem.location else "" for problem in self.problems}
        return {
            "passed": len(self.trials) - len(self.failures),
            "failed": len(self.failures),
            "not_run": self.skipped,
            "deselected": self.deselected,
            "unreadable": len(broken),
        }


def write(report: TestReport, format: str, quiet: bool) -> str:  # noqa: A002 -- the option's name
    """Write a report in one of the formats."""
    return FORMATS[format](report, quiet)


def summarize(report: TestReport) -> str:
    """Return the last line: how many tests passed and failed, and what did not run."""
    shown = [f"{count} {_WORDS.get(what, what)}" for what, count in report.counts.items() if count or what in _ALWAYS]
    colour = "red" if report.failed else "green"
    lines = [click.style(", ".join(shown), fg=colour)]
    if report.stale:
        what = "removed" if report.is_pruned else "no test uses these; --update --prune removes them"
        listed = "".join(f"\n  {on_one_line(path)}" for path in report.stale)
        lines.insert(0, f"{len(report.stale)} stale snapshot(s), {what}:{listed}")
    return "\n".join(lines)


def _write_text(report: TestReport, quiet: bool) -> str:
    return "\n".join(line for one in report.failures for line in _text_lines(one, quiet))


def _text_lines(one: Trial, quiet: bool) -> Iterator[str]:
    name = on_one_line(f"{one.pack} {one.locale} {one.name}")
    if not quiet:
        yield f"{click.style('FAILED', fg='red')} {click.style(name, bold=True)}"
    for failure in one.failures:
        message = on_one_line(failure.message) if quiet else visible(failure.message).replace("\n", "\n    ")
        place = on_one_line(str(failure.location))
        yield f"{place}: {name}: {message}" if quiet else f"  {click.style(place, bold=True)}: {message}"
        if not quiet:
            yield from (f"    {line}" for line in draw_difference(failure.expected, failure.found))


def _write_json(report: TestReport, _: bool) -> str:
    data = {
        "tests": [_as_data(one) for one in report.trials],
        "problems": [as_data(problem) for problem in report.problems],
        "stale_snapshots": list(report.stale),
        "summary": report.counts,
    }
    return visible(json.dumps(data, ensure_ascii=False, indent=2))


def _as_data(one: Trial) -> dict[str, Any]:
    return {
        "pack": one.pack,
        "locale": one.locale,
        "name": one.name,
        "location": str(one.location),
        "passed": one.passed,
        "failures": [{**failure._asdict(), "location": str(failure.location)} for failure in one.failures],
    }


def _write_github(report: TestReport, _: bool) -> str:
    found = [
        write_line("error", failure.location, f"{one.pack} {one.locale} {one.name}", _details(failure))
        for one in report.failures
        for failure in one.failures
    ]
    found += map(write_problem, report.problems)
    found += (write_line("notice", None, "stale snapshot", f"no test uses {path}") for path in report.stale)
    return "\n".join(found)


def _write_junit(report: TestReport, _: bool) -> str:
    suites: dict[str, list[str]] = {}
    for one in report.trials:
        suites.setdefault(one.path, []).append(_junit_case(one))
    for problem in report.problems:
        path = problem.location.path if problem.location else ""
        suites.setdefault(path, []).append(_junit_error(path, problem))
    written = "\n".join(_junit_suite(path, cases) for path, cases in suites.items())
    counts = f'tests="{len(report.trials) + len(report.problems)}" failures="{len(report.failures)}"'
    head = f'<testsuites name="promptpack test" {counts} errors="{len(report.problems)}">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{written}\n</testsuites>'


def _junit_suite(path: str, cases: list[str]) -> str:
    failures, errors = (sum(f"<{kind} " in case for case in cases) for kind in ("failure", "error"))
    head = f'  <testsuite name={attribute(path)} tests="{len(cases)}" failures="{failures}" errors="{errors}">'
    return "\n".join((head, *cases, "  </testsuite>"))


def _junit_case(one: Trial) -> str:
    head = f"    <testcase classname={attribute(f'{one.pack} {one.locale}')} name={attribute(one.name)}"
    if one.passed:
        return f"{head}/>"
    more = len(one.failures) - 1
    message = one.failures[0].message + (f" (and {more} more)" if more else "")
    details = escape("\n".join(f"{on_one_line(str(one.location))}: {_details(one)}" for one in one.failures))
    line = f'file={attribute(one.location.path)} line="{one.location.line}"'
    return f"{head} {line}>\n      <failure message={attribute(message)}>{details}</failure>\n    </testcase>"


def _junit_error(path: str, problem: Problem) -> str:
    head = f"    <testcase classname={attribute(path)} name={attribute(f'{problem.code} {problem.message}')}>"
    body = f"<error type={attribute(problem.code)} message={attribute(problem.message)}>"
    return f"{head}\n      {body}{escape(write_details(problem))}</error>\n    </testcase>"


def _details(failure: Failure) -> str:
    """Return a failure with the texts to compare, without colours."""
    drawn = (click.unstyle(line) for line in draw_difference(failure.expected, failure.found))
    return visible("\n".join((failure.message, *drawn)))


FORMATS: Final[Mapping[str, Callable[[TestReport, bool], str]]] = MappingProxyType(
    {"text": _write_text, "json": _write_json, "junit": _write_junit, "github": _write_github}
)
"""The function that writes each format."""
