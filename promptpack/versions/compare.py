"""Two packs -> `Comparison`."""

from __future__ import annotations

from promptpack.library.library import Library
from promptpack.pack.model import Pack
from promptpack.versions.call_changes import compare_calls
from promptpack.versions.change import BUMPS, Change, Comparison
from promptpack.versions.locale_changes import compare_locales, find_variants
from promptpack.versions.reply_changes import compare_replies
from promptpack.versions.sides import ComparisonMeter, read_side
from promptpack.versions.text_changes import compare_texts
from promptpack.versions.unclassified_changes import find_unclassified


def compare(old: Pack, new: Pack, libraries: tuple[Library, Library] | None = None) -> Comparison:
    """Return the differences between two packs, most important first; the version itself is not a change.

    With the `libraries` that the old and the new pack come from, it includes the locales that were added and removed.
    """
    meter = ComparisonMeter()
    before, after = read_side(old, meter), read_side(new, meter)
    changes: list[Change] = [
        *compare_calls(before, after),
        *compare_replies(before, after),
        *compare_texts(before, after),
    ]
    changes += find_unclassified(before, after, changes)
    if libraries:
        variants = [
            find_variants(one, pack.name, pack.version) for one, pack in zip(libraries, (old, new), strict=True)
        ]
        changes += compare_locales(variants[0], variants[1])
    ordered = sorted(changes, key=lambda change: -BUMPS.index(change.bump))
    return Comparison(old.label, new.label, tuple(ordered))
