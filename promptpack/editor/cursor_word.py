"""Find the word at a cursor and its kind, from the text alone, since half-typed text cannot be parsed."""

import re
from dataclasses import dataclass
from typing import Literal

WordKind = Literal[
    "name", "attribute", "filter", "test", "partial", "tag", "block", "pack", "input", "rule", "value", "none"
]

_REGIONS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_WORD_END = re.compile(r"[\w-]*")
_PACK_END = re.compile(r"[\w@^~.<>=,-]*")
_EXPRESSION_KEY = re.compile(r"(?:^|[\s{,])(?:when|require):[ \t]+(?![>|][-+]?\d?[ \t]*$)[\"']?(?P<typed>.*)\Z")
_EXPRESSION_BLOCK = re.compile(r"[ \t]*(?:- )?(?:when|require):[ \t]*[>|][-+]?\d?[ \t]*(?:#.*)?\Z")
_VALUE = re.compile(r"[ \t]*(?:- )?(?P<key>extends|history|tools):[ \t]*[\"']?(?P<word>[\w@^~.<>=,-]*)\Z")
_RULE = re.compile(r"(?:^|[\s{,])rule:[ \t]+[\"']?(?P<word>[\w-]*)\Z")
# A key of the context of a test: after `context: {`, or in a line of the block below `context:`.
_CONTEXT_KEY = re.compile(
    r"(?:^|[\s{,])context:[ \t]*\{(?:(?:[^{}]|\{[^{}]*\})*,)?[ \t]*(?P<word>\w*)\Z|^[ \t]+(?P<alone>\w*)\Z"
)
_CONTEXT_BLOCK = re.compile(r"[ \t]*(?:- )?context:[ \t]*(?:#.*)?\Z")
_COMPARED = re.compile(r"(?<![\w.])(?P<owner>[A-Za-z_]\w*(?:\.\w+)*)\s*[=!]=\s*[\"']\Z")
_NAMES_PARTIALS = re.compile(r"[-+]?\s*(?:include|import|from|extends)\b")
_PATTERNS: tuple[tuple[WordKind, re.Pattern[str]], ...] = (
    ("filter", re.compile(r"\|\s*(?P<word>\w*)\Z")),
    ("test", re.compile(r"\bis\s+(?:not\s+)?(?P<word>\w*)\Z")),
    ("attribute", re.compile(r"(?<![\w.])(?P<owner>[A-Za-z_]\w*(?:\.\w+)*)\.(?P<word>\w*)\Z")),
    ("name", re.compile(r"(?:(?<![\w.])(?P<owner>[A-Za-z_]\w*(?:\.\w+)*)\s*[=!]=\s*)?(?<![\w.])(?P<word>\w*)\Z")),
)
_HANDLEBARS: tuple[tuple[WordKind, re.Pattern[str]], ...] = (
    ("partial", re.compile(r"\A\s*>\s*(?P<word>[\w./-]*)\Z")),
    ("block", re.compile(r"\A\s*[#/](?P<word>\w*)\Z")),
    ("name", re.compile(r"\A\s*(?:#(?:if|each)\s+)?(?P<word>[^\s{}#/>]*)\Z")),
)
_TAG = re.compile(r"\A[-+]?\s*(?P<word>\w*)\Z")


@dataclass(frozen=True, slots=True)
class CursorWord:
    """The word at or before a cursor; `owner` is the expression before its dot, or the one it is compared with."""

    kind: WordKind
    start: int = 0
    text: str = ""
    owner: str = ""


_NO_WORD = CursorWord("none")


def find_typed_word(text: str, offset: int, syntax: str = "jinja") -> CursorWord:
    """Return the word that is being typed right before an offset."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    region = _region(text, offset, ("{{",) if syntax == "handlebars" else tuple(_REGIONS))
    if region is not None:
        start, opening = region
        return _word_in_tag(text[start + 2 : offset], offset, opening, syntax)
    if value := _VALUE.match(line):
        kind: WordKind = "pack" if value["key"] == "extends" else "input"
        return CursorWord(kind, offset - len(value["word"]), value["word"])
    if rule := _RULE.search(line):
        return CursorWord("rule", offset - len(rule["word"]), rule["word"])
    key = _CONTEXT_KEY.search(line)
    if key and (key["alone"] is None or _CONTEXT_BLOCK.match(find_block_head(text, offset))):
        word = key["word"] or key["alone"] or ""
        return CursorWord("input", offset - len(word), word)
    expression = _EXPRESSION_KEY.search(line)
    if expression is not None:
        return _word_in_tag(expression["typed"], offset, "{{", "jinja")
    if _EXPRESSION_BLOCK.match(find_block_head(text, offset)):
        return _word_in_tag(line, offset, "{{", "jinja")
    return _NO_WORD


def find_tag_start(text: str, offset: int, syntax: str = "jinja") -> int | None:
    """Return the start of the tag that is open at an offset; None outside tags."""
    region = _region(text, offset, ("{{",) if syntax == "handlebars" else tuple(_REGIONS))
    return None if region is None else region[0]


def find_word_under(text: str, offset: int, syntax: str = "jinja") -> CursorWord:
    """Return the whole word at an offset."""
    kind = find_typed_word(text, offset, syntax).kind
    end = (_PACK_END if kind == "pack" else _WORD_END).match(text, offset)
    word = find_typed_word(text, end.end() if end else offset, syntax)
    return word if word.text else _NO_WORD


def find_block_head(text: str, offset: int) -> str:
    """Return the line that opens the block around an offset: the nearest line above that is indented less."""
    start = find_block_start(text, offset)
    return text[start : _line_end(text, start)] if start >= 0 else ""


def find_block_start(text: str, offset: int) -> int:
    """Return the start of the line that opens the block around an offset, or -1 if there is none."""
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
    """Return the start and the opening of the tag that is open at an offset."""
    opened = max(openings, key=lambda opening: text.rfind(opening, 0, offset))
    start = text.rfind(opened, 0, offset)
    if start < 0 or text.find(_REGIONS[opened], start + 2, offset) >= 0:
        return None
    return start, opened


def _word_in_tag(typed: str, offset: int, opening: str, syntax: str) -> CursorWord:
    if opening == "{#":
        return _NO_WORD
    if syntax == "handlebars":
        return _match_first(_HANDLEBARS, typed, offset)
    quoted = _open_quote(typed)
    if quoted is not None:
        if opening == "{%" and _NAMES_PARTIALS.match(typed):
            return CursorWord("partial", offset - len(quoted), quoted)
        compared = _COMPARED.search(typed.removesuffix(quoted))
        return CursorWord("value", offset - len(quoted), quoted, compared["owner"]) if compared else _NO_WORD
    if opening == "{%" and (tag := _TAG.match(typed)):
        return CursorWord("tag", offset - len(tag["word"]), tag["word"])
    return _match_first(_PATTERNS, typed, offset)


def _match_first(patterns: tuple[tuple[WordKind, re.Pattern[str]], ...], typed: str, offset: int) -> CursorWord:
    for kind, pattern in patterns:
        if found := pattern.search(typed):
            word = found["word"]
            return CursorWord(kind, offset - len(word), word, found.groupdict().get("owner") or "")
    return _NO_WORD


def _open_quote(typed: str) -> str | None:
    """Return the text after an unclosed quote, or None if all are closed."""
    quote, start = "", 0
    for index, character in enumerate(typed):
        if character == quote:
            quote = ""
        elif not quote and character in "\"'":
            quote, start = character, index + 1
    return typed[start:] if quote else None
