"""The result of a reload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import promptpack
from promptpack.files import Stamp
from promptpack.problem import Problem

if TYPE_CHECKING:
    from promptpack.library.library import GracePeriod


class Absence(NamedTuple):
    """The time since when the file of a pack is gone, and a stamp that changes if the file comes back."""

    since: float
    place: Stamp | None

    def is_over(self, grace: GracePeriod) -> bool:
        """Return whether the grace period is over."""
        return grace.clock() - self.since >= grace.seconds


class PackName(NamedTuple):
    """A pack in a `ReloadReport`: its `name`, `version` and `locale`, which is empty if the pack has none.

    As text it is `planner@1.0.0 (en)`.
    """

    name: str
    version: str
    locale: str = ""

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" + (f" ({self.locale})" if self.locale else "")


@dataclass(frozen=True, slots=True)
class ReloadReport:
    """What a reload found; packs are sorted by name, version and locale."""

    library: promptpack.Library
    """The library as it is now; the same object if nothing has changed."""
    added: tuple[PackName, ...] = ()
    """The packs that can be used now, and could not be used before."""
    removed: tuple[PackName, ...] = ()
    """The packs that can no longer be used: their files are gone, and the grace period is over."""
    changed: tuple[PackName, ...] = ()
    """The packs that render or check differently: their digests have changed."""
    problems: tuple[Problem, ...] = ()
    """All problems of the library now; a broken pack stays available as it was."""
