"""Keys as models write them: in quotes of any kind, half quoted, or bare."""

import re
from typing import NamedTuple

from promptpack.reply.escapes import decode
from promptpack.reply.lookahead import BLANK, COLON, find_prefix, is_colonless_key
from promptpack.reply.strings import Lexer, scan_string

SEPARATOR = re.compile(r"[:：﹕∶](?:\s{0,8}+[:：])*+=?|[→⇒↦]|[=-]>|[=＝](?!=)")
_KEYS = (
    re.compile(rf"'(?P<body>(?:[^'\\\n]|\\.){{0,300}})'(?={BLANK}{COLON})"),
    re.compile(r'["“”„‟＂](?P<body>(?:[^"“”„‟＂\\\n]|\\.){0,300})["“”„‟＂]'),
    re.compile(r"['‘’‚‛＇](?P<body>(?:[^'‘’‚‛＇\\\n]|\\.|(?<=\w)['’](?=\w)){0,300})['‘’‚‛＇]"),
    re.compile(r"`(?P<body>[^`\\\n]{0,300})`"),
    re.compile(r"[「『«‹](?P<body>[^「」『』«»‹›\n]{0,300})[」』»›]"),
)
_HALF_KEY = re.compile(
    rf"(?:[\"“'](?P<left>[^\W\d][\w ]{{0,60}})|(?P<right>[^\W\d]\w{{0,60}})[\"”'])(?={BLANK}{COLON})"
)
_BARE_KEY = re.compile(rf":?(?P<name>[^\W\d][\w$.-]*+(?: [^\W\d][\w$-]*+){{0,3}})(?={BLANK}{COLON})")


class Key(NamedTuple):
    """One key, its end, and the kind of repair it needed."""

    name: str
    end: int
    kind: str = ""


def read_key(lexer: Lexer, start: int) -> Key | None:
    """Read the key at `start`; return None if no key with a colon is there."""
    prefix = find_prefix(lexer.text, start)
    quoted = _quoted(lexer, prefix.end() if prefix else start)
    if quoted is not None and prefix:
        return quoted._replace(kind="quotes")
    key = quoted or _half(lexer.text, start) or _bare(lexer.text, start)
    if key is None or not SEPARATOR.match(lexer.text, lexer.blank_end(key.end)):
        return _colonless(lexer, start)
    return key


def _quoted(lexer: Lexer, start: int) -> Key | None:
    text = lexer.text
    if text[start] == '"' and (strict := _strict(lexer, start)):
        return strict
    match = next((found for pattern in _KEYS if (found := pattern.match(text, start))), None)
    if match is None or not SEPARATOR.match(text, lexer.blank_end(match.end())):
        return None
    return Key(decode(match["body"]), match.end(), "quotes")


def _strict(lexer: Lexer, start: int) -> Key | None:
    try:
        name, end = scan_string(lexer.text, start + 1)
    except ValueError:
        return None
    return Key(name, end) if SEPARATOR.match(lexer.text, lexer.blank_end(end)) else None


def _colonless(lexer: Lexer, start: int) -> Key | None:
    match = is_colonless_key(lexer.text, start) if lexer.is_colonless else None
    if match is None:
        return None
    is_strict = lexer.text[start] == lexer.text[match.end("name")] == '"'
    return Key(match["name"], match.end("name") + 1, "" if is_strict else "quotes")


def _half(text: str, start: int) -> Key | None:
    match = _HALF_KEY.match(text, start)
    if match is None:
        return None
    return Key((match["left"] or match["right"]).strip(), match.end(), "missing-quote")


def _bare(text: str, start: int) -> Key | None:
    match = _BARE_KEY.match(text, start)
    return Key(match["name"], match.end(), "unquoted") if match else None
