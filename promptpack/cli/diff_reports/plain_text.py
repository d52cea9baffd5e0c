"""For people: each change with its place, class and bump, and words in colours, or marked in a pipe."""

from collections.abc import Iterator
from typing import Final

import click

from promptpack.cli.console import on_one_line, styled
from promptpack.cli.diff_reports.sentences import example, excerpts, headline, judgement, sort_of, summary
from promptpack.cli.word_print import show_words
from promptpack.versions.catalogue import ABOUT
from promptpack.versions.change import Change
from promptpack.versions.version_diff import DiffReport, VersionDiff

_COLOURS: Final = {"breaking": "red", "narrowing": "yellow", "compatible": "cyan", "cosmetic": "green"}
_INDENT: Final = "      "


def write(report: DiffReport) -> str:
    """Return every change, then the problems and the headline."""
    parts = ["\n".join(_write_diff(diff)) for diff in report.diffs]
    parts += ["\n".join(styled(problem) for problem in report.problems)]
    return "\n\n".join([*filter(None, parts), headline(report)])


def _write_diff(diff: VersionDiff) -> Iterator[str]:
    title = click.style(on_one_line(f"{diff.name} {diff.versions}"), bold=True)
    found = judgement(diff)
    verdict = click.style(f"; {found}", fg="red" if diff.is_too_small else None) if found else ""
    yield f"{title}: {summary(diff)}{verdict}"
    for category, changes in diff.by_category():
        yield f"  {click.style(category, bold=True)}: {ABOUT[category]}"
        for change in changes:
            yield from _write_change(change)


def _write_change(change: Change) -> Iterator[str]:
    place = f"{on_one_line(str(change.location))}: " if change.location else ""
    sort = click.style(sort_of(change), fg=_COLOURS[change.kind])
    yield f"    {place}{change.code} {on_one_line(change.message)} ({sort})"
    if change.bump in ("major", "minor"):
        yield on_one_line(f"{_INDENT}{change.hint}")
    if change.has_counterexample:
        yield f"{_INDENT}for example: {on_one_line(example(change))}"
    for number, excerpt in enumerate(excerpts(change)):
        if number:
            yield f"{_INDENT}..."
        text = show_words(excerpt)
        yield from (f"{_INDENT}| {line}" for line in text.removesuffix("\n").split("\n"))
