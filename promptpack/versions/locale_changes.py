"""CALL: which locales callers may ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from promptpack.library.entry import Entry
from promptpack.library.library import Library
from promptpack.pack.version import Version
from promptpack.problem import Location
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change


def find_variants(library: Library, name: str, version: Version) -> dict[str, Entry]:
    """Return the files of a version by locale; the default file has none, because its locale may change."""
    found = (entry for entry in library.entries if (entry.name, entry.version) == (name, version))
    return {"" if entry.is_default else entry.locale: entry for entry in found}


def compare_locales(old: Mapping[str, Entry], new: Mapping[str, Entry]) -> Iterator[Change]:
    """Yield the locales that were removed and added."""
    for code, what, these, others in (("PV125", "removed", old, new), ("PV126", "added", new, old)):
        for locale in sorted(these.keys() - others.keys()):
            yield make_change(code, f"locale {locale!r} {what}", _locate(these[locale]), f"locales/{locale}")


def _locate(entry: Entry) -> Location:
    return entry.document.locate_key(("locale",)) if entry.document else Location(entry.path, 1, 1)
