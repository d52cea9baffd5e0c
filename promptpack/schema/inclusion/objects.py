"""Facts about objects: the keys they have, and the goals of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from functools import cached_property
from itertools import islice, product
from typing import Any, Final, NamedTuple

from promptpack.schema.inclusion.atoms import EveryKey, Has, Item, Keys, Lacks, Member, Size, SomeKey
from promptpack.schema.inclusion.nodes import Goal, Literal
from promptpack.schema.inclusion.solutions import EMPTY, UNKNOWN, Solution, Solver, ValueCollector, ValueRequest
from promptpack.schema.inclusion.step_meter import UndecidedError
from promptpack.schema.patterns import PatternError, read_pattern
from promptpack.schema.supported_keywords import MAX_STEPS

_MAX_PATTERNS: Final = 5
_MAX_PLANS: Final = 40
_MAX_FILL: Final = 200
_MAX_PRODUCT: Final = 200
_MAX_NAMES: Final = 6


class Objects:
    """The keys that an object has or lacks, their number, and the goals of their values."""

    def __init__(self) -> None:
        self.low: int = 0
        self.high: int | None = None
        self.has: frozenset[str] = frozenset()
        self.lacks: frozenset[str] = frozenset()
        self.maps: tuple[Keys, ...] = ()
        self.names: tuple[Literal, ...] = ()
        self.some: tuple[SomeKey, ...] = ()
        self._members: dict[str, frozenset[Literal]] = {}
        self._words: dict[str, frozenset[Any]] = {}
        self._other_words: dict[str, frozenset[Any]] = {}

    def copy(self) -> Objects:
        """Return facts that can grow independently."""
        copied = copy(self)
        copied._members = dict(self._members)
        copied._words = dict(self._words)
        copied._other_words = dict(self._other_words)
        return copied

    def add(self, atom: Item) -> bool:
        """Add an atom; return False if it contradicts the others, as far as keys and fixed words show."""
        match atom:
            case Size():
                return self._limit(atom)
            case Has():
                return self._have(atom.name)
            case Lacks():
                self.lacks |= {atom.name}
                return atom.name not in self.has
            case Member():
                self._members[atom.name] = self._members.get(atom.name, frozenset()) | {atom.literal}
                return self._restrict(atom.name, atom.literal) and self._have(atom.name)
            case Keys():
                self.maps = (*self.maps, atom)
                return all(self._restrict(name, Literal(node, True)) for name, node in atom.properties.items())
            case EveryKey():
                self.names = (*self.names, atom.literal)
            case SomeKey():
                self.some = (*self.some, atom)
        return True

    def _limit(self, size: Size) -> bool:
        self.low = max(self.low, size.low)
        if size.high is not None:
            self.high = size.high if self.high is None else min(self.high, size.high)
        return self.high is None or (self.low <= self.high and len(self.has) <= self.high)

    def _have(self, name: str) -> bool:
        self.has |= {name}
        return name not in self.lacks and (self.high is None or len(self.has) <= self.high) and self._has_words(name)

    def _restrict(self, name: str, literal: Literal) -> bool:
        words = literal.node.words
        if words is not None and literal.holds:
            self._words[name] = self._words[name] & words if name in self._words else words
        elif words is not None and literal.node.allows_only_words:
            self._other_words[name] = self._other_words.get(name, frozenset()) | words
        return name not in self.has or self._has_words(name)

    def _has_words(self, name: str) -> bool:
        """Return whether a word is left for a key, if its words are listed."""
        words = self._words.get(name)
        return words is None or not words <= self._other_words.get(name, frozenset())

    def is_impossible(self, solver: Solver) -> bool:
        """Return whether a key that the object has is not allowed, or has no value."""
        return any(self.is_refused(name, solver) for name in self.has)

    def is_refused(self, name: str, solver: Solver) -> bool:
        """Return whether no object can have this key."""
        return not solver.meets(name, self.names) or solver.solve(self.goal_of(name)).is_empty

    def goal_of(self, name: str) -> Goal:
        """Return the goal of the value of a key."""
        return self._members.get(name, frozenset()) | {
            Literal(node, holds=True) for one in self.maps for node in _find_nodes(one, name)
        }

    def find(self, solver: Solver, request: ValueRequest) -> Solution:
        """Return objects that have these facts."""
        return _ObjectSearch(self, solver, request).find()


class _KeyPlace(NamedTuple):
    """A key that an object may have, and the goal of its value."""

    key: str
    goal: Goal


class _FreeKeys(NamedTuple):
    """Keys that no schema names, and that match the same patterns: the goal of the keys, and of their values."""

    keys: Goal
    values: Goal


class _ObjectSearch:
    def __init__(self, facts: Objects, solver: Solver, request: ValueRequest) -> None:
        self._facts = facts
        self._solver = solver
        self._request = request

    def find(self) -> Solution:
        if self._facts.is_impossible(self._solver):
            return EMPTY
        choices = []
        for wish in self._facts.some:
            places, is_all = self._places_for(wish)
            if not places:
                return EMPTY if is_all else UNKNOWN
            choices.append(places)
        if self._is_too_small() or self._is_too_large():
            return EMPTY
        found = ValueCollector(self._request)
        for plan in islice(product(*choices), _MAX_PLANS):
            for value in self._build(plan):
                found.offer(value)
                if found.is_full:
                    return Solution(tuple(found.values))
        return self._enumerate() or Solution(tuple(found.values))

    def _places_for(self, wish: SomeKey) -> tuple[list[_KeyPlace], bool]:
        """Return places where a wish can be met, and whether there are certainly no others."""
        places, is_all = [], True
        for name in (*sorted(self._facts.has), *self._optional):
            if self._solver.meets(name, wish.keys):
                result = self._solver.solve(self._facts.goal_of(name).union(wish.values))
                is_all = is_all and result.is_all
                places += [_KeyPlace(name, frozenset(wish.values))] if result.values else []
        for pool in self._pools:
            if self._solver.solve(goal := pool.values.union(wish.values)).is_empty:
                continue
            keys = self._solver.solve(pool.keys.union(wish.keys), len(self._facts.some))
            is_all = is_all and keys.is_empty
            if self._solver.solve(goal).values:
                places += [_KeyPlace(key, frozenset(wish.values)) for key in keys.values]
        return places, is_all

    @cached_property
    def _optional(self) -> list[str]:
        """The named keys that the object may have."""
        named = {name for one in self._facts.maps for name in one.properties}
        self._solver.meter.spend(len(named))
        allowed = sorted(named - self._facts.has - self._facts.lacks)
        return [name for name in allowed if self._solver.meets(name, self._facts.names)]

    @cached_property
    def _pools(self) -> list[_FreeKeys]:
        return list(self._make_pools())

    def _make_pools(self) -> Iterator[_FreeKeys]:
        facts = self._facts
        patterns = sorted({pattern for one in facts.maps for pattern in one.patterns})
        if len(patterns) > _MAX_PATTERNS:
            raise UndecidedError("too many patterns for keys apply together")
        known = facts.has | facts.lacks | {name for one in facts.maps for name in one.properties}
        common = [*facts.names, self._solver.make_literal({"type": "string"}, holds=True)]
        common += [self._solver.make_literal({"enum": sorted(known)}, holds=False)] if known else []
        for matched in product((False, True), repeat=len(patterns)):
            matching = {pattern for pattern, holds in zip(patterns, matched, strict=True) if holds}
            keys = [
                self._solver.make_literal({"pattern": pattern}, holds=holds)
                for pattern, holds in zip(patterns, matched, strict=True)
            ]
            values = frozenset(
                Literal(node, holds=True) for one in facts.maps for node in _nodes_of_matching(one, matching)
            )
            yield _FreeKeys(frozenset((*common, *keys)), values)

    def _is_too_large(self) -> bool:
        """Return whether the keys that the object has leave no place for one more that it needs."""
        facts = self._facts
        if facts.high is None or len(facts.has) < facts.high:
            return False
        return any(not self._can_be_met_inside(wish) for wish in facts.some)

    def _can_be_met_inside(self, wish: SomeKey) -> bool:
        for name in self._facts.has:
            goal = self._facts.goal_of(name).union(wish.values)
            if self._solver.meets(name, wish.keys) and not self._solver.solve(goal).is_empty:
                return True
        return False

    def _is_too_small(self) -> bool:
        """Return whether there are certainly fewer keys than the object needs."""
        facts = self._facts
        missing = facts.low - len(facts.has)
        if missing <= 0:
            return False
        missing -= sum(not self._solver.solve(facts.goal_of(name)).is_empty for name in self._optional)
        for pool in self._pools if missing > 0 else ():
            if not self._solver.solve(pool.values).is_empty:
                keys = self._solver.solve(pool.keys, min(missing, _MAX_FILL))
                missing -= len(keys.values) if keys.is_all else missing
        return missing > 0

    def _enumerate(self) -> Solution | None:
        """Return all objects if there are few, otherwise None."""
        facts = self._facts
        names = [] if facts.high == 0 else [*facts.has, *self._optional]
        if len(names) > _MAX_NAMES or (facts.high != 0 and not self._is_closed()):
            return None
        count = 1
        results: dict[str, Solution] = {}
        for name in names:
            results[name] = self._solver.solve(facts.goal_of(name), _MAX_PRODUCT)
            count *= len(results[name].values) + (name not in facts.has)
            if not results[name].is_all or count > _MAX_PRODUCT:
                return None
        choices = [
            [(name, value) for value in result.values] + ([] if name in facts.has else [None])
            for name, result in results.items()
        ]
        objects = [dict(pair for pair in chosen if pair is not None) for chosen in product(*choices)]
        return Solution(tuple(one for one in objects if self._request.accept(one)), is_all=True)

    def _is_closed(self) -> bool:
        return all(
            self._solver.solve(pool.values).is_empty or self._solver.solve(pool.keys).is_empty for pool in self._pools
        )

    def _build(self, plan: tuple[_KeyPlace, ...]) -> Iterator[dict[str, Any]]:
        goals = {name: self._facts.goal_of(name) for name in sorted(self._facts.has)}
        for key, goal in plan:
            goals[key] = goals.get(key, self._facts.goal_of(key)) | goal
        if self._facts.high is not None and len(goals) > self._facts.high:
            return
        goals.update(self._fill(goals, self._facts.low - len(goals)))
        values = {key: self._solver.solve(goal, min(self._request.wanted, 3)).values for key, goal in goals.items()}
        if not all(values.values()) or len(goals) < self._facts.low:
            return
        first = {key: found[0] for key, found in values.items()}
        yield first
        yield from self._vary(first, values)

    def _vary(self, first: dict[str, Any], values: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
        """Yield other objects: with another value, or with one more key."""
        for key, goal in self._fill(first, 6).items():
            for value in self._solver.solve(goal, 2).values:
                yield {**first, key: value}
        for key in values:
            goal = self._facts.goal_of(key)
            yield from ({**first, key: other} for other in (*values[key][1:], *self._solver.solve(goal, 4).values))

    def _fill(self, present: Mapping[str, Any], missing: int) -> dict[str, Goal]:
        """Return more keys that the object may have, with the goals of their values."""
        filled: dict[str, Goal] = {}
        for name in self._optional:
            goal = self._facts.goal_of(name)
            if len(filled) < missing and name not in present and self._solver.solve(goal).values:
                filled[name] = goal
        for pool in self._pools if len(filled) < missing <= _MAX_FILL else ():
            if self._solver.solve(pool.values).values:
                keys = self._solver.solve(pool.keys, missing + len(present)).values
                fresh = [key for key in keys if key not in present]
                filled.update(dict.fromkeys(fresh[: missing - len(filled)], pool.values))
        return filled


def _find_nodes(one: Keys, name: str) -> list[Any]:
    steps = [MAX_STEPS]
    try:
        matching = {pattern for pattern in one.patterns if read_pattern(pattern).is_found_in(name, steps)}
    except PatternError as error:
        raise UndecidedError(str(error)) from error
    if name in one.properties:
        return [one.properties[name], *(one.patterns[pattern] for pattern in matching)]
    return _nodes_of_matching(one, matching)


def _nodes_of_matching(one: Keys, matching: set[str]) -> list[Any]:
    found = [node for pattern, node in one.patterns.items() if pattern in matching]
    return found or ([one.others] if one.others is not None else [])
