"""Find lists whose items meet goals, with limits on how many of them meet further schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import product
from typing import Any, Final, NamedTuple

from promptpack.schema.equality import equality_key
from promptpack.schema.inclusion.atoms import Count
from promptpack.schema.inclusion.nodes import Goal, Literal
from promptpack.schema.inclusion.solutions import EMPTY, Solution, Solver, ValueCollector, ValueRequest
from promptpack.schema.inclusion.step_meter import UndecidedError

_MAX_COUNTS: Final = 4
_MAX_LENGTH: Final = 3_000
_MAX_DIFFERENT: Final = 60
_MAX_PRODUCT: Final = 300
_LONGER: Final = 3

Tally = tuple[int, ...]
"""How many items meet each counted schema; larger numbers that make no difference are one."""


class ListPlan(NamedTuple):
    """The goals of the first items and of the rest, the limits of the list, and the indexes of two equal items."""

    named: tuple[Goal, ...]
    rest: Goal
    low: int
    high: int | None
    counts: tuple[Count, ...]
    is_unique: bool
    pair: tuple[int, int] | None

    def goal_of(self, index: int) -> Goal:
        """Return the goal of the item at an index."""
        return self.named[index] if index < len(self.named) else self.rest


class _ItemChoice(NamedTuple):
    """Items that meet a goal, and meet or do not meet each counted schema."""

    signs: tuple[bool, ...]
    result: Solution


class ItemSearch:
    """Searches lists for one plan."""

    def __init__(self, plan: ListPlan, solver: Solver, request: ValueRequest) -> None:
        if len(plan.counts) > _MAX_COUNTS:
            raise UndecidedError("too many 'contains' apply together")
        self._plan = plan
        self._solver = solver
        self._request = request
        self._choices: dict[Goal, list[_ItemChoice]] = {}

    def find(self) -> Solution:
        """Return lists that fit the plan; `is_all` without values if there are none."""
        if self._plan.is_unique and self._has_too_few_values():
            return EMPTY
        found = ValueCollector(self._request)
        is_empty = True
        for signs in self._signs_of_pair():
            for value in self._find_values(signs):
                found.offer(value)
                if found.is_full:
                    return Solution(tuple(found.values))
            is_empty = is_empty and self._is_empty(signs)
        if is_empty:
            return EMPTY
        return self._enumerate() or Solution(tuple(found.values))

    def _has_too_few_values(self) -> bool:
        """Return whether items with few possible values cannot be all different."""
        places = [self._choices_of(self._plan.goal_of(index)) for index in range(min(self._plan.low, _MAX_DIFFERENT))]
        few = [choices for choices in places if all(choice.result.is_all for choice in choices)]
        return (
            _choose_different([tuple(one for choice in choices for one in choice.result.values) for choices in few])
            is None
        )

    def _signs_of_pair(self) -> Iterable[tuple[bool, ...] | None]:
        """Return the signs that two equal items can have; only None if no items must be equal."""
        if self._plan.pair is None:
            return (None,)
        return [choice.signs for choice in self._choices_of(self._plan.goal_of(self._plan.pair[0]))]

    def _find_values(self, signs: tuple[bool, ...] | None) -> Iterator[list[Any]]:
        low = self._plan.low
        for _ in range(_LONGER):
            path, _ = self._find_path(signs, low, only_known=True)
            if path is None:
                return
            value = self._read(path)
            if value is not None:
                yield value
                yield from self._vary(value, path)
            low = len(path) + 1

    def _is_empty(self, signs: tuple[bool, ...] | None) -> bool:
        path, is_sure = self._find_path(signs, self._plan.low, only_known=False)
        return path is None and is_sure

    def _choices_of(self, goal: Goal) -> list[_ItemChoice]:
        """Return the ways in which an item can meet a goal, without those that are impossible."""
        if goal not in self._choices:
            wanted = min(max(self._plan.low, len(self._plan.named), 1) + 1, _MAX_DIFFERENT)
            wanted = wanted if self._plan.is_unique else 1
            found = []
            for signs in product((True, False), repeat=len(self._plan.counts)):
                counted = zip(self._plan.counts, signs, strict=True)
                result = self._solver.solve(goal.union(Literal(one.node, sign) for one, sign in counted), wanted)
                found += [] if result.is_empty else [_ItemChoice(signs, result)]
            self._choices[goal] = found
        return self._choices[goal]

    def _choices_at(self, index: int, signs: tuple[bool, ...] | None) -> list[_ItemChoice]:
        choices = self._choices_of(self._plan.goal_of(index))
        if self._plan.pair is None or index not in self._plan.pair:
            return choices
        return [choice for choice in choices if choice.signs == signs]

    def _find_path(
        self, signs: tuple[bool, ...] | None, low: int, *, only_known: bool
    ) -> tuple[list[_ItemChoice] | None, bool]:
        """Return the choices of a shortest list of at least this length, or None and whether there is surely none."""
        levels: list[dict[Tally, Any]] = [{(0,) * len(self._plan.counts): None}]
        seen: set[frozenset[Tally]] = set()
        while True:
            length = len(levels) - 1
            fitting = next((tally for tally in levels[-1] if self._fits(tally)), None) if length >= low else None
            if fitting is not None:
                return _read_back(levels, fitting), True
            if length >= max(low, len(self._plan.named)):
                if frozenset(levels[-1]) in seen:
                    return None, True
                seen.add(frozenset(levels[-1]))
            if length == self._high or not levels[-1]:
                return None, True
            if length >= _MAX_LENGTH:
                return None, False
            choices = self._choices_at(length, signs)
            known = [choice for choice in choices if choice.result.values or not only_known]
            levels.append(self._next_level(levels[-1], known))

    def _next_level(self, level: dict[Tally, Any], choices: list[_ItemChoice]) -> dict[Tally, Any]:
        after: dict[Tally, Any] = {}
        for tally in level:
            self._solver.meter.spend()
            for choice in choices:
                following = tuple(
                    min(number + sign, limit)
                    for number, sign, limit in zip(tally, choice.signs, self._limits, strict=True)
                )
                if all(one <= high for one, high in zip(following, self._highs, strict=True)):
                    after.setdefault(following, (tally, choice))
        return after

    @cached_property
    def _highs(self) -> list[float]:
        """The largest number of items that may meet each counted schema."""
        highs = [float("inf") if one.high is None else one.high for one in self._plan.counts]
        if not self._plan.is_unique:
            return highs
        return [min(high, self._count_values(index)) for index, high in enumerate(highs)]

    @cached_property
    def _limits(self) -> list[int]:
        return [
            max(one.low, int(high) + 1 if high != float("inf") else 0)
            for one, high in zip(self._plan.counts, self._highs, strict=True)
        ]

    @cached_property
    def _high(self) -> int | None:
        """The largest length; different items cannot be more than there are values."""
        if not self._plan.is_unique:
            return self._plan.high
        every = self._count_values(None)
        rest = len(self._plan.named) + _count_different(self._choices_of(self._plan.rest))
        high = min(every, rest, float("inf") if self._plan.high is None else self._plan.high)
        return None if high == float("inf") else int(high)

    def _count_values(self, index: int | None) -> float:
        """Return how many different items there can be, or only how many of those that meet a counted schema."""
        goals = {*self._plan.named, self._plan.rest}
        choices = [choice for goal in goals for choice in self._choices_of(goal)]
        return _count_different([choice for choice in choices if index is None or choice.signs[index]])

    def _fits(self, tally: Tally) -> bool:
        highs = zip(tally, self._plan.counts, self._highs, strict=True)
        return all(one.low <= number <= high for number, one, high in highs)

    def _read(self, path: list[_ItemChoice]) -> list[Any] | None:
        """Return the items of a path; different ones if they must be, or None if that fails."""
        if self._plan.is_unique:
            return _choose_different([choice.result.values for choice in path])
        items = [choice.result.values[0] for choice in path]
        if self._plan.pair is not None:
            items[self._plan.pair[1]] = items[self._plan.pair[0]]
        return items

    def _vary(self, items: list[Any], path: list[_ItemChoice]) -> Iterator[list[Any]]:
        """Yield lists in which one item has another value."""
        if self._plan.pair is not None or self._request.wanted + len(self._request.excluded) == 1:
            return
        for index, choice in enumerate(path[:3]):
            goal = self._plan.goal_of(index).union(
                Literal(one.node, sign) for one, sign in zip(self._plan.counts, choice.signs, strict=True)
            )
            for value in self._solver.solve(goal, 3 + len(self._request.excluded[:10])).values:
                yield [*items[:index], value, *items[index + 1 :]]

    def _enumerate(self) -> Solution | None:
        """Return all lists if there are few, otherwise None."""
        if self._high is None or self._high > _MAX_DIFFERENT:
            return None
        values, total, size = [], 0, 1
        for index in range(self._high):
            result = self._solver.solve(self._plan.goal_of(index), _MAX_PRODUCT)
            size *= len(result.values)
            total += size
            if not result.is_all or total > _MAX_PRODUCT:
                return None
            values.append(result.values)
        lists = (list(one) for length in range(self._high + 1) for one in product(*values[:length]))
        return Solution(tuple(one for one in lists if self._request.accept(one)), is_all=True)


def _read_back(levels: list[dict[Tally, Any]], tally: Tally) -> list[_ItemChoice]:
    path = []
    for level in reversed(levels[1:]):
        tally, choice = level[tally]
        path.append(choice)
    return path[::-1]


def _count_different(choices: list[_ItemChoice]) -> float:
    if not all(choice.result.is_all for choice in choices):
        return float("inf")
    return len({equality_key(value) for choice in choices for value in choice.result.values})


def _choose_different(values: list[tuple[Any, ...]]) -> list[Any] | None:
    """Choose a value at each index so that no two are equal, or return None."""
    owner: dict[Any, int] = {}
    chosen: dict[int, Any] = {}

    def place(index: int, tried: set[Any]) -> bool:
        for value in values[index]:
            key = equality_key(value)
            if key not in tried:
                tried.add(key)
                if key not in owner or place(owner[key], tried):
                    owner[key], chosen[index] = index, value
                    return True
        return False

    if len(values) <= _MAX_DIFFERENT and all(place(index, set()) for index in range(len(values))):
        return [chosen[index] for index in range(len(values))]
    return None
