"""How problems are printed: for people, with what a terminal would obey shown instead of sent."""

import re
from collections.abc import Iterable
from typing import Any

import click

from promptpack.problem import Location, Problem

# What a terminal would obey instead of show; line breaks and tabs are harmless.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def visible(text: str) -> str:
    """Show control characters instead of sending them to the terminal."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_problems(problems: Iterable[Problem], *, err: bool = False) -> None:
    """Print problems for people."""
    for problem in problems:
        click.echo(styled(problem), err=err)


def styled(problem: Problem, excerpt: str = "") -> str:
    """Write a problem with colours, which `click.echo` takes out again where nobody sees them."""
    place = click.style(visible(f"{problem.location}: "), bold=True) if problem.location else ""
    code = click.style(problem.code, fg=_COLOURS[problem.severity])
    hint = "\n" + click.style(visible(f"  hint: {problem.hint}"), fg="cyan") if problem.hint else ""
    return f"{place}{code} {visible(problem.message)}{excerpt}{hint}"


def as_data(problem: Problem) -> dict[str, Any]:
    """Write a problem as plain data."""
    place = problem.location or Location("")
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint,
        "path": place.path,
        "line": place.line,
        "column": place.column,
    }
