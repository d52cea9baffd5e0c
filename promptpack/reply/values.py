"""Values without quotes: numbers, literals, words, and what cannot be any of them."""

import re
import unicodedata
from typing import Any

from promptpack.reply.tree import Mark, Node

NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LOOSE_NUMBER = re.compile(r"[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_LITERALS: dict[str, Any] = {
    "true": True, "false": False, "null": None,
    "none": None, "undefined": None, "nil": None,
}  # fmt: skip
_NON_FINITE = frozenset(("nan", "infinity", "-infinity", "+infinity", "inf", "-inf", "+inf"))
_WORD = re.compile(r"[^\W\d][\w.:/@-]*")
_SEVERAL = re.compile(r"\||\bor\b|或")
_OCTAL = re.compile(r"[+-]?0\d[\d._]*+%?")
_MAX_DIGITS = 4_000


def bare_node(text: str, start: int, end: int) -> tuple[Node, str, str]:
    """Read a value without quotes; also give the repair it needed and its strict text."""
    raw = text[start:end]
    if NUMBER.fullmatch(raw):
        return number_node(raw, start, end), "", raw
    folded = raw.casefold()
    if folded in _LITERALS and (raw[0].islower() or folded not in ("undefined", "nil")):
        return _literal(raw, folded, start, end)
    if folded in _NON_FINITE:
        mark = Mark("non_finite", f"{raw} is not a finite number")
        return Node("number", start, end, raw, mark=mark), "literal", f'"{raw}"'
    return _loose(raw, start, end)


def number_node(raw: str, start: int, end: int) -> Node:
    """Read a number that is written as JSON has it; one that is too long or too large is marked."""
    if len(raw) > _MAX_DIGITS:
        return Node("number", start, end, raw[:40], mark=Mark("number", "number is too long"))
    if "." not in raw and "e" not in raw and "E" not in raw:
        return Node("number", start, end, int(raw))
    value = float(raw)
    if value in (float("inf"), float("-inf")):
        return Node("number", start, end, raw, mark=Mark("number", f"{raw} is beyond the largest number"))
    return Node("number", start, end, value)


def _literal(raw: str, folded: str, start: int, end: int) -> tuple[Node, str, str]:
    value = _LITERALS[folded]
    strict = {True: "true", False: "false", None: "null"}[value]
    return Node("literal", start, end, value), "" if raw == strict else "literal", strict


def _loose(raw: str, start: int, end: int) -> tuple[Node, str, str]:
    plain = unicodedata.normalize("NFKC", raw)
    if _LOOSE_NUMBER.fullmatch(plain) and len(plain) < _MAX_DIGITS and not _OCTAL.fullmatch(plain):
        strict = _strict_number(plain)
        return number_node(strict, start, end), "number-format", strict
    mark = None
    if _SEVERAL.search(plain):
        mark = Mark("ambiguous", f"{raw[:60]!r} offers more than one value")
    elif _OCTAL.fullmatch(plain):
        mark = Mark("ambiguous", f"{raw[:60]!r} begins with a zero: it may be octal, or have lost its point")
    elif not _WORD.fullmatch(raw):
        mark = Mark("type", f"{raw[:60]!r} is not a JSON value", yields="aligned")
    return Node("bare", start, end, raw, mark=mark), "unquoted", ""


def _strict_number(plain: str) -> str:
    sign = "-" if plain.startswith("-") else ""
    digits = plain.lstrip("+-").replace("_", "")
    if digits.startswith("."):
        digits = "0" + digits
    return sign + re.sub(r"\.(?=[eE]|$)", "", digits)
