"""Plain scalars of the YAML 1.2 core schema, limited to those that mean the same in every YAML version."""

import re
from typing import Final

FIXED: Final[dict[str, bool | None]] = {"": None, "~": None, "null": None, "true": True, "false": False}
# Booleans or null for some versions of YAML, and text for others.
_WORDS_BY_MEANING: Final = {"true": ("true", "yes"), "false": ("false", "no"), "null": ("null",)}
AMBIGUOUS: Final[dict[str, str]] = {
    form: meaning
    for meaning, words in _WORDS_BY_MEANING.items()
    for word in words
    for form in (word, word.capitalize(), word.upper())
    if form not in FIXED
}
NUMBER_START: Final = frozenset("0123456789+-.")
# A plain scalar with any other first character is text.
OTHER_START: Final = NUMBER_START.union(word[:1] for word in (*FIXED, *AMBIGUOUS))

# Compiled on first use, because few files hold more than versions and simple numbers.
_INTEGER = r"[-+]?(?:0|[1-9][0-9]*)\Z"
_BASED = r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"
_NOT_FINITE = r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
_OTHER_MEANING = r"[-+]?(?:0[0-9_]*[0-9]|[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?|0[bBoOxX][0-9a-fA-F_]+)\Z"


class AmbiguousScalarError(ValueError):
    """YAML versions read this plain scalar as different values."""


class NumberError(ValueError):
    """JSON cannot represent this number."""


def read_number(text: str, max_length: int) -> int | float | str:
    """Parse a plain scalar that starts like a number; return the text itself if it is not a number."""
    if len(text) <= max_length and text.isascii():
        whole, _, fraction = text.partition(".")
        if "." in fraction:
            return text  # a version, for example
        if text.isdigit() and (text[0] != "0" or text == "0"):
            return int(text)
        if whole.isdigit() and fraction.isdigit():
            return _to_finite_float(text)
    return _read_other_number(text, max_length)


def _read_other_number(text: str, max_length: int) -> int | float | str:
    if len(text) > max_length and (not text.strip("+-.0123456789eE_") or re.match(_BASED, text)):
        raise NumberError(text)
    if re.match(_INTEGER, text):
        return int(text)
    if re.match(_BASED, text):
        return int(text, 0)
    if re.match(_OTHER_MEANING, text):
        raise AmbiguousScalarError(text)
    if re.match(_FLOAT, text):
        return _to_finite_float(text)
    if re.match(_NOT_FINITE, text):
        raise NumberError(text)
    return text


def _to_finite_float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise NumberError(text)
    return number
