"""For a browser: one page of its own, light and dark, without scripts."""

from collections.abc import Iterator
from html import escape
from typing import Final

from promptpack.characters import visible
from promptpack.cli.console import on_one_line
from promptpack.cli.diff_reports.sentences import example, excerpts, headline, judgement, sort_of, summary
from promptpack.problem import Problem
from promptpack.versions.catalogue import ABOUT
from promptpack.versions.change import Change
from promptpack.versions.version_diff import DiffReport, VersionDiff
from promptpack.versions.word_diff import Piece

_TAGS: Final = {"removed": "del", "added": "ins"}
_STYLE: Final = """
:root { color-scheme: light dark; --line: light-dark(#d8dee4, #3d444d); --soft: light-dark(#f6f8fa, #161b22);
  --quiet: light-dark(#59636e, #9198a1); --red: light-dark(#ffd7d5, #67242a); --green: light-dark(#c8f0d0, #1f5130);
  --bad: light-dark(#b42318, #ff8d85); --good: light-dark(#1a7f37, #5fd37f); --warn: light-dark(#8a5a00, #e3b341); }
body { font: 15px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; border-bottom: 1px solid var(--line); margin-top: 2rem; }
h3 { font-size: 0.95rem; margin: 1.2rem 0 0.3rem; } table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; } th { background: var(--soft); }
ul { list-style: none; padding: 0; } li { border-left: 3px solid var(--line); padding: 0.2rem 0 0.2rem 0.8rem;
  margin: 0.6rem 0; overflow-wrap: anywhere; } li.breaking, li.error { border-color: var(--bad); }
li.narrowing, li.warning { border-color: var(--warn); } li.cosmetic { border-color: var(--good); }
.place, .why, .place + .why { color: var(--quiet); font-size: 0.87rem; } .bad { color: var(--bad); }
code, pre { font: 13px/1.6 ui-monospace, "Noto Sans Mono CJK SC", monospace; }
pre { background: var(--soft); padding: 0.6rem 0.8rem; border-radius: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; margin: 0.4rem 0; }
del { background: var(--red); } ins { background: var(--green); text-decoration: none; }
"""


def write(report: DiffReport) -> str:
    """Return the page; every text of a pack is escaped, and the page loads nothing."""
    return "\n".join(_lines(report))


def _lines(report: DiffReport) -> Iterator[str]:
    title = _text(headline(report))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{title[:1].upper()}{title[1:]}</h1>"
    yield f'<p class="why">from {_text(report.old)} to {_text(report.new)}</p>'
    if report.diffs:
        yield "<table>\n<tr><th>pack</th><th>version</th><th>changes</th><th>needed</th></tr>"
        yield from map(_row, report.diffs)
        yield "</table>"
    yield from _write_problems(report.problems)
    for diff in report.diffs:
        if diff.changes:
            yield f"<h2>{_text(diff.name)} {_text(diff.versions)}</h2>"
            yield from _write_changes(diff)
    yield "</body>\n</html>"


def _text(text: str) -> str:
    return escape(on_one_line(text))


def _row(diff: VersionDiff) -> str:
    mark = ' class="bad"' if diff.is_too_small or diff.status == "broken" else ""
    cells = map(_text, (diff.name, diff.versions, summary(diff)))
    return f"<tr><td>{'</td><td>'.join(cells)}</td><td{mark}>{_text(judgement(diff))}</td></tr>"


def _write_problems(problems: tuple[Problem, ...]) -> Iterator[str]:
    if problems:
        yield "<ul>"
    for problem in problems:
        place = f'<div class="place">{_text(str(problem.location))}</div>' if problem.location else ""
        hint = f'<div class="why">{_text(problem.hint)}</div>' if problem.hint else ""
        yield f'<li class="{problem.severity}"><b>{problem.code}</b> {_text(problem.message)}{hint}{place}</li>'
    if problems:
        yield "</ul>"


def _write_changes(diff: VersionDiff) -> Iterator[str]:
    for category, changes in diff.by_category():
        yield f"<h3>{category}: {ABOUT[category]}</h3>\n<ul>"
        yield from map(_write_change, changes)
        yield "</ul>"


def _write_change(change: Change) -> str:
    parts = [f"<b>{change.code}</b> {_text(change.message)} ({sort_of(change)})"]
    if change.bump in ("major", "minor"):
        parts.append(f'<div class="why">{_text(change.hint)}</div>')
    if change.location:
        parts.append(f'<div class="place">{_text(str(change.location))}</div>')
    if change.has_counterexample:
        parts.append(f"<div>for example <code>{_text(example(change))}</code></div>")
    # A line end after the tag is not part of the block.
    parts += (f"<pre>\n{''.join(map(_write_piece, excerpt.pieces))}</pre>" for excerpt in excerpts(change))
    return f'<li class="{change.kind}">{"".join(parts)}</li>'


def _write_piece(piece: Piece) -> str:
    text = escape(visible(piece.text))
    tag = _TAGS.get(piece.kind)
    return f"<{tag}>{text}</{tag}>" if tag else text
