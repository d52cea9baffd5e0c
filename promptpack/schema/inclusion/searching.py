"""Find values that meet a goal, or that there are none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from promptpack.schema.equality import equality_key
from promptpack.schema.inclusion.branches import Branch, Branches
from promptpack.schema.inclusion.expansion import KINDS, LiteralExpander
from promptpack.schema.inclusion.nodes import Goal, Literal, SchemaDocument, SchemaNodes
from promptpack.schema.inclusion.solutions import EMPTY, UNKNOWN, Solution, ValueCollector, ValueRequest
from promptpack.schema.inclusion.step_meter import StepMeter

_MAX_DEPTH: Final = 40
_NO_DEPENDENCY: Final = 1 << 30


class Search:
    """Solves goals; a goal that is needed to solve itself has no value there, because a smallest value needs none.

    Such a solution depends on the goals in progress. It is cached while they are in progress, and after that if they
    turn out to be empty.
    """

    def __init__(self, nodes: SchemaNodes, meter: StepMeter) -> None:
        self.meter = meter
        self._nodes = nodes
        self._plain = SchemaDocument({}, meter)
        self._made: dict[str, Any] = {}
        expansion = LiteralExpander(nodes, meter)
        self._branches = {kind: Branches(kind, expansion, self) for kind in KINDS}
        self._cache: dict[Goal, tuple[Solution, int]] = {}
        self._open: dict[Goal, int] = {}
        # Solutions that depend on open goals, with the wanted number and the outermost of these goals.
        self._tentative: dict[Goal, tuple[Solution, int, int]] = {}
        self._order: list[Goal] = []
        self._outermost = _NO_DEPENDENCY

    def make_literal(self, schema: Any, *, holds: bool) -> Literal:
        """Return the literal of a schema without references."""
        kept = self._made.setdefault(repr(schema), schema)
        return Literal(self._nodes.make(kept, self._plain), holds)

    def meets(self, value: Any, literals: Iterable[Literal]) -> bool:
        """Return whether a value meets all literals."""
        return all(one.node.document.accepts(one.node.schema, value) is one.holds for one in literals)

    def solve(self, goal: Goal, wanted: int = 1) -> Solution:
        """Return values that meet a goal, as many as wanted if they are found."""
        cached = self._find_cached(goal, wanted)
        if cached is not None:
            return cached
        if len(self._open) >= _MAX_DEPTH:
            return UNKNOWN
        outer, self._outermost = self._outermost, _NO_DEPENDENCY
        level, kept = len(self._open), len(self._order)
        self._open[goal] = level
        try:
            solution = self._solve(goal, wanted)
        finally:
            del self._open[goal]
        solution = self._cache_solution(goal, wanted, solution, level, kept)
        self._outermost = min(outer, self._outermost)
        return solution

    def _find_cached(self, goal: Goal, wanted: int) -> Solution | None:
        if any(literal.opposite in goal for literal in goal if literal.holds):
            return EMPTY
        cached = self._cache.get(goal)
        if cached is not None and (cached[1] >= wanted or cached[0].is_all):
            return cached[0]
        if goal in self._open:
            self._outermost = min(self._outermost, self._open[goal])
            return EMPTY
        tentative = self._tentative.get(goal)
        if tentative is not None and tentative[1] >= wanted:
            self._outermost = min(self._outermost, tentative[2])
            return tentative[0]
        return None

    def _cache_solution(self, goal: Goal, wanted: int, solution: Solution, level: int, kept: int) -> Solution:
        """Store a solution, and decide about those that may depend on its goal."""
        outermost, added = self._outermost, self._order[kept:]
        if solution.values:
            # The values are certain; that there are no others is not.
            solution = Solution(solution.values, solution.is_all and outermost == _NO_DEPENDENCY)
        is_certain = bool(solution.values) or outermost >= level
        if is_certain:
            self._outermost = _NO_DEPENDENCY
            self._cache[goal] = (solution, wanted)
        if is_certain or not solution.is_empty:
            self._confirm_dependents(added, is_empty=solution.is_empty)
            del self._order[kept:]
        if not is_certain:
            self._tentative[goal] = (solution, wanted, outermost)
            self._order.append(goal)
        return solution

    def _confirm_dependents(self, goals: Iterable[Goal], *, is_empty: bool) -> None:
        """Cache solutions if the goal that they depend on is empty, otherwise drop them."""
        for goal in goals:
            found = self._tentative.pop(goal, None)
            if found is not None and is_empty:
                self._cache.setdefault(goal, found[:2])

    def _solve(self, goal: Goal, wanted: int) -> Solution:
        self.meter.spend()
        values: list[Any] = []
        is_all = True
        for kind in KINDS:
            for branch in self._branches[kind].split(goal):
                solution = self._find(branch, goal, wanted - len(values))
                is_all = is_all and solution.is_all
                values += _new_ones(values, solution.values)
                if len(values) >= wanted:
                    return Solution(tuple(values))
        return Solution(tuple(values), is_all)

    def _find(self, branch: Branch, goal: Goal, wanted: int) -> Solution:
        request = ValueRequest(max(wanted, 1), lambda value: self.meets(value, goal), branch.excluded)
        if branch.words is None:
            return branch.facts.find(self, request)
        found = ValueCollector(request)
        for word in branch.words:
            found.offer(word)
            if found.is_full:
                return Solution(tuple(found.values))
        return Solution(tuple(found.values), is_all=True)


def _new_ones(known: list[Any], values: Iterable[Any]) -> list[Any]:
    keys = {equality_key(value) for value in known}
    return [value for value in values if equality_key(value) not in keys]
