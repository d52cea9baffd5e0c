"""Two versions of a pack -> `Comparison`: what differs in any locale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from promptpack.pack.model import Pack
from promptpack.problem import Location
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change, Comparison
from promptpack.versions.compare import compare
from promptpack.versions.pack_version import PackVersion


class _Built(NamedTuple):
    """A version with its packs by locale."""

    version: PackVersion
    packs: Mapping[str, Pack]

    def locate(self, locale: str) -> Location:
        entry = next(one for one in self.version.entries if one.locale == locale)
        return entry.document.locate(("locale",)) if entry.document else Location(entry.path)

    @property
    def default(self) -> str:
        return self.version.entries[0].locale


def compare_versions(old: PackVersion, new: PackVersion) -> Comparison:
    """Return what differs in any locale; what a variant only inherits is reported once.

    If both sides have one file each, these are compared, whatever their locales are.
    """
    before, after = _Built(old, old.build()), _Built(new, new.build())
    return Comparison(old.label, new.label, tuple(_drop_repeated(_find_changes(before, after))))


def have_same_digests(old: PackVersion, new: PackVersion) -> bool:
    """Return whether both versions render and check the same, in the same locales."""
    digests = [{locale: pack.digest for locale, pack in one.build().items()} for one in (old, new)]
    return digests[0] == digests[1]


def _find_changes(old: _Built, new: _Built) -> Iterator[Change]:
    if len(old.packs) == len(new.packs) == 1:
        yield from compare(*old.packs.values(), *new.packs.values()).changes
        return
    for locale in old.packs:
        if locale not in new.packs:
            yield make_change("PV125", f"locale {locale!r} removed", old.locate(locale), f"locales/{locale}")
    for locale, pack in new.packs.items():
        if locale in old.packs:
            yield from compare(old.packs[locale], pack).changes
        else:
            yield make_change("PV126", f"locale {locale!r} added", new.locate(locale), f"locales/{locale}")
    if old.default != new.default:
        message = f"default locale changed from {old.default!r} to {new.default!r}"
        yield make_change("PV127", message, new.locate(new.default), "locale")


def _drop_repeated(changes: Iterator[Change]) -> Iterator[Change]:
    """Yield the changes, each one once: a variant inherits those of the default file."""
    seen: set[tuple[object, ...]] = set()
    for change in changes:
        key = change.code, change.where, change.message, change.location
        if key not in seen:
            seen.add(key)
            yield change
