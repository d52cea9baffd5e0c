"""For people: the place, the message, the line with a caret below, the hint."""

import re
import unicodedata
from collections.abc import Iterator

import click

from promptpack import files
from promptpack.cli.output import styled, visible
from promptpack.linter import LintReport
from promptpack.problem import Location, PackError, Problem

_WIDEST = 100
_LEAD = 60
# What takes no room on a screen, and would let two different lines look the same.
_HIDDEN = re.compile("[\u00ad\u061c\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\U000e0000-\U000e01ef]")


def write(report: LintReport) -> str:
    """Write every problem with the line it is about."""
    lines = _Lines()
    return "\n".join(styled(problem, "".join(lines.excerpt(problem))) for problem in report.problems)


class _Lines:
    """The lines of the files that problems are about, each file read once."""

    def __init__(self) -> None:
        self._read: dict[str, list[str]] = {}

    def excerpt(self, problem: Problem) -> Iterator[str]:
        place = problem.location
        line = self._line(place) if place else None
        if place is None or line is None:
            return
        before, after = line[: max(place.column, 1) - 1], line[max(place.column, 1) - 1 :]
        left = _shown(before)
        if len(left) > _LEAD:
            left = "…" + left[-_LEAD:]
        right = _shown(after)[: _WIDEST - min(len(left), _LEAD)]
        number = str(place.line)
        bar = click.style(f"{number} | ", fg="blue")
        caret = click.style("^", fg="red" if problem.severity == "error" else "yellow", bold=True)
        yield f"\n  {bar}{left}{right.rstrip()}"
        yield f"\n  {click.style(' ' * len(number) + ' | ', fg='blue')}{' ' * _columns(left)}{caret}"

    def _line(self, place: Location) -> str | None:
        if not place.line:
            return None
        if place.path not in self._read:
            self._read[place.path] = _read_lines(place.path)
        lines = self._read[place.path]
        return lines[place.line - 1] if place.line <= len(lines) else None


def _shown(text: str) -> str:
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text.replace("\t", " ")))


def _columns(text: str) -> int:
    """Count the columns of a terminal that a text takes: Chinese characters take two, combining ones none."""
    return sum(
        2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
        for character in text
        if not unicodedata.combining(character)
    )


def _read_lines(path: str) -> list[str]:
    try:
        raw = files.read(path)
    except PackError:
        return []  # the problem itself says so
    return raw.decode(errors="replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
