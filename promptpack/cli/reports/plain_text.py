"""For people: the location, the message, the line with a caret below it, and the hint."""

import re
import unicodedata
from collections.abc import Iterator

import click

from promptpack import files
from promptpack.characters import visible
from promptpack.cli.console import styled
from promptpack.document import normalize
from promptpack.linter.lint_report import LintReport
from promptpack.problem import Location, PackError, Problem

_MAX_WIDTH = 100
# The line of a credential would show it.
_NOT_QUOTED = ("PL024",)
_MAX_BEFORE = 60
# Invisible characters: without an escape, two different lines would look the same.
_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\U000e0000-\U000e01ef]")


def write(report: LintReport) -> str:
    """Return every problem with its line of the file."""
    lines = _FileLines()
    return "\n".join(styled(problem, "".join(lines.excerpt(problem))) for problem in report.problems)


class _FileLines:
    """The lines of the files with problems; each file is read once."""

    def __init__(self) -> None:
        self._read: dict[str, list[str]] = {}

    def excerpt(self, problem: Problem) -> Iterator[str]:
        place = problem.location
        line = self._line(place) if place and problem.code not in _NOT_QUOTED else None
        if place is None or line is None:
            return
        before, after = line[: max(place.column, 1) - 1], line[max(place.column, 1) - 1 :]
        left = _escape(before)
        if len(left) > _MAX_BEFORE:
            left = "…" + left[-_MAX_BEFORE:]
        right = _escape(after)[: _MAX_WIDTH - min(len(left), _MAX_BEFORE)]
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


def _escape(text: str) -> str:
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text.replace("\t", " ")))


def _columns(text: str) -> int:
    """Return the width of a text in terminal columns: two for Chinese characters, none for combining ones."""
    return sum(
        2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
        for character in text
        if not unicodedata.combining(character)
    )


def _read_lines(path: str) -> list[str]:
    try:
        folder = files.Folder(files.find_root(path)[0])
        raw = folder.read(folder.to_relative(path) or path)  # which follows no link
    except PackError:
        return []  # the problem itself reports it
    return normalize(raw.decode(errors="replace")).split("\n")
