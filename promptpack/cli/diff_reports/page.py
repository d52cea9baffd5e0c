"""For a browser: a self-contained page, light and dark, without scripts."""

from collections.abc import Iterator
from typing import Final

from promptpack.cli.console import on_one_line
from promptpack.cli.diff_reports.sentences import example, excerpts, headline, judgement, sort_of, summary
from promptpack.page.frame import card, escape, write_page
from promptpack.problem import Problem
from promptpack.versions.catalogue import ABOUT
from promptpack.versions.change import Change
from promptpack.versions.version_diff import DiffReport, VersionDiff
from promptpack.versions.word_diff import Piece

_TAGS: Final = {"removed": "del", "added": "ins"}
_STYLE: Final = """
:root { --removed: #ffd7d5; --added: #c8f0d0; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --removed: #67242a; --added: #1f5130; --warn: #e3b341; } }
.changes { list-style: none; padding: 0; }
.changes li { border-left: 3px solid var(--line); padding: 2px 0 2px 12px; margin: 10px 0; }
.changes .breaking, .changes .error { border-color: var(--bad); }
.changes .narrowing, .changes .warning { border-color: var(--warn); }
.changes .cosmetic { border-color: var(--good); }
.bad { color: var(--bad); }
del { background: var(--removed); }
ins { background: var(--added); text-decoration: none; }
"""


def write(report: DiffReport) -> str:
    """Return the page; every text of a pack is escaped, and the page loads nothing."""
    title = headline(report)
    return write_page(f"{title[:1].upper()}{title[1:]}", "\n".join(_lines(report)), _STYLE)


def _lines(report: DiffReport) -> Iterator[str]:
    title = _text(headline(report))
    yield f"<h1>{title[:1].upper()}{title[1:]}</h1>"
    yield f'<p class="quiet">from {_text(report.old)} to {_text(report.new)}</p>'
    if report.diffs:
        rows = "\n".join(map(_row, report.diffs))
        head = "<thead><tr><th>pack</th><th>version</th><th>changes</th><th>needed</th></tr></thead>"
        yield f'<section class="card scroll"><table>{head}\n<tbody>{rows}</tbody></table></section>'
    if report.problems:
        yield card("Problems", f'<ul class="changes">{"".join(map(_write_problem, report.problems))}</ul>')
    for diff in report.diffs:
        if diff.changes:
            yield card(f"{on_one_line(diff.name)} {on_one_line(diff.versions)}", "\n".join(_write_changes(diff)))


def _text(text: str) -> str:
    return escape(on_one_line(text))


def _row(diff: VersionDiff) -> str:
    mark = ' class="bad"' if diff.is_too_small or diff.status == "broken" else ""
    cells = map(_text, (diff.name, diff.versions, summary(diff)))
    return f"<tr><td>{'</td><td>'.join(cells)}</td><td{mark}>{_text(judgement(diff))}</td></tr>"


def _write_problem(problem: Problem) -> str:
    place = f'<div class="quiet">{_text(str(problem.location))}</div>' if problem.location else ""
    hint = f'<div class="quiet">{_text(problem.hint)}</div>' if problem.hint else ""
    return f'<li class="{problem.severity}"><b>{problem.code}</b> {_text(problem.message)}{hint}{place}</li>'


def _write_changes(diff: VersionDiff) -> Iterator[str]:
    for category, changes in diff.by_category():
        yield f'<h3>{category}: {ABOUT[category]}</h3>\n<ul class="changes">'
        yield from map(_write_change, changes)
        yield "</ul>"


def _write_change(change: Change) -> str:
    parts = [f"<b>{change.code}</b> {_text(change.message)} ({sort_of(change)})"]
    if change.bump in ("major", "minor"):
        parts.append(f'<div class="quiet">{_text(change.hint)}</div>')
    if change.location:
        parts.append(f'<div class="quiet">{_text(str(change.location))}</div>')
    if change.has_counterexample:
        parts.append(f"<div>for example <code>{_text(example(change))}</code></div>")
    # A line end after the tag is not part of the block.
    parts += (f"<pre>\n{''.join(map(_write_piece, excerpt.pieces))}</pre>" for excerpt in excerpts(change))
    return f'<li class="{change.kind}">{"".join(parts)}</li>'


def _write_piece(piece: Piece) -> str:
    text = escape(piece.text)
    tag = _TAGS.get(piece.kind)
    return f"<{tag}>{text}</{tag}>" if tag else text
