"""The sentences and excerpts that the formats for people share."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from promptpack.versions.change import BUMPS, Change, largest
from promptpack.versions.sides import short
from promptpack.versions.version_diff import KINDS, DiffReport, VersionDiff
from promptpack.versions.word_diff import Piece, WordDiff

_MAX_EXAMPLE: Final = 300
# Of a long unchanged piece, only both ends are shown.
_MAX_KEPT: Final = 240
_END: Final = 80


def headline(report: DiffReport) -> str:
    """Return one sentence: how much changed, and which bump it needs."""
    if not report.diffs:
        return "no pack changed"
    names = {diff.name for diff in report.diffs}
    changed = f"{len(names)} pack{'s' if len(names) > 1 else ''} changed"
    bump = largest(diff.bump for diff in report.diffs)
    small = sum(diff.is_too_small for diff in report.diffs) if report.is_checked else 0
    parts = [changed, f"the largest change is {bump}" if bump != "none" else "no version needs to grow"]
    if small:
        parts.append(f"{small} version{'s are' if small > 1 else ' is'} too small")
    broken = sum(diff.status == "broken" for diff in report.diffs)
    if broken:
        parts.append(f"{broken} cannot be compared")
    return ", ".join(parts)


def summary(diff: VersionDiff) -> str:
    """Return the kind of the difference of a version, in a few words."""
    match diff.status:
        case "broken":
            return "cannot be compared, because it is broken"
        case "removed":
            return "removed"
        case "added" if diff.old is None:
            return "new pack"
    counts = Counter(change.kind for change in diff.changes)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]) or "no changes"


def judgement(diff: VersionDiff) -> str:
    """Return which version the change needs, and whether it is declared; empty if nothing is needed."""
    if diff.is_rewritten:
        return f"a release changed: needs {diff.required or diff.bump} ({diff.bump})"
    if diff.required is None or diff.base is None:
        return "" if diff.bump == "none" else f"needs {diff.bump}"
    since = "" if diff.base == diff.old else f" since {diff.base.version}"
    verdict = "too small: " if diff.is_too_small else ""
    return f"{verdict}needs {diff.required}{since} ({diff.bump})" if diff.bump != "none" else ""


def example(change: Change) -> str:
    """Return the counterexample of a change as JSON; empty if it has none."""
    return short(change.counterexample, _MAX_EXAMPLE) if change.has_counterexample else ""


def sort_of(change: Change) -> str:
    """Return the class and the bump of a change."""
    return f"{change.kind}, {change.bump}" if change.bump != BUMPS[0] else change.kind


def excerpts(change: Change) -> Iterator[WordDiff]:
    """Yield the changed lines of a text with a line around them; long unchanged pieces are cut."""
    for excerpt in change.words.excerpts() if change.words else ():
        yield WordDiff(tuple(_cut(piece) for piece in excerpt.pieces))


def _cut(piece: Piece) -> Piece:
    if piece.kind != "kept" or len(piece.text) <= _MAX_KEPT:
        return piece
    return piece._replace(text=f"{piece.text[:_END]} … {piece.text[-_END:]}")
