"""Two versions of a pack -> `Comparison`: all their locales together."""

from __future__ import annotations

from collections.abc import Iterator

from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.pack.version import Version
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change, Comparison
from promptpack.versions.compare import compare


def compare_versions(old: tuple[Library, Version], new: tuple[Library, Version], name: str) -> Comparison:
    """Compare each variant of a version with that of another one, which may be in another library."""
    before, after = _variants(*old, name), _variants(*new, name)
    shared = [locale for locale in before if locale in after]
    found = (compare(old[0]._build_entry(before[one]), new[0]._build_entry(after[one])) for one in shared)
    # Variants share inputs and contracts, and what changed there is one change; their words differ.
    changes = {_identity(one): one for several in found for one in reversed(several.changes)}
    others = [*_missing(before, after, "PV125", "removed"), *_missing(after, before, "PV126", "added")]
    return Comparison(f"{name}@{old[1]}", f"{name}@{new[1]}", (*others, *reversed(changes.values())))


def _identity(change: Change) -> tuple[object, ...]:
    return change.code, change.where, change.message, change.words


def _variants(library: Library, version: Version, name: str) -> dict[str, Entry]:
    found = [entry for entry in library.entries if (entry.name, entry.version) == (name, version)]
    # The locale of the default file may change; it is still the same variant.
    return {"" if entry.is_default else entry.locale: entry for entry in found}


def _missing(these: dict[str, Entry], others: dict[str, Entry], code: str, what: str) -> Iterator[Change]:
    for locale in sorted(these.keys() - others.keys()):
        document = these[locale].document
        place = document.locate_key(("locale",)) if document else None
        yield make_change(code, f"locale {locale!r} {what}", place, f"locales/{locale}")
