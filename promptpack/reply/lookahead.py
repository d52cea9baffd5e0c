"""Lookahead patterns for keys and their colons; possessive quantifiers keep them linear."""

import re
from typing import Final

BLANK: Final = r"(?:\s|[\u200b-\u200f\u2060\ufeff])*+"
_COLON: Final = r"(?::|：|=>|=(?![=>]))"


def _within(quotes: str) -> str:
    """Return the pattern of a quoted body: it stops at the next quote, so that matches do not overlap."""
    return rf"[^{quotes}\\\n]{{0,300}}+(?:\\.[^{quotes}\\\n]{{0,300}}+){{0,300}}+"


_DOUBLE: Final = '"“”„‟＂'
_SINGLE: Final = "'‘’‚‛＇"
# Straight quotes come first because they may enclose the other kinds.
_QUOTES: Final = ('"', _DOUBLE, "'", _SINGLE, "`")
_QUOTED: Final = "|".join(f"[{quotes}]{_within(quotes)}[{quotes}]" for quotes in _QUOTES)
_HALF: Final = r"[^\W\d]\w{0,60}+[\"”']|[\"“'][^\W\d]\w{0,60}+"
_BARE: Final = r"[^\W\d][\w$-]{0,60}+"
_PAIRED: Final = r"[「『«‹][^「」『』«»‹›\n]{0,300}+[」』»›]"
KEY: Final = rf"(?=[{_DOUBLE}{_SINGLE}`「『«‹\w])(?:{_QUOTED}|{_HALF}|{_BARE}|{_PAIRED}){BLANK}{_COLON}"

# A quoted key directly followed by a value: the colon is missing.
COLONLESS: Final = (
    r"[\"“'](?P<name>[^\W\d][\w -]{0,60}+)[\"”'](?:[ \t]*+(?=[{\[])|[ \t]++(?=[\"“']|-?\d|(?:true|false|null)\b))"
)

# A streamed text may end before the colon or inside the quotes.
_PARTIAL_COLON: Final = rf"{BLANK}(?:[:：]|=?\Z|=(?=[^=]))"
_PARTIAL_QUOTED: Final = "|".join(
    rf"[{quotes}]{_within(quotes)}(?:[{quotes}]{_PARTIAL_COLON}|\\?\Z)" for quotes in _QUOTES
)
PARTIAL_KEY: Final = (
    rf"(?:(?=[{_DOUBLE}{_SINGLE}`「『«‹\w])(?:{_PARTIAL_QUOTED}|(?:{_HALF}|{_BARE}|{_PAIRED}){_PARTIAL_COLON}"
    rf"|[「『«‹][^「」『』«»‹›\n]{{0,300}}+\Z)|\Z)"
)

is_quoted_key: Final = re.compile(rf"(?:{_QUOTED}){BLANK}{_COLON}").match
is_half_key: Final = re.compile(rf"(?:{_HALF}){BLANK}{_COLON}").match
is_colonless_key: Final = re.compile(COLONLESS).match
is_paired_key: Final = re.compile(rf"{_PAIRED}{BLANK}{_COLON}").match
is_bare_key: Final = re.compile(rf"{_BARE}{BLANK}{_COLON}").match
