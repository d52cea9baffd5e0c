"""Print problems and data; characters that control a terminal are escaped."""

import json
from collections.abc import Iterable
from typing import Any

import click

from promptpack.characters import visible
from promptpack.problem import Problem

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def print_json(data: Any) -> None:
    """Print plain data as JSON; control characters become JSON escapes, so the data stays the same."""
    click.echo(visible(json.dumps(data, ensure_ascii=False, indent=2)))


def print_problems(problems: Iterable[Problem], *, err: bool = False) -> None:
    """Print problems as text."""
    for problem in problems:
        click.echo(styled(problem), err=err)


def styled(problem: Problem, excerpt: str = "") -> str:
    """Return a problem with colours, which `click.echo` removes when the output is not a terminal."""
    place = click.style(f"{on_one_line(str(problem.location))}: ", bold=True) if problem.location else ""
    code = click.style(problem.code, fg=_COLOURS[problem.severity])
    hint = "\n" + click.style(visible(f"  hint: {problem.hint}"), fg="cyan") if problem.hint else ""
    return f"{place}{code} {on_one_line(problem.message)}{excerpt}{hint}"


def on_one_line(text: str) -> str:
    """Escape line ends too: text after one could look like a separate line or command."""
    return visible(text).replace("\n", "\\n")
