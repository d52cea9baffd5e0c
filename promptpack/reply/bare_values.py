"""Values without quotes: numbers, literals, words, and text that is none of these."""

import re
import unicodedata
from typing import Any

from promptpack.reply.syntax_tree import Defect, Node

NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LOOSE_NUMBER = re.compile(r"[+-]?(?:\d++(?:_\d++)*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
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
    """Read a value without quotes; return its node, the kind of repair it needed and its strict JSON."""
    raw = text[start:end]
    if NUMBER.fullmatch(raw):
        return number_node(raw, start, end), "", raw
    folded = raw.casefold()
    if folded in _LITERALS and (raw[0].islower() or folded not in ("undefined", "nil")):
        return _literal(raw, folded, start, end)
    if folded in _NON_FINITE:
        defect = Defect("non_finite", f"{raw} is not a finite number")
        return Node("number", start, end, raw, defect=defect), "literal", f'"{raw}"'
    return _loose(raw, start, end)


def number_node(raw: str, start: int, end: int) -> Node:
    """Read a number in JSON syntax; a number that is too long or too large gets a defect."""
    if len(raw) > _MAX_DIGITS:
        return Node("number", start, end, raw[:40], defect=Defect("number", "number is too long"))
    if "." not in raw and "e" not in raw and "E" not in raw:
        return Node("number", start, end, int(raw))
    value = float(raw)
    if value in (float("inf"), float("-inf")):
        return Node("number", start, end, raw, defect=Defect("number", f"{raw} is too large for a number"))
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
    defect = None
    if _SEVERAL.search(plain):
        defect = Defect("ambiguous", f"{raw[:60]!r} contains more than one value")
    elif _OCTAL.fullmatch(plain):
        message = f"{raw[:60]!r} starts with a zero: it may be octal, or its decimal point may be missing"
        defect = Defect("ambiguous", message)
    elif not _WORD.fullmatch(raw):
        defect = Defect("type", f"{raw[:60]!r} is not a JSON value", cleared_by="aligned")
    return Node("bare", start, end, raw, defect=defect), "unquoted", ""


def _strict_number(plain: str) -> str:
    sign = "-" if plain.startswith("-") else ""
    digits = plain.lstrip("+-").replace("_", "")
    if digits.startswith("."):
        digits = "0" + digits
    return sign + re.sub(r"\.(?=[eE]|$)", "", digits)
