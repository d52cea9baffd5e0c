"""Numbers that meet limits and factors: the ends of the range, its middle, and simple ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from promptpack.schema.equality import to_fraction
from promptpack.schema.generation.choices import Choices, happens
from promptpack.schema.generation.combining import NoValueError
from promptpack.schema.inclusion.scalars import common_multiple

_SPAN: Final = 1_000
_LARGE: Final = (1 << 31, -(1 << 31), (1 << 53) - 1, -(1 << 53) + 1)
_PARTS: Final = 64


def make_number(schemas: Sequence[Mapping[str, Any]], choices: Choices, *, is_whole: bool) -> float:
    """Return a number that meets the limits; a whole one if wanted, else often one with decimals."""
    low, high = _limit(schemas, "minimum", "exclusiveMinimum", max), _limit(schemas, "maximum", "exclusiveMaximum", min)
    factors = [to_fraction(schema["multipleOf"]) for schema in schemas if schema.get("multipleOf")]
    if is_whole or factors or not happens(choices, 3):
        step = common_multiple([*factors, Fraction(1)] if is_whole or not factors else factors)
        try:
            return _to_plain(_choose_multiple(step, low, high, choices) * step)
        except NoValueError:
            if is_whole or factors:
                raise
    return _to_plain(_choose_between(low, high, choices))


def _limit(schemas: Sequence[Mapping[str, Any]], closed: str, opened: str, pick: Any) -> tuple[Fraction, bool] | None:
    """Return the narrowest limit, and whether it is excluded."""
    found = [
        (to_fraction(schema[key]), key == opened) for schema in schemas for key in (closed, opened) if key in schema
    ]
    if not found:
        return None
    value = pick(value for value, _ in found)
    return value, any(is_open for limit, is_open in found if limit == value)


def _choose_multiple(
    step: Fraction, low: tuple[Fraction, bool] | None, high: tuple[Fraction, bool] | None, choices: Choices
) -> int:
    first = last = None
    if low is not None:
        first = math.floor(low[0] / step) + 1 if low[1] else math.ceil(low[0] / step)
    if high is not None:
        last = math.ceil(high[0] / step) - 1 if high[1] else math.floor(high[0] / step)
    if first is not None and last is not None and first > last:
        raise NoValueError("the range has no number")
    return _choose_whole(first, last, choices)


def _choose_whole(first: int | None, last: int | None, choices: Choices) -> int:
    """Return a number inside the range or, half of the time, a special one; one choice, so that it shrinks."""
    start = first if first is not None else min(0, last if last is not None else 0) - _SPAN
    end = last if last is not None else max(0, start) + _SPAN
    simple = min(max(0, start), end)
    ends = [one for one in (start, end, start + 1, end - 1) if start <= one <= end]
    open_ends: Iterable[int] = (
        one for one in _LARGE if (first is None or one >= first) and (last is None or one <= last)
    )
    special = list(dict.fromkeys([simple, *ends, *open_ends]))
    inside = end - simple + 1
    number = choices.integer(0, inside + max(inside, len(special)) - 1)
    return simple + number if number < inside else special[(number - inside) % len(special)]


def _choose_between(
    low: tuple[Fraction, bool] | None, high: tuple[Fraction, bool] | None, choices: Choices
) -> Fraction:
    start = low[0] if low is not None else (high[0] - 1 if high is not None else Fraction(0))
    end = high[0] if high is not None else start + 1
    is_closed = (low is None or not low[1]) and (high is None or not high[1])
    if start > end or (start == end and not is_closed):
        raise NoValueError("the range has no number")
    part = Fraction(choices.integer(0 if is_closed else 1, _PARTS if is_closed else _PARTS - 1), _PARTS)
    return start + (end - start) * part


def _to_plain(number: Fraction) -> float:
    if number.denominator == 1:
        return int(number)
    try:
        return float(number)
    except OverflowError as error:
        raise NoValueError("the number is too large") from error
