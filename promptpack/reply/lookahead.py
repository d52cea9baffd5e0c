"""Lookahead patterns for keys and their colons; possessive quantifiers keep them linear."""

import re
from typing import Final

INVISIBLE: Final = r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]"
# Signs that mean nothing between tokens: invisible characters, colours, bold, line breaks in HTML or as escapes.
ODD_SPACE: Final = (
    rf"(?:[^\S \t\r\n]|{INVISIBLE}|\x1b\[[0-9;]{{0,20}}[A-Za-z]|\*{{1,3}}|\\(?:[nrt](?!\w)|(?=\r?\n))|<br ?/?>|&nbsp;)"
)
BLANK: Final = rf"\s*+(?:{ODD_SPACE}\s*+)*+"
COLON: Final = r"(?:[:：﹕∶→⇒↦]|[=-]>|[=＝](?![=>]))"
# The prefix of a string in Python or C#.
PREFIX: Final = r"(?:[bfruBFRU]{1,2}+|[@$]{1,2}+)(?=[\"'])"
_COMMAS: Final = rf"(?:[,，]{BLANK})++"


def _within(quotes: str) -> str:
    """Return the pattern of a quoted body: it stops at the next quote, so that matches do not overlap."""
    return rf"[^{quotes}\\\n]{{0,300}}+(?:\\.[^{quotes}\\\n]{{0,300}}+){{0,300}}+"


_DOUBLE: Final = '"“”„‟＂'
_SINGLE: Final = "'‘’‚‛＇"
# Straight quotes come first because they may enclose the other kinds.
_QUOTES: Final = ('"', _DOUBLE, "'", _SINGLE, "`")
_QUOTED: Final = "|".join(f"[{quotes}]{_within(quotes)}[{quotes}]" for quotes in _QUOTES)
_HALF: Final = r"[^\W\d]\w{0,60}+[\"”']|[\"“'][^\W\d]\w{0,60}+"
_BARE: Final = r":?[^\W\d][\w$-]{0,60}+"
_PAIRED: Final = r"[「『«‹][^「」『』«»‹›\n]{0,300}+[」』»›]"
_START: Final = rf"(?:{_COMMAS})?+(?=[{_DOUBLE}{_SINGLE}`「『«‹\w:@$])"
_PREFIXED: Final = rf"(?:{PREFIX})?+(?:{_QUOTED})"
KEY: Final = rf"{_START}(?:{_PREFIXED}|{_HALF}|{_BARE}|{_PAIRED}){BLANK}{COLON}"
QUOTED_KEY: Final = rf"{_PREFIXED}{BLANK}{COLON}"

# A quoted key directly followed by a value: the colon is missing.
COLONLESS: Final = (
    r"[\"“'](?P<name>[^\W\d][\w -]{0,60}+)[\"”'](?:[ \t]*+(?=[{\[])|[ \t]++(?=[\"“']|-?\d|(?:true|false|null)\b))"
)

# A streamed text may end before the colon, inside the quotes, or inside a sign.
_END: Final = r"(?:[=:@$*\\-]|<(?:b(?:r ?/?)?)?|\x1b(?:\[[0-9;]{0,20})?)?\Z"
_PARTIAL_COLON: Final = rf"{BLANK}(?:[:：﹕∶→⇒↦＝]|->|=(?=[^=])|{_END})"
_PARTIAL_QUOTED: Final = "|".join(
    rf"[{quotes}]{_within(quotes)}(?:[{quotes}]{_PARTIAL_COLON}|\\?\Z)" for quotes in _QUOTES
)
PARTIAL_KEY: Final = (
    rf"(?:{_START}(?:(?:{PREFIX})?+(?:{_PARTIAL_QUOTED})|(?:{_HALF}|{_BARE}|{_PAIRED}){_PARTIAL_COLON}"
    rf"|[「『«‹][^「」『』«»‹›\n]{{0,300}}+\Z)|(?:{_COMMAS})?+{_END})"
)

find_prefix: Final = re.compile(PREFIX).match
skip_commas: Final = re.compile(_COMMAS).match
is_quoted_key: Final = re.compile(QUOTED_KEY).match
is_half_key: Final = re.compile(rf"(?:{_HALF}){BLANK}{COLON}").match
is_colonless_key: Final = re.compile(COLONLESS).match
is_paired_key: Final = re.compile(rf"{_PAIRED}{BLANK}{COLON}").match
is_bare_key: Final = re.compile(rf"{_BARE}{BLANK}{COLON}").match
