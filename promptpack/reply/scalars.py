"""One value, one schema: read a number, a truth value or a fixed word from text, or leave it alone."""

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from promptpack.reply.shape import Shape
from promptpack.reply.words import FALSE_WORDS, TRANSLATIONS, TRUE_WORDS, fold, fold_apart, spells

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?!0\d)(?P<digits>\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*|(?=\.\d))(?P<rest>(?:\.\d*)?(?:[eE][+-]?\d{1,3})?)"
)
_PERCENT = re.compile(r"(?P<number>.+?)\s*(?:%|percent|per cent)", re.IGNORECASE)
_FRACTION = re.compile(r"(?P<number>.+?)\s*(?:/|out of|of)\s*(?P<whole>\d+(?:\.0+)?)", re.IGNORECASE)
_MAX_LENGTH = 60


class Aligned(NamedTuple):
    """A value read by its schema, and the kind of repair that was."""

    value: Any
    kind: str


def read_scalar(value: str, shape: Shape) -> Aligned | None:
    """Read a text as what the schema asks for; nothing when it is none of that."""
    words = shape.words
    if words is not None:
        return _word(value, words, shape.first("x-values"))
    types = shape.types
    if not types or "string" in types:
        return None
    if "boolean" in types:
        return _truth(value)
    if types & {"number", "integer"}:
        return _number(value, shape)
    return None


def _word(value: str, words: tuple[Any, ...], own: Any) -> Aligned | None:
    if isinstance(own, Mapping) and value.strip() in own:
        return Aligned(own[value.strip()], "enum-word")
    folded = fold(value)
    if not folded:
        return None
    matches = [word for word in words if isinstance(word, str) and fold(word) == folded and spells(value, word)]
    if len(matches) == 1:
        return Aligned(matches[0], "enum-case")
    translated = TRANSLATIONS.get(folded)
    matches = [word for word in words if isinstance(word, str) and fold(word) == translated]
    return Aligned(matches[0], "enum-word") if len(matches) == 1 else None


def may_become_word(text: str, words: tuple[Any, ...], own: Any) -> bool:
    """Say whether a text may go on to one that is read as a fixed word."""
    if isinstance(own, Mapping) and any(key.startswith(text.lstrip()) or key == text.strip() for key in own):
        return True
    names, start = tuple(word for word in words if isinstance(word, str)), fold_apart(text)
    if any(word.startswith(text) or (fold_apart(word).startswith(start) and spells(text, word)) for word in names):
        return True
    return any(word.startswith(start) for word in _translated(names))


@lru_cache(500)
def _translated(names: tuple[str, ...]) -> tuple[str, ...]:
    folded = {fold(name) for name in names}
    return tuple(fold_apart(word) for word, target in TRANSLATIONS.items() if target in folded)


def _truth(value: str) -> Aligned | None:
    folded = unicodedata.normalize("NFKC", value).strip().casefold()
    if folded in TRUE_WORDS:
        return Aligned(True, "boolean-text")
    return Aligned(False, "boolean-text") if folded in FALSE_WORDS else None


def _number(value: str, shape: Shape) -> Aligned | None:
    if len(value) > _MAX_LENGTH:
        return None
    text = unicodedata.normalize("NFKC", value).strip()
    if (plain := _plain(text)) is not None:
        return Aligned(_fit(plain), "number-text")
    if match := _PERCENT.fullmatch(text):
        return _part(_plain(match["number"]), Decimal(100), shape, "percent-text")
    if match := _FRACTION.fullmatch(text):
        return _part(_plain(match["number"]), Decimal(match["whole"]), shape, "fraction-text")
    return None


def _part(number: Decimal | None, whole: Decimal, shape: Shape, kind: str) -> Aligned | None:
    """Read a part of a whole on the scale the schema sets; without a scale it says nothing."""
    top = shape.first("maximum")
    if number is None or top is None or shape.first("minimum") != 0:
        return None
    if whole == top:
        return Aligned(_fit(number), kind)
    if top == 1 and 0 <= number <= whole and whole:
        return Aligned(_fit(number / whole), kind)
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
