"""Arithmetic of versions: the next version for a bump, and whether a version is large enough for a change."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from promptpack.pack.version import Version
from promptpack.versions.change import Bump

# Before 1.0.0, the second number counts breaking changes, as in the ranges `^0.2` and `~0.2`.
_BEFORE_ONE: Final[dict[Bump, Bump]] = {"major": "minor", "minor": "patch", "patch": "patch", "none": "none"}


def next_version(version: Version, bump: Bump) -> Version:
    """Return the next release after raising the named part of a version; `none` returns the version itself.

    A draft already raises a part: the next patch and the next minor version after 1.1.0-dev are 1.1.0, the next major
    version is 2.0.0.
    """
    major, minor, patch = version.major, version.minor, version.patch
    if bump == "none" or (version.is_draft and _raises(version, bump)):
        return version if bump == "none" else replace(version, pre=())
    match bump:
        case "major":
            return Version(major + 1, 0, 0)
        case "minor":
            return Version(major, minor + 1, 0)
    return Version(major, minor, patch + 1)


def required_version(old: Version, bump: Bump) -> Version:
    """Return the smallest version that a changed pack may have: the next one, as `next_version` counts.

    Before 1.0.0, a breaking change raises the second number, and any other change the third, so that `^0.2` stays safe.
    """
    return next_version(old, bump if old.major else _BEFORE_ONE[bump])


def is_enough(old: Version, new: Version, bump: Bump) -> bool:
    """Return whether `new` is large enough for a change of `old` that needs a bump; a draft counts as its release."""
    return replace(new, pre=()) >= required_version(old, bump)


def _raises(draft: Version, bump: Bump) -> bool:
    """Return whether the release of a draft raises this part of the version before it."""
    return bump == "patch" or (draft.patch == 0 and (bump == "minor" or draft.minor == 0))
