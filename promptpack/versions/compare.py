"""Two packs -> `Comparison`."""

from __future__ import annotations

from promptpack.pack.model import Pack
from promptpack.versions.change import Change, Comparison
from promptpack.versions.sides import read_side
from promptpack.versions.text_changes import compare_texts


def compare(old: Pack, new: Pack) -> Comparison:
    """Return what differs between two packs, most important first; the version itself is no change."""
    before, after = read_side(old), read_side(new)
    changes: list[Change] = [*compare_texts(before, after)]
    return Comparison(old.label, new.label, tuple(changes))
