"""Two versions of a pack -> `Comparison`: all their locales together."""

from __future__ import annotations

from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.pack.version import Version
from promptpack.versions.change import BUMPS, Change, Comparison
from promptpack.versions.compare import compare


def compare_versions(old: tuple[Library, Version], new: tuple[Library, Version], name: str) -> Comparison:
    """Compare each variant of a version with that of another one, which may be in another library."""
    before, after = _variants(*old, name), _variants(*new, name)
    shared = [(before[one], after[one]) for one in before if one in after]
    pairs = shared or [(next(iter(before.values())), next(iter(after.values())))]
    # Locales are compared once; variants share inputs and contracts, so that a change there is one change.
    compared = (
        compare(old[0]._build_entry(first), new[0]._build_entry(second), None if number else (old[0], new[0]))
        for number, (first, second) in enumerate(pairs)
    )
    changes = {_identity(one): one for several in reversed(list(compared)) for one in several.changes}
    ordered = sorted(changes.values(), key=lambda change: -BUMPS.index(change.bump))
    return Comparison(f"{name}@{old[1]}", f"{name}@{new[1]}", tuple(ordered))


def _identity(change: Change) -> tuple[object, ...]:
    """Return a key of a change; changes of texts in two locales have different keys."""
    return change.code, change.where, change.message, change.words


def _variants(library: Library, version: Version, name: str) -> dict[str, Entry]:
    """Return the files of a version by locale; the default file first, without one, because its locale may change."""
    found = [entry for entry in library.entries if (entry.name, entry.version) == (name, version)]
    ordered = sorted(found, key=lambda entry: not entry.is_default)
    return {"" if entry.is_default else entry.locale: entry for entry in ordered}
