"""Find values that meet a goal, or that there are none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from promptpack.schema.inclusion.branches import Branch, Branches
from promptpack.schema.inclusion.expansion import KINDS, LiteralExpander
from promptpack.schema.inclusion.nodes import Goal, Literal, SchemaDocument, SchemaNodes, mark
from promptpack.schema.inclusion.results import EMPTY, UNKNOWN, Collected, Result, ValueRequest
from promptpack.schema.inclusion.step_meter import StepMeter

_MAX_DEPTH: Final = 40
_NO_DEPENDENCY: Final = 1 << 30


class Search:
    """Solves goals; a goal that is needed to solve itself has no value there, because a smallest value needs none.

    Such a result depends on the goals in progress. It is kept while they are, and for good if they turn out empty.
    """

    def __init__(self, nodes: SchemaNodes, meter: StepMeter) -> None:
        self.meter = meter
        self._nodes = nodes
        self._plain = SchemaDocument({}, meter)
        self._made: dict[str, Any] = {}
        expansion = LiteralExpander(nodes, meter)
        self._branches = {kind: Branches(kind, expansion, self) for kind in KINDS}
        self._known: dict[Goal, tuple[Result, int]] = {}
        self._open: dict[Goal, int] = {}
        # Results that depend on open goals, with the wanted number and the outermost of these goals.
        self._tentative: dict[Goal, tuple[Result, int, int]] = {}
        self._order: list[Goal] = []
        self._outermost = _NO_DEPENDENCY

    def make_literal(self, schema: Any, *, holds: bool) -> Literal:
        """Return the literal of a schema without references."""
        kept = self._made.setdefault(repr(schema), schema)
        return Literal(self._nodes.make(kept, self._plain), holds)

    def meets(self, value: Any, literals: Iterable[Literal]) -> bool:
        """Return whether a value meets all literals."""
        return all(one.node.document.accepts(one.node.schema, value) is one.holds for one in literals)

    def solve(self, goal: Goal, wanted: int = 1) -> Result:
        """Return values that meet a goal, as many as wanted if they are found."""
        known = self._recall(goal, wanted)
        if known is not None:
            return known
        if len(self._open) >= _MAX_DEPTH:
            return UNKNOWN
        outer, self._outermost = self._outermost, _NO_DEPENDENCY
        level, kept = len(self._open), len(self._order)
        self._open[goal] = level
        try:
            result = self._solve(goal, wanted)
        finally:
            del self._open[goal]
        result = self._keep(goal, wanted, result, level, kept)
        self._outermost = min(outer, self._outermost)
        return result

    def _recall(self, goal: Goal, wanted: int) -> Result | None:
        if any(literal.opposite in goal for literal in goal if literal.holds):
            return EMPTY
        known = self._known.get(goal)
        if known is not None and (known[1] >= wanted or known[0].is_all):
            return known[0]
        if goal in self._open:
            self._outermost = min(self._outermost, self._open[goal])
            return EMPTY
        tentative = self._tentative.get(goal)
        if tentative is not None and tentative[1] >= wanted:
            self._outermost = min(self._outermost, tentative[2])
            return tentative[0]
        return None

    def _keep(self, goal: Goal, wanted: int, result: Result, level: int, kept: int) -> Result:
        """Store a result, and settle the results that may depend on its goal."""
        outermost, added = self._outermost, self._order[kept:]
        if result.values:
            # The values are certain; that there are no others is not.
            result = Result(result.values, result.is_all and outermost == _NO_DEPENDENCY)
        is_certain = bool(result.values) or outermost >= level
        if is_certain:
            self._outermost = _NO_DEPENDENCY
            self._known[goal] = (result, wanted)
        if is_certain or not result.is_empty:
            self._settle(added, is_empty=result.is_empty)
            del self._order[kept:]
        if not is_certain:
            self._tentative[goal] = (result, wanted, outermost)
            self._order.append(goal)
        return result

    def _settle(self, goals: Iterable[Goal], *, is_empty: bool) -> None:
        """Keep results for good if the goal that they depend on is empty, otherwise forget them."""
        for goal in goals:
            found = self._tentative.pop(goal, None)
            if found is not None and is_empty:
                self._known.setdefault(goal, found[:2])

    def _solve(self, goal: Goal, wanted: int) -> Result:
        self.meter.spend()
        values: list[Any] = []
        is_all = True
        for kind in KINDS:
            for branch in self._branches[kind].split(goal):
                result = self._find(branch, goal, wanted - len(values))
                is_all = is_all and result.is_all
                values += _new_ones(values, result.values)
                if len(values) >= wanted:
                    return Result(tuple(values))
        return Result(tuple(values), is_all)

    def _find(self, branch: Branch, goal: Goal, wanted: int) -> Result:
        request = ValueRequest(max(wanted, 1), lambda value: self.meets(value, goal), branch.excluded)
        if branch.words is None:
            return branch.facts.find(self, request)
        found = Collected(request)
        for word in branch.words:
            found.offer(word)
            if found.is_full:
                return Result(tuple(found.values))
        return Result(tuple(found.values), is_all=True)


def _new_ones(known: list[Any], values: Iterable[Any]) -> list[Any]:
    marks = {mark(value) for value in known}
    return [value for value in values if mark(value) not in marks]
