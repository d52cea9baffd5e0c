"""`VersionDiff`: the changes of one version of a pack; `DiffReport`: those of all versions, with their problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from promptpack.lazy import cached_property
from promptpack.pack.version import Version
from promptpack.problem import Problem
from promptpack.versions.bumps import is_enough, required_version
from promptpack.versions.catalogue import ABOUT
from promptpack.versions.change import BUMPS, Bump, Category, Change, ChangeKind, Comparison
from promptpack.versions.version_side import VersionSide

Status = Literal["added", "changed", "removed", "broken"]
NO_CHANGES: Final = Comparison("", "")
KINDS: Final[tuple[ChangeKind, ...]] = ("breaking", "narrowing", "compatible", "cosmetic")
"""From the most to the least important."""


@dataclass(frozen=True)
class VersionDiff:
    """One version of a pack, compared with an earlier state or version of it.

    `old` is None for a new pack, `new` for a removed version. `base` is the release that the new version must exceed,
    and `since` what changed since then; both are None if there is no earlier release.
    """

    name: str
    status: Status
    old: VersionSide | None
    new: VersionSide | None
    comparison: Comparison = NO_CHANGES
    base: VersionSide | None = None
    since: Comparison | None = None
    is_rewritten: bool = False
    """Whether it is a release that has changed."""
    problems: tuple[Problem, ...] = ()
    """Why it cannot be compared."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes."""
        return self.comparison.changes

    @property
    def versions(self) -> str:
        """Both versions; one if they are equal, or if there is only one."""
        sides = [str(side.version or "?") for side in (self.old, self.new) if side is not None]
        return " → ".join(dict.fromkeys(sides))

    @property
    def kind(self) -> ChangeKind | None:
        """The class of the most important change."""
        return min((change.kind for change in self.changes), key=KINDS.index, default=None)

    @cached_property
    def bump(self) -> Bump:
        """The part of the version that must grow since the base, or since the old side."""
        found = (self.since or self.comparison).bump
        return "patch" if self.is_rewritten and found == "none" else found

    @property
    def declared(self) -> Bump | None:
        """The part of the version that grows since the base; None if there is no base."""
        if self.base is None or self.base.version is None or self.new is None or self.new.version is None:
            return None
        return declared_bump(self.base.version, self.new.version)

    @property
    def required(self) -> Version | None:
        """The smallest version that the change may have; None if there is no base."""
        if self.base is None or self.base.version is None or self.since is None:
            return None
        return required_version(self.base.version, self.bump)

    @property
    def is_too_small(self) -> bool:
        """Whether the version is too small for the change, or a release was rewritten."""
        if self.is_rewritten:
            return True
        if self.base is None or self.base.version is None or self.new is None or self.new.version is None:
            return False
        return self.since is not None and not is_enough(self.base.version, self.new.version, self.bump)

    def by_category(self) -> Iterator[tuple[Category, tuple[Change, ...]]]:
        """Yield the categories that have changes, with the largest bump first."""
        for category in ABOUT:
            found = [change for change in self.changes if change.category == category]
            if found:
                yield category, tuple(sorted(found, key=lambda change: -BUMPS.index(change.bump)))


@dataclass(frozen=True)
class DiffReport:
    """The differences between two places; `problems` are broken packs and, if checked, versions that are too small."""

    old: str
    new: str
    diffs: tuple[VersionDiff, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_checked: bool = False

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return any(problem.severity == "error" for problem in self.problems)


def declared_bump(old: Version, new: Version) -> Bump:
    """Return the first part of the version that differs; `none` if only the draft part does."""
    parts: tuple[Bump, ...] = ("major", "minor", "patch")
    return next((part for part in parts if getattr(old, part) != getattr(new, part)), "none")
