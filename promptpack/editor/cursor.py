"""Where a cursor stands: the kind of word it is in, read from the text alone, since half-typed text has no parser."""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["name", "attribute", "filter", "test", "partial", "tag", "block", "pack", "input", "none"]

_REGIONS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_WORD_END = re.compile(r"[\w-]*")
_REQUEST_END = re.compile(r"[\w@^~.<>=,-]*")
_EXPRESSION_KEY = re.compile(r"(?:^|[\s{,])(?:when|require):[ \t]+(?![>|][-+]?\d?[ \t]*$)(?P<typed>.*)\Z")
_EXPRESSION_BLOCK = re.compile(r"[ \t]*(?:- )?(?:when|require):[ \t]*[>|][-+]?\d?[ \t]*(?:#.*)?\Z")
_VALUE = re.compile(r"[ \t]*(?:- )?(?P<key>extends|history|tools):[ \t]*[\"']?(?P<word>[\w@^~.<>=,-]*)\Z")
_NAMES_PARTIALS = re.compile(r"[-+]?\s*(?:include|import|from|extends)\b")
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("filter", re.compile(r"\|\s*(?P<word>\w*)\Z")),
    ("test", re.compile(r"\bis\s+(?:not\s+)?(?P<word>\w*)\Z")),
    ("attribute", re.compile(r"(?<![\w.])(?P<owner>[A-Za-z_]\w*(?:\.\w+)*)\.(?P<word>\w*)\Z")),
    ("name", re.compile(r"(?<![\w.])(?P<word>\w*)\Z")),
)
_HANDLEBARS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("partial", re.compile(r"\A\s*>\s*(?P<word>[\w./-]*)\Z")),
    ("block", re.compile(r"\A\s*[#/](?P<word>\w*)\Z")),
    ("name", re.compile(r"\A\s*(?:#(?:if|each)\s+)?(?P<word>[^\s{}#/>]*)\Z")),
)
_TAG = re.compile(r"\A[-+]?\s*(?P<word>\w*)\Z")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The word that a cursor stands in or after; `owner` is what stands before its dot."""

    kind: Kind
    start: int = 0
    word: str = ""
    owner: str = ""


_NOWHERE = Cursor("none")


def find_cursor(text: str, offset: int, syntax: str = "jinja") -> Cursor:
    """Say what is being typed right before an offset."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    region = _region(text, offset, ("{{",) if syntax == "handlebars" else tuple(_REGIONS))
    if region is not None:
        start, opening = region
        return _inside(text[start + 2 : offset], offset, opening, syntax)
    if value := _VALUE.match(line):
        kind: Kind = "pack" if value["key"] == "extends" else "input"
        return Cursor(kind, offset - len(value["word"]), value["word"])
    expression = _EXPRESSION_KEY.search(line)
    if expression is not None:
        return _inside(expression["typed"], offset, "{{", "jinja")
    if _EXPRESSION_BLOCK.match(block_head(text, offset)):
        return _inside(line, offset, "{{", "jinja")
    return _NOWHERE


def tag_start(text: str, offset: int, syntax: str = "jinja") -> int | None:
    """Give where the tag starts that is open at an offset; None outside of tags."""
    region = _region(text, offset, ("{{",) if syntax == "handlebars" else tuple(_REGIONS))
    return None if region is None else region[0]


def word_under(text: str, offset: int, syntax: str = "jinja") -> Cursor:
    """Say what word a cursor stands in, up to the word's own end."""
    kind = find_cursor(text, offset, syntax).kind
    end = (_REQUEST_END if kind == "pack" else _WORD_END).match(text, offset)
    cursor = find_cursor(text, end.end() if end else offset, syntax)
    return cursor if cursor.word else _NOWHERE


def block_head(text: str, offset: int) -> str:
    """Give the line that opens the block around an offset: the nearest one above that is indented less."""
    start = block_start(text, offset)
    return text[start : _line_end(text, start)] if start >= 0 else ""


def block_start(text: str, offset: int) -> int:
    """Give where that line starts, or -1 when there is none."""
    line_start = text.rfind("\n", 0, offset) + 1
    own = _indent(text[line_start : _line_end(text, line_start)])
    while line_start > 0:
        line_start = text.rfind("\n", 0, line_start - 1) + 1
        line = text[line_start : _line_end(text, line_start)]
        if line.strip() and _indent(line) < own:
            return line_start
    return -1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _region(text: str, offset: int, openings: tuple[str, ...]) -> tuple[int, str] | None:
    """Find the tag that is open at an offset: where it starts, and what opens it."""
    opened = max(openings, key=lambda opening: text.rfind(opening, 0, offset))
    start = text.rfind(opened, 0, offset)
    if start < 0 or text.find(_REGIONS[opened], start + 2, offset) >= 0:
        return None
    return start, opened


def _inside(typed: str, offset: int, opening: str, syntax: str) -> Cursor:
    if opening == "{#":
        return _NOWHERE
    if syntax == "handlebars":
        return _first(_HANDLEBARS, typed, offset)
    quoted = _open_quote(typed)
    if quoted is not None:
        names_partial = opening == "{%" and _NAMES_PARTIALS.match(typed)
        return Cursor("partial", offset - len(quoted), quoted) if names_partial else _NOWHERE
    if opening == "{%" and (tag := _TAG.match(typed)):
        return Cursor("tag", offset - len(tag["word"]), tag["word"])
    return _first(_PATTERNS, typed, offset)


def _first(patterns: tuple[tuple[Kind, re.Pattern[str]], ...], typed: str, offset: int) -> Cursor:
    for kind, pattern in patterns:
        if found := pattern.search(typed):
            word = found["word"]
            return Cursor(kind, offset - len(word), word, found.groupdict().get("owner") or "")
    return _NOWHERE


def _open_quote(typed: str) -> str | None:
    """Give what follows a quote that is not closed, or None when all are."""
    quote, start = "", 0
    for index, character in enumerate(typed):
        if character == quote:
            quote = ""
        elif not quote and character in "\"'":
            quote, start = character, index + 1
    return typed[start:] if quote else None
