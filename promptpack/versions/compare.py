"""Two packs -> `Comparison`."""

from __future__ import annotations

from promptpack.library.library import Library
from promptpack.pack.model import Pack
from promptpack.versions.call_changes import compare_calls
from promptpack.versions.change import BUMPS, Change, Comparison
from promptpack.versions.reply_changes import compare_replies
from promptpack.versions.sides import read_side
from promptpack.versions.text_changes import compare_texts
from promptpack.versions.unclassified import find_unclassified


def compare(old: Pack, new: Pack, libraries: tuple[Library, Library] | None = None) -> Comparison:
    """Return what differs between two packs, most important first; the version itself is no change.

    With the `libraries` that the old and the new pack come from, their locales are compared too.
    """
    before, after = read_side(old), read_side(new)
    changes: list[Change] = [
        *compare_calls(before, after, libraries),
        *compare_replies(before, after),
        *compare_texts(before, after),
    ]
    changes += find_unclassified(before, after, changes)
    ordered = sorted(changes, key=lambda change: -BUMPS.index(change.bump))
    return Comparison(old.label, new.label, tuple(ordered))
