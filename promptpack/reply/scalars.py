"""Read a number, a boolean or a fixed word from text, if the schema asks for one."""

import re
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

from promptpack.reply.fixed_words import FixedWords
from promptpack.reply.shape import Shape
from promptpack.reply.synonyms import FALSE_WORDS, TRUE_WORDS, fold, normalize_visible

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?!0\d)(?P<digits>\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*|(?=\.\d))(?P<rest>(?:\.\d*)?(?:[eE][+-]?\d{1,3})?)"
)
_PERCENT = re.compile(r"(?P<number>.+?)\s*(?:%|percent|per cent)", re.IGNORECASE)
_FRACTION = re.compile(r"(?P<number>.+?)\s*(?:/|out of|of)\s*(?P<whole>\d+(?:\.0+)?)", re.IGNORECASE)
_MAX_LENGTH = 60


class ScalarRepair(NamedTuple):
    """A value read from text, and the kind of repair."""

    value: Any
    kind: str


def read_scalar(value: str, shape: Shape) -> ScalarRepair | None:
    """Read a text as the scalar that the schema asks for; return None if it is not one."""
    words = shape.fixed_words
    if words is not None:
        return _word(value, words)
    types = shape.types
    if not types or "string" in types:
        return None
    if "boolean" in types:
        return _boolean(value)
    if types & {"number", "integer"}:
        return _number(value, shape)
    return None


def _word(value: str, words: FixedWords) -> ScalarRepair | None:
    if value.strip() in words.synonyms:
        return ScalarRepair(words.synonyms[value.strip()], "enum-word")
    if not fold(value):
        return None
    for found, kind in ((words.spelled(value), "enum-case"), (words.translated(value), "enum-word")):
        if len(found) == 1:
            return ScalarRepair(found[0], kind)
    return None


def _boolean(value: str) -> ScalarRepair | None:
    folded = normalize_visible(value).strip().casefold()
    if folded in TRUE_WORDS:
        return ScalarRepair(True, "boolean-text")
    return ScalarRepair(False, "boolean-text") if folded in FALSE_WORDS else None


def _number(value: str, shape: Shape) -> ScalarRepair | None:
    if len(value) > _MAX_LENGTH:
        return None
    text = normalize_visible(value).strip()
    if (plain := _plain(text)) is not None:
        return ScalarRepair(_fit(plain), "number-text")
    if match := _PERCENT.fullmatch(text):
        return _part(_plain(match["number"]), Decimal(100), shape, "percent-text")
    if match := _FRACTION.fullmatch(text):
        return _part(_plain(match["number"]), Decimal(match["whole"]), shape, "fraction-text")
    return None


def _part(number: Decimal | None, whole: Decimal, shape: Shape, kind: str) -> ScalarRepair | None:
    """Convert a part of a whole to the range of the schema; return None if the schema has no such range."""
    top = shape.first("maximum")
    if number is None or top is None or shape.first("minimum") != 0:
        return None
    if whole == top:
        return ScalarRepair(_fit(number), kind)
    if top == 1 and 0 <= number <= whole and whole:
        return ScalarRepair(_fit(number / whole), kind)
    return None


def _plain(text: str) -> Decimal | None:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = match["digits"].replace(",", "").replace("_", "") or "0"
    number = Decimal(match["sign"] + digits + match["rest"])
    return number if isfinite(float(number)) else None


def _fit(number: Decimal) -> int | float:
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent >= 0 and number.adjusted() < _MAX_LENGTH:
        return int(number)
    return float(number)
