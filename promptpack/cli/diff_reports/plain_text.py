"""For people: each change with its place, class and bump, and words in colours, or marked in a pipe."""

import sys
from collections.abc import Iterator
from typing import Final

import click

from promptpack.characters import visible
from promptpack.cli.console import on_one_line, styled
from promptpack.cli.diff_reports.sentences import example, excerpts, headline, judgement, sort_of, summary
from promptpack.versions.catalogue import ABOUT
from promptpack.versions.change import Change
from promptpack.versions.version_diff import DiffReport, VersionDiff
from promptpack.versions.word_diff import Piece

_COLOURS: Final = {"breaking": "red", "narrowing": "yellow", "compatible": "cyan", "cosmetic": "green"}
_MARKS: Final = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "kept": ("", "")}
_WORD_COLOURS: Final = {"removed": "red", "added": "green"}
_INDENT: Final = "      "


def write(report: DiffReport) -> str:
    """Return every change, then the problems and the headline."""
    is_terminal = sys.stdout.isatty()
    parts = ["\n".join(_write_diff(diff, is_terminal)) for diff in report.diffs]
    parts += ["\n".join(styled(problem) for problem in report.problems)]
    return "\n\n".join([*filter(None, parts), headline(report)])


def _write_diff(diff: VersionDiff, is_terminal: bool) -> Iterator[str]:
    title = click.style(on_one_line(f"{diff.name} {diff.versions}"), bold=True)
    found = judgement(diff)
    verdict = click.style(f"; {found}", fg="red" if diff.is_too_small else None) if found else ""
    yield f"{title}: {summary(diff)}{verdict}"
    for category, changes in diff.by_category():
        yield f"  {click.style(category, bold=True)}: {ABOUT[category]}"
        for change in changes:
            yield from _write_change(change, is_terminal)


def _write_change(change: Change, is_terminal: bool) -> Iterator[str]:
    place = f"{on_one_line(str(change.location))}: " if change.location else ""
    sort = click.style(sort_of(change), fg=_COLOURS[change.kind])
    yield f"    {place}{change.code} {on_one_line(change.message)} ({sort})"
    if change.bump in ("major", "minor"):
        yield on_one_line(f"{_INDENT}{change.hint}")
    if change.has_counterexample:
        yield f"{_INDENT}for example: {on_one_line(example(change))}"
    for number, excerpt in enumerate(excerpts(change.words) if change.words else ()):
        if number:
            yield f"{_INDENT}..."
        text = "".join(_write_piece(piece, is_terminal) for piece in excerpt)
        yield from (f"{_INDENT}| {line}" for line in text.removesuffix("\n").split("\n"))


def _write_piece(piece: Piece, is_terminal: bool) -> str:
    text = visible(piece.text)
    if piece.kind == "kept":
        return text
    if not is_terminal:
        start, end = _MARKS[piece.kind]
        return f"{start}{text}{end}"
    colour, is_removed = _WORD_COLOURS[piece.kind], piece.kind == "removed"
    # Each line of its own, because a pager resets colours at line ends.
    return "\n".join(
        click.style(line, fg=colour, strikethrough=is_removed) if line else "" for line in text.split("\n")
    )
