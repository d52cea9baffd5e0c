"""Facts about null and booleans, of which there are few, and about numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from fractions import Fraction
from typing import Any, Final

from promptpack.schema.equality import to_fraction
from promptpack.schema.inclusion.atoms import Bound, Item, Multiple
from promptpack.schema.inclusion.solutions import EMPTY, Solution, Solver, ValueCollector, ValueRequest

# Up to this number, the decimal and the binary value of a float have the same order, and whole ones are equal.
_EXACT: Final = 1 << 53
_MAX_LISTED: Final = 300
_NEAR: Final = 12


class FewValues:
    """A kind with few values, which are all tried."""

    def __init__(self, *values: Any) -> None:
        self._values = values

    def copy(self) -> FewValues:
        """Return the facts, which never change."""
        return self

    def add(self, _: Item) -> bool:
        """Return True: no atom is about these kinds."""
        return True

    def is_impossible(self, _: Solver) -> bool:
        """Return False: trying the values is quick."""
        return False

    def find(self, _: Solver, request: ValueRequest) -> Solution:
        """Return the values that pass the test."""
        return Solution(tuple(value for value in self._values if request.accept(value)), is_all=True)


class Numbers:
    """Limits and factors of a number."""

    def __init__(self) -> None:
        self._low: Bound | None = None
        self._high: Bound | None = None
        self._factors: tuple[float, ...] = ()
        self._non_factors: tuple[float, ...] = ()

    def copy(self) -> Numbers:
        """Return facts that can grow independently."""
        return copy(self)

    def add(self, atom: Item) -> bool:
        """Add a limit or a factor; return False for an empty range."""
        if isinstance(atom, Multiple):
            if atom.holds:
                self._factors = (*self._factors, atom.factor)
            else:
                self._non_factors = (*self._non_factors, atom.factor)
            return True
        if atom.is_upper:
            if self._high is None or (atom.value, not atom.is_open) < (self._high.value, not self._high.is_open):
                self._high = atom
        elif self._low is None or (atom.value, atom.is_open) > (self._low.value, self._low.is_open):
            self._low = atom
        return not self._is_empty_range()

    def _is_empty_range(self) -> bool:
        low, high = self._low, self._high
        if low is None or high is None:
            return False
        return low.value > high.value or (low.value == high.value and (low.is_open or high.is_open))

    def is_impossible(self, _: Solver) -> bool:
        """Return whether every multiple of the factors is a multiple of a number that is no factor."""
        factor = self._common_factor()
        return factor is not None and any((factor / to_fraction(one)).denominator == 1 for one in self._non_factors)

    def find(self, solver: Solver, request: ValueRequest) -> Solution:
        """Return numbers in the range that are multiples; all of them if there are few."""
        if self.is_impossible(solver):
            return EMPTY
        factor = self._common_factor()
        found = ValueCollector(request)
        if factor is not None:
            return self._find_multiples(factor, found, request)
        if self._low is not None and self._high is not None and self._low.value == self._high.value:
            found.offer(_plain(self._low.value))
            return Solution(tuple(found.values), is_all=abs(self._low.value) <= _EXACT)
        for number in self._dense():
            found.offer(number)
        return Solution(tuple(found.values))

    def _common_factor(self) -> Fraction | None:
        return common_multiple([to_fraction(factor) for factor in self._factors]) if self._factors else None

    def _find_multiples(self, factor: Fraction, found: ValueCollector, request: ValueRequest) -> Solution:
        first, last = self._multiples(factor)
        is_exact = all(bound is None or abs(bound.value) <= _EXACT for bound in (self._low, self._high)) or (
            factor == 1 and not self._non_factors and set(self._factors) == {1}
        )
        if first is not None and last is not None and last - first < _MAX_LISTED:
            every = ValueCollector(request._replace(wanted=_MAX_LISTED))
            for number in range(first, last + 1):
                _offer_exactly(number * factor, every)
            values = tuple(every.values)
            return Solution(values[: max(request.wanted, 1)] if not is_exact else values, is_all=is_exact)
        for number in _near(first, last, _NEAR + len(request.excluded) + request.wanted):
            _offer_exactly(number * factor, found)
        return Solution(tuple(found.values))

    def _multiples(self, factor: Fraction) -> tuple[int | None, int | None]:
        """Return the first and the last number of a multiple in the range."""
        first = last = None
        if self._low is not None:
            ratio = to_fraction(self._low.value) / factor
            first = math.floor(ratio) + 1 if self._low.is_open else math.ceil(ratio)
        if self._high is not None:
            ratio = to_fraction(self._high.value) / factor
            last = math.ceil(ratio) - 1 if self._high.is_open else math.floor(ratio)
        return first, last

    def _dense(self) -> Iterator[float]:
        """Yield numbers in a range that has infinitely many: near its ends, in the middle, and near zero."""
        low = None if self._low is None else Fraction(self._low.value)
        high = None if self._high is None else Fraction(self._high.value)
        starts = [one for one in (low, high) if one is not None] or [Fraction(0)]
        steps = [Fraction(top, bottom) for bottom in (1, 2, 3, 7, 10, 1000) for top in range(4)]
        for start in starts:
            yield from (_plain(start + sign * step) for step in steps for sign in (1, -1))
        if low is not None and high is not None:
            yield from (_plain(low + (high - low) * Fraction(part, 11)) for part in range(12))
        yield from (_plain(Fraction(number)) for number in range(-_NEAR, _NEAR))


def common_multiple(factors: list[Fraction]) -> Fraction:
    """Return the least common multiple of fractions."""
    common = factors[0]
    for factor in factors[1:]:
        top = math.lcm(common.numerator * factor.denominator, factor.numerator * common.denominator)
        common = Fraction(top, common.denominator * factor.denominator)
    return common


def _near(first: int | None, last: int | None, count: int) -> list[int]:
    """Return whole numbers in a large or endless range: at its ends and near zero."""
    numbers: list[int] = []
    numbers += range(first, first + count) if first is not None else ()
    numbers += range(last, last - count, -1) if last is not None else ()
    numbers += sorted(range(-count, count), key=abs)
    return [one for one in numbers if (first is None or one >= first) and (last is None or one <= last)]


def _offer_exactly(number: Fraction, found: ValueCollector) -> None:
    """Offer a number, unless there is no float with exactly this decimal value."""
    value = _plain(number)
    if to_fraction(value) == number:
        found.offer(value)


def _plain(number: Fraction | float) -> float:
    """Return a number as an integer if it is whole, otherwise as a float."""
    if isinstance(number, int):
        return number
    if number == int(number):
        return int(number)
    try:
        return float(number)
    except OverflowError:  # larger than every float
        return int(number)
