"""The `Change`, one difference between two packs, and the `Comparison`, all of them with the bump that they need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from promptpack.lazy import cached_property
from promptpack.problem import Location, Problem, as_data
from promptpack.versions.word_diff import WordDiff

Category = Literal["CALL", "REPLY", "TEXT"]
ChangeKind = Literal["breaking", "narrowing", "compatible", "cosmetic"]
Bump = Literal["major", "minor", "patch", "none"]
BUMPS: Final[tuple[Bump, ...]] = ("none", "patch", "minor", "major")
"""From the smallest to the largest."""


@dataclass(frozen=True)
class Change:
    """One difference between two packs.

    `code` is stable, such as PV101; `category` says whom it concerns, `kind` how, and `bump` which part of the version
    must grow. `where` names the part of the pack, such as `inputs/USER_GOAL`. `location` is in the new file, or in the
    old one for a removed part. `counterexample` is a value that proves it: accepted by one pack and not by the other;
    it is None if there is none, as `has_counterexample` says.
    """

    code: str
    category: Category
    kind: ChangeKind
    bump: Bump
    message: str
    location: Location | None = None
    where: str = ""
    hint: str = ""
    counterexample: Any = None
    has_counterexample: bool = False
    words: WordDiff | None = field(default=None, repr=False)
    """The old and the new text by words, if a text has changed."""

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        return f"{place}{self.code} {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        place = as_data(Problem(self.code, self.message, self.location, self.hint))
        del place["severity"]
        found = {**place, "category": self.category, "class": self.kind, "bump": self.bump, "where": self.where}
        if self.has_counterexample:
            found["counterexample"] = self.counterexample
        if self.words:
            found["words"] = self.words.to_data()
        return found


@dataclass(frozen=True)
class Comparison:
    """The differences between two packs; `old` and `new` are their labels."""

    old: str
    new: str
    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    @cached_property
    def bump(self) -> Bump:
        """The part of the version that must grow at least: the largest that a change needs."""
        return largest(change.bump for change in self.changes)


def largest(bumps: Iterable[Bump]) -> Bump:
    """Return the largest of some bumps; `none` if there are none."""
    return max(bumps, key=BUMPS.index, default="none")
