"""How findings are printed: for people, for programs, for GitHub and as SARIF."""

import json
import re
from collections.abc import Iterable
from typing import Any

import click

from promptpack import __version__
from promptpack.problem import Location, Problem

FORMATS = ("text", "json", "github", "sarif")

# What a terminal would obey instead of show; line breaks and tabs are harmless.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def visible(text: str) -> str:
    """Show control characters instead of sending them to the terminal."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_problems(problems: Iterable[Problem], format: str = "text", *, err: bool = False) -> None:  # noqa: A002
    """Print problems in one of the formats."""
    found = list(problems)
    match format:
        case "json":
            click.echo(json.dumps([_as_data(problem) for problem in found], ensure_ascii=False, indent=2), err=err)
        case "github":
            for problem in found:
                click.echo(_github_line(problem), err=err)
        case "sarif":
            click.echo(json.dumps(_sarif(found), ensure_ascii=False, indent=2), err=err)
        case _:
            for problem in found:
                click.echo(_styled(problem), err=err)


def _styled(problem: Problem) -> str:
    place = click.style(f"{problem.location}: ", bold=True) if problem.location else ""
    code = click.style(problem.code, fg="red" if problem.severity == "error" else "yellow")
    hint = "\n" + click.style(visible(f"  hint: {problem.hint}"), fg="cyan") if problem.hint else ""
    return f"{place}{code} {visible(problem.message)}{hint}"


def _as_data(problem: Problem) -> dict[str, Any]:
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


def _github_line(problem: Problem) -> str:
    place = problem.location
    where = f"file={_escape(place.path, True)},line={max(place.line, 1)},col={max(place.column, 1)}," if place else ""
    text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    return f"::{problem.severity} {where}title={problem.code}::{_escape(text)}"


def _escape(text: str, property: bool = False) -> str:  # noqa: A002 -- GitHub's own word
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if property else escaped


def _sarif(problems: list[Problem]) -> dict[str, Any]:
    driver = {
        "name": "promptpack",
        "version": __version__,
        "rules": [{"id": code} for code in sorted({problem.code for problem in problems})],
    }
    return {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_sarif_result(problem) for problem in problems]}],
    }


def _sarif_result(problem: Problem) -> dict[str, Any]:
    text = f"{problem.message}; {problem.hint}" if problem.hint else problem.message
    result: dict[str, Any] = {"ruleId": problem.code, "level": problem.severity, "message": {"text": visible(text)}}
    if problem.location:
        region = {"startLine": max(problem.location.line, 1), "startColumn": max(problem.location.column, 1)}
        artifact = {"uri": problem.location.path.replace("\\", "/")}
        result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    return result
