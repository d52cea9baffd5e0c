"""Facts about lists: their length, the goals of their items, and how many items meet a schema."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import combinations, islice, product
from typing import Final

from promptpack.schema.inclusion.atoms import Count, Item, ItemAt, Items, Size, SomeItem, Unique
from promptpack.schema.inclusion.item_search import ItemSearch, ListPlan
from promptpack.schema.inclusion.nodes import Goal, Literal
from promptpack.schema.inclusion.solutions import Solution, Solver, ValueCollector, ValueRequest

_MAX_PLANS: Final = 100
_MAX_CHECKED: Final = 20
# Joining the goals of this many items takes a step.
_ITEMS_A_STEP: Final = 3


class Lists:
    """The length of a list, and the goals of its items."""

    def __init__(self) -> None:
        self.low: int = 0
        self.high: int | None = None
        self.counts: tuple[Count, ...] = ()
        self.is_unique: bool | None = None
        self._maps: tuple[Items, ...] = ()
        self._at: dict[int, frozenset[Literal]] = {}
        self._some: tuple[SomeItem, ...] = ()

    def copy(self) -> Lists:
        """Return facts that can grow independently."""
        copied = copy(self)
        copied._at = dict(self._at)
        return copied

    def add(self, atom: Item) -> bool:
        """Add an atom; return False if it contradicts the others, as far as lengths show."""
        match atom:
            case Size():
                return self._limit(atom.low, atom.high)
            case ItemAt():
                self._at[atom.place] = self._at.get(atom.place, frozenset()) | {atom.literal}
                return self._limit(atom.place + 1, None)
            case SomeItem():
                self._some = (*self._some, atom)
                return self._limit(atom.start + 1, None)
            case Items():
                self._maps = (*self._maps, atom)
            case Count():
                self.counts = self.counts if atom in self.counts else (*self.counts, atom)
                return self._limit(atom.low, None)
            case Unique():
                is_new = self.is_unique is None or self.is_unique is atom.holds
                self.is_unique = atom.holds
                return is_new and self._limit(0 if atom.holds else 2, None)
        return True

    def _limit(self, low: int, high: int | None) -> bool:
        self.low = max(self.low, low)
        if high is not None:
            self.high = high if self.high is None else min(self.high, high)
        return self.high is None or self.low <= self.high

    @property
    def named(self) -> int:
        """How many items at the start may have goals of their own."""
        return max([0, *(len(one.prefix) for one in self._maps), *(index + 1 for index in self._at)])

    def goal_of(self, index: int) -> Goal:
        """Return the goal of the item at an index."""
        nodes = (one.prefix[index] if index < len(one.prefix) else one.rest for one in self._maps)
        return self._at.get(index, frozenset()) | {Literal(node, holds=True) for node in nodes if node is not None}

    def is_impossible(self, solver: Solver) -> bool:
        """Return whether an item that the list has can have no value."""
        checked = range(min(self.low, self.named + 1, _MAX_CHECKED))
        return any(solver.solve(self.goal_of(index)).is_empty for index in checked)

    def find(self, solver: Solver, request: ValueRequest) -> Solution:
        """Return lists that have these facts."""
        found = ValueCollector(request)
        plans = list(islice(self._plans(solver), _MAX_PLANS + 1))
        is_all = len(plans) <= _MAX_PLANS
        for plan in plans[:_MAX_PLANS]:
            result = ItemSearch(plan, solver, request).find()
            is_all = is_all and result.is_all
            for value in result.values:
                found.offer(value)
            if found.is_full:
                return Solution(tuple(found.values))
        return Solution(tuple(found.values), is_all)

    def _plans(self, solver: Solver) -> Iterator[ListPlan]:
        """Yield every choice of places for the items that must be somewhere, and for the two that are equal."""
        # From here on, all places are alike.
        alike = max([self.named, *(one.start for one in self._some)])
        end = alike + len(self._some)
        places = [range(one.start, end) for one in self._some]
        pairs = [None] if self.is_unique is not False else list(combinations(range(end + 2), 2))
        for chosen in product(*places):
            solver.meter.spend(end // _ITEMS_A_STEP)
            goals = {index: self.goal_of(index) for index in range(max([self.named, *(one + 1 for one in chosen)]))}
            for index, one in zip(chosen, self._some, strict=True):
                goals[index] |= {one.literal}
            low = max([self.low, *(one + 1 for one in chosen)])
            for pair in pairs:
                solver.meter.spend(end // _ITEMS_A_STEP)
                yield self._plan(goals, low, pair)

    def _plan(self, goals: dict[int, Goal], low: int, pair: tuple[int, int] | None) -> ListPlan:
        rest = self.goal_of(self.named)
        named = [goals.get(index, rest) for index in range(max([len(goals), *((pair[1] + 1,) if pair else ())]))]
        if pair is not None:
            low = max(low, pair[1] + 1)
            named[pair[0]] = named[pair[1]] = named[pair[0]] | named[pair[1]]
        return ListPlan(tuple(named), rest, low, self.high, self.counts, bool(self.is_unique), pair)
