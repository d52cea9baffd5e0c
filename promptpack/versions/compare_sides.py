"""Two sides of a diff -> `Comparison`."""

from __future__ import annotations

from promptpack.versions.change import Comparison
from promptpack.versions.compare import compare
from promptpack.versions.compare_versions import compare_versions
from promptpack.versions.version_side import VersionSide


def compare_sides(old: VersionSide, new: VersionSide) -> Comparison:
    """Return the differences; if each side has one file, these are compared, whatever their names and locales are.

    Raise the problems of broken files.
    """
    before, after = old.build(), new.build()
    if len(before) == len(after) == 1 or old.version is None or new.version is None:
        return compare(next(iter(before.values())), next(iter(after.values())))
    return compare_versions((old.library, old.version), (new.library, new.version), new.name)


def have_same_digests(old: VersionSide, new: VersionSide) -> bool:
    """Return whether both sides render and check the same, in the same locales."""
    digests = [{locale: pack.digest for locale, pack in side.build().items()} for side in (old, new)]
    return digests[0] == digests[1]
