"""The `Coverage`: every point that tests can reach, and how often they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from promptpack.problem import Location, Problem


class Point(NamedTuple):
    """Something at a place that a test can reach, such as a branch that is taken."""

    path: str
    line: int
    column: int
    what: str

    @property
    def location(self) -> Location:
        """The place."""
        return Location(self.path, self.line, self.column)

    @property
    def problem(self) -> Problem:
        """The problem of a point that no test reaches."""
        return Problem("PP951", f"no test covers this: {self.what}", self.location, "", "warning")


@dataclass(frozen=True)
class Coverage:
    """How often tests reach each point; points of files that several packs use are added up."""

    hits: Mapping[Point, int] = field(default_factory=dict)

    def __add__(self, other: Coverage) -> Coverage:
        points = dict.fromkeys((*self.hits, *other.hits))
        return Coverage({point: self.hits.get(point, 0) + other.hits.get(point, 0) for point in points})

    def without(self, ignored: Mapping[str, frozenset[int]]) -> Coverage:
        """Return the coverage without some lines of files."""
        return Coverage(
            {point: count for point, count in self.hits.items() if point.line not in ignored.get(point.path, ())}
        )

    @property
    def missing(self) -> list[Point]:
        """The points that no test reaches, in order."""
        return sorted(point for point, count in self.hits.items() if not count)

    @property
    def covered(self) -> int:
        """How many points tests reach."""
        return sum(1 for count in self.hits.values() if count)

    @property
    def percent(self) -> float:
        """The share of points that tests reach; 100 if there are none."""
        return 100 * self.covered / len(self.hits) if self.hits else 100.0

    def files(self) -> Iterator[tuple[str, Coverage]]:
        """Yield the coverage of each file, in order."""
        for path, points in groupby(sorted(self.hits), key=lambda point: point.path):
            yield path, Coverage({point: self.hits[point] for point in points})

    def lines(self) -> dict[int, tuple[int, int]]:
        """Return, for each line with points, how many of them tests reach, and how many there are."""
        found: dict[int, tuple[int, int]] = {}
        for point, count in sorted(self.hits.items()):
            covered, total = found.get(point.line, (0, 0))
            found[point.line] = covered + bool(count), total + 1
        return found
