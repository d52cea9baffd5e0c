"""Equality of JSON Schema as hashable keys: 1 equals 1.0, but not true, and mappings have no order; and division."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.supported_keywords import StepLimitError

if TYPE_CHECKING:
    from fractions import Fraction

# Tags keys that equal no text and no number: in Python, `True == 1`.
_TAG: Final = object()
# Python hashes two integers alike if they differ by this prime, so a list of its multiples would fill one bucket.
_HASH_MODULUS: Final = (1 << 61) - 1
# A number with a fraction or an exponent, or a text that looks like one.
_MAYBE_FLOAT: Final = re.compile("[0-9][.eE]")
_ENCODER: Final = json.JSONEncoder(sort_keys=True)
_STEPS_OF_A_CONTAINER: Final = 5
# So many characters are written in one step.
_CHARACTERS_A_STEP: Final = 16
_NORMALIZED_CHARACTERS_A_STEP: Final = 4
# The steps of a division of fractions.
_STEPS_OF_A_DIVISION: Final = 40


def are_unique(values: list[Any], steps: list[int]) -> bool:
    """Return whether no two items are equal in JSON Schema, and subtract the work from the remaining steps."""
    steps[0] -= len(values)
    return len({equality_key(value, steps) for value in values}) == len(values)


def equality_key(value: Any, steps: list[int] | None = None) -> Any:
    """Return a hashable value; two are equal exactly if JSON Schema treats the originals as equal.

    The work is subtracted from the remaining `steps`. No input can choose the hashes of many of them: numbers below
    the modulus have their own, and those of texts are random.
    """
    match value:
        case str():
            return value
        case bool() | None:
            return (_TAG, value)
        case int() | float():
            return number_key(value)
    text = _ENCODER.encode(value)
    cost = _STEPS_OF_A_CONTAINER + len(text) // _CHARACTERS_A_STEP
    if _MAYBE_FLOAT.search(text):
        cost += len(text) // _NORMALIZED_CHARACTERS_A_STEP
        text = _ENCODER.encode(_normalize(value))
    if steps is not None:
        steps[0] -= cost
        if steps[0] < 0:
            raise StepLimitError
    return (_TAG, text)


def number_key(number: float) -> Any:
    """Return a key that equals those of equal numbers; no input can choose the hashes of many of them."""
    # Smaller numbers, infinity and NaN have hashes of their own, or share them with few others.
    if _HASH_MODULUS <= abs(number) < math.inf:
        return (_TAG, hex(int(number)))
    return number


def _normalize(value: Any) -> Any:
    """Write whole numbers as integers, because JSON Schema treats 1.0 and 1 as equal."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [_normalize(item) for item in value]
        case dict():
            return {key: _normalize(item) for key, item in value.items()}
        case _:
            return value


def is_multiple(number: float, factor: float, steps: list[int]) -> bool:
    """Return whether a number is a decimal multiple of another; infinity and NaN always pass."""
    if isinstance(number, int) and isinstance(factor, int):
        return number % factor == 0
    if isinstance(number, float) and not math.isfinite(number):
        return True
    steps[0] -= _STEPS_OF_A_DIVISION
    if steps[0] < 0:
        raise StepLimitError
    return (to_fraction(number) / to_fraction(factor)).denominator == 1


def to_fraction(number: float) -> Fraction:
    """Return the decimal value as written, not the binary one: 4.35 is a multiple of 0.01."""
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))
