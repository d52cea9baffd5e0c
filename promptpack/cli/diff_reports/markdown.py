"""For a comment on a pull request: a headline, a table, and the changes of each pack to unfold."""

import html
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from promptpack.characters import visible
from promptpack.cli.console import on_one_line
from promptpack.cli.diff_reports.sentences import example, excerpts, headline, judgement, sort_of, summary
from promptpack.problem import Problem
from promptpack.versions.catalogue import ABOUT
from promptpack.versions.change import Change
from promptpack.versions.version_diff import DiffReport, VersionDiff
from promptpack.versions.word_diff import Piece

# A comment on GitHub has at most 65,536 characters.
_MAX_CHARACTERS: Final = 60_000
_MAX_WORDS: Final = 6_000
_MAX_PIECE: Final = 800
_TAGS: Final = {"removed": ("<del>", "</del>"), "added": ("<ins>", "</ins>"), "kept": ("", "")}
# Characters that format text, make links, or end a cell: signs, underscores around words, and starts of addresses.
_SIGN: Final = re.compile(r"[\\`*\[\]<>&|~$@#]|(?<![^\W_])_|_(?![^\W_])|:(?=[^\s\d])|\bwww(?=\.)", re.IGNORECASE)
# People and issues are linked and notified in any text that is not code.
_CODE: Final = frozenset("@#")
_MARKS: Final = {"error": "❌", "warning": "⚠️", "note": "ℹ️"}


def write(report: DiffReport) -> str:
    """Return the comment; parts that would make it too long for GitHub are left out, and the comment says so."""
    sentence = headline(report)
    head = [f"### {sentence[:1].upper()}{sentence[1:]}", ""]
    if report.diffs:
        head += ["| pack | version | changes | needed | |", "|---|---|---|---|---|"]
        head += [_row(diff, report.is_checked) for diff in report.diffs] + [""]
    head += _write_problems(report.problems)
    return "\n".join(_fit(head, (_write_diff(diff) for diff in report.diffs if diff.changes)))


def escape(text: str) -> str:
    """Return a text for one line of Markdown: no sign of it formats, links, notifies, or ends a cell."""
    return _SIGN.sub(_escape_sign, on_one_line(text))


def _escape_sign(found: re.Match[str]) -> str:
    if found[0] in _CODE:
        return f"<code>{found[0]}</code>"
    return "".join(f"&#{ord(letter)};" for letter in found[0])


def _fit(head: list[str], sections: Iterable[str]) -> Iterator[str]:
    """Yield the head, and the sections that fit."""
    left, skipped = _MAX_CHARACTERS, 0
    for part in (*head, *sections):
        if len(part) < left:
            left -= len(part) + 1
            yield part
        else:
            skipped += 1
    if skipped:
        yield f"{skipped} part{'s are' if skipped > 1 else ' is'} too long to be shown here: run `promptpack diff`.\n"


def _row(diff: VersionDiff, is_checked: bool) -> str:
    mark = "❌" if diff.is_too_small or diff.status == "broken" else "✅"
    cells = (escape(diff.name), escape(diff.versions), escape(summary(diff)), escape(judgement(diff)))
    return f"| <b>{cells[0]}</b> | {' | '.join(cells[1:])} | {mark if is_checked or diff.status == 'broken' else ''} |"


def _write_problems(problems: Iterable[Problem]) -> Iterator[str]:
    listed = list(problems)
    for problem in listed:
        place = f"{escape(str(problem.location))}: " if problem.location else ""
        hint = f"<br>{escape(problem.hint)}" if problem.hint else ""
        yield f"- {_MARKS[problem.severity]} {place}**{problem.code}** {escape(problem.message)}{hint}"
    if listed:
        yield ""


def _write_diff(diff: VersionDiff) -> str:
    title = f"<b>{escape(diff.name)}</b> {escape(diff.versions)}: {escape(summary(diff))}"
    return "\n".join([f"<details><summary>{title}</summary>", "", *_write_changes(diff), "</details>", ""])


def _write_changes(diff: VersionDiff) -> Iterator[str]:
    for category, changes in diff.by_category():
        yield f"**{category}**: {ABOUT[category]}"
        yield ""
        for change in changes:
            yield from _write_change(change)
        yield ""


def _write_change(change: Change) -> Iterator[str]:
    mark = {"breaking": "💥 ", "narrowing": "⚠️ "}.get(change.kind, "")
    place = f"<br>{escape(str(change.location))}" if change.location else ""
    why = f": {escape(change.hint)}" if change.bump in ("major", "minor") else ""
    yield f"- {mark}{change.code} <b>{escape(change.message)}</b> ({sort_of(change)}){why}{place}"
    if change.has_counterexample:
        yield f"  <br>for example <code>{escape(example(change))}</code>"
    shown = "\n...\n".join(_write_words(change))
    if shown:
        # One line: the text of a pack cannot end the list, and its line ends are those of the block.
        yield "  <pre>" + shown.replace("\n", "&#10;") + "</pre>"


def _write_words(change: Change) -> Iterator[str]:
    """Yield the excerpts that fit, and how many do not."""
    shown = ["".join(map(_write_piece, excerpt.pieces)).removesuffix("\n") for excerpt in excerpts(change)]
    sizes = accumulate(map(len, shown))
    fitting = [text for text, size in zip(shown, sizes, strict=True) if size <= _MAX_WORDS]
    yield from fitting
    if len(fitting) < len(shown):
        yield f"({len(shown) - len(fitting)} more: run promptpack diff)"


def _write_piece(piece: Piece) -> str:
    start, end = _TAGS[piece.kind]
    text = piece.text if len(piece.text) <= _MAX_PIECE else f"{piece.text[:_MAX_PIECE]} …"
    return f"{start}{html.escape(visible(text))}{end}"
