"""How a key and its colon look to someone who stands before them; no look goes over the same text twice."""

import re
from typing import Final

BLANK: Final = r"(?:\s|[\u200b-\u200f\u2060\ufeff])*+"
_COLON: Final = r"(?::|：|=>|=(?![=>]))"


def _within(quotes: str) -> str:
    """Describe what may stand between quotes: everything up to the next of them, so that looks do not overlap."""
    return rf"[^{quotes}\\\n]{{0,300}}+(?:\\.[^{quotes}\\\n]{{0,300}}+){{0,300}}+"


_DOUBLE: Final = '"“”„‟＂'
_SINGLE: Final = "'‘’‚‛＇"
# Straight quotes first: the other kinds may stand between them.
_QUOTES: Final = ('"', _DOUBLE, "'", _SINGLE, "`")
_QUOTED: Final = "|".join(f"[{quotes}]{_within(quotes)}[{quotes}]" for quotes in _QUOTES)
_HALF: Final = r"[^\W\d]\w{0,60}+[\"”']|[\"“'][^\W\d]\w{0,60}+"
_BARE: Final = r"[^\W\d][\w$-]{0,60}+"
_PAIRED: Final = r"[「『«‹][^「」『』«»‹›\n]{0,300}+[」』»›]"
KEY: Final = rf"(?=[{_DOUBLE}{_SINGLE}`「『«‹\w])(?:{_QUOTED}|{_HALF}|{_BARE}|{_PAIRED}){BLANK}{_COLON}"

# A key in quotes with a value right behind it, where a colon belongs between them.
COLONLESS: Final = (
    r"[\"“'](?P<name>[^\W\d][\w -]{0,60}+)[\"”'](?:[ \t]*+(?=[{\[])|[ \t]++(?=[\"“']|-?\d|(?:true|false|null)\b))"
)

# A text that arrives may end before the colon does, or inside of the quotes.
_ARRIVING_COLON: Final = rf"{BLANK}(?:[:：]|=?\Z|=(?=[^=]))"
_ARRIVING: Final = "|".join(rf"[{quotes}]{_within(quotes)}(?:[{quotes}]{_ARRIVING_COLON}|\\?\Z)" for quotes in _QUOTES)
KEY_ARRIVING: Final = (
    rf"(?:(?=[{_DOUBLE}{_SINGLE}`「『«‹\w])(?:{_ARRIVING}|(?:{_HALF}|{_BARE}|{_PAIRED}){_ARRIVING_COLON}"
    rf"|[「『«‹][^「」『』«»‹›\n]{{0,300}}+\Z)|\Z)"
)

is_quoted_key: Final = re.compile(rf"(?:{_QUOTED}){BLANK}{_COLON}").match
is_half_key: Final = re.compile(rf"(?:{_HALF}){BLANK}{_COLON}").match
is_colonless_key: Final = re.compile(COLONLESS).match
is_paired_key: Final = re.compile(rf"{_PAIRED}{BLANK}{_COLON}").match
is_bare_key: Final = re.compile(rf"{_BARE}{BLANK}{_COLON}").match
