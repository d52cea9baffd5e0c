"""The solutions of a goal: some values that meet it, or that there are none; and how facts find them."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, Self

from promptpack.schema.equality import equality_key
from promptpack.schema.inclusion.atoms import Item
from promptpack.schema.inclusion.nodes import Goal, Literal
from promptpack.schema.inclusion.step_meter import StepMeter


class Solution(NamedTuple):
    """Some values that meet a goal; `is_all` if there are no others."""

    values: tuple[Any, ...] = ()
    is_all: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no value meets the goal."""
        return self.is_all and not self.values


EMPTY: Final = Solution((), is_all=True)
UNKNOWN: Final = Solution()
Accept = Callable[[Any], bool]
"""Tests whether a value meets the whole goal."""


class ValueRequest(NamedTuple):
    """How many values are wanted, the test of each, and values that are known to fail."""

    wanted: int
    accept: Accept
    excluded: tuple[Any, ...] = ()


class Solver(Protocol):
    """Solves the goals of inner values, for the facts about one kind of value."""

    meter: StepMeter

    def solve(self, goal: Goal, wanted: int = 1) -> Solution:
        """Return values that meet a goal."""

    def make_literal(self, schema: Any, *, holds: bool) -> Literal:
        """Return the literal of a schema without references."""

    def meets(self, value: Any, literals: Any) -> bool:
        """Return whether a value meets all literals."""


class Facts(Protocol):
    """Everything that holds together for a value of one kind."""

    def copy(self) -> Self:
        """Return facts that can grow independently."""

    def add(self, atom: Item) -> bool:
        """Add an atom; return False if it contradicts the others."""

    def is_impossible(self, solver: Solver) -> bool:
        """Return whether no value has these facts, as far as a short look shows."""

    def find(self, solver: Solver, request: ValueRequest) -> Solution:
        """Return values that have these facts and pass the test of the request."""


class ValueCollector:
    """Collects different values that pass a test, until there are enough."""

    def __init__(self, request: ValueRequest) -> None:
        self._request = request
        self._keys: set[Any] = set()
        self.values: list[Any] = []

    @property
    def is_full(self) -> bool:
        """Whether there are enough values."""
        return len(self.values) >= self._request.wanted

    def offer(self, value: Any) -> None:
        """Take a value if it is new and passes the test."""
        key = equality_key(value)
        if key in self._keys or self.is_full:
            return
        self._keys.add(key)
        if self._request.accept(value):
            self.values.append(value)
