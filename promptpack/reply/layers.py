"""Coatings over a reply: HTML entities, a block quote, line numbers, the escapes of a string without its quotes."""

import html
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from promptpack.reply.escapes import decode
from promptpack.reply.tree import Edit

# Tried only where a run of brackets and white space begins, so that no run is gone through twice.
_ESCAPED = re.compile(r"(?<![\s{\[])(?<!\\[nrt])(?:\s|\\[nrt])*+(?P<open>[{\[])(?:[\s{\[]|\\[nrt])*+\\\"")
_ENTITY_START = re.compile(
    r"(?:[{\[]|&(?:#123|#x7b|lcub|lbrace|#91|#x5b|lsqb|lbrack);)\s*&(?:quot|apos|#34|#39|#x22|#x27);", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_QUOTED_START = re.compile(r"^[ \t]*(?:>[ \t]*)+(?:[{\[\"]|`{3})", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^[ \t]*>(?:[ \t]?>)*+[ \t]?", re.MULTILINE)
# The lines of a diff that only adds, and of a listing; the first one says whether a space belongs to the mark.
_ADDED = r"^\+"
_NUMBERED = r"^[ \t]*+(?P<number>\d{1,6}+)(?: *+[:.)|│→]|\t)"
_LISTED_START = re.compile(rf"(?:{_ADDED}|{_NUMBERED})(?P<space> ?)[ \t]*+(?:[{{\[]|`{{3}})", re.MULTILINE)
_LINE_MARKS = {
    (pattern, spaced): re.compile(pattern + ("(?: |$)" if spaced else ""), re.MULTILINE)
    for pattern in (_ADDED, _NUMBERED)
    for spaced in (False, True)
}
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|[\s\S])")

# A reply has some coating; a text with more of it than this is something else.
_MAX_CHANGES = 50_000
_COMMON = {'\\"': '"', "\\n": "\n", "\\\\": "\\", "\\t": "\t", "\\/": "/", "\\r": "\r"}


class Layer:
    """A text with its coating taken off, and the way back to places in the raw text."""

    __slots__ = ("_raw", "_rule", "_shifts", "_starts", "text")

    def __init__(self, raw: str, rule: "_Rule | None" = None) -> None:
        self._raw, self._rule = raw, rule
        self.text = rule.strip(raw) if rule else raw
        self._starts: list[int] = []
        self._shifts: list[int] = []

    @property
    def is_coated(self) -> bool:
        """Say whether anything was taken off."""
        return self._rule is not None

    def edits(self) -> Iterator[Edit]:
        """Give what was taken off, as edits of the raw text."""
        for start, end, after in self._rule.changes(self._raw) if self._rule else ():
            yield Edit(self._rule.kind if self._rule else "", start, end, after)

    def raw(self, position: int) -> int:
        """Find the place in the raw text."""
        if self._rule is not None and not self._starts:
            self._index(self._rule)
        index = bisect_right(self._starts, position) - 1
        return position + (self._shifts[index] if index >= 0 else 0)

    def _index(self, rule: "_Rule") -> None:
        # Built on the first question only: most replies are never asked about, and a hostile one is long.
        shift = 0
        self._starts.append(0)
        self._shifts.append(0)
        for start, end, after in rule.changes(self._raw):
            shift += end - start - len(after)
            self._starts.append(end - shift)
            self._shifts.append(shift)


@dataclass(frozen=True, slots=True)
class _Rule:
    """One kind of coating: what is looked for from where on, and what it stands for."""

    kind: str
    pattern: re.Pattern[str]
    change: Callable[[str], str]
    start: int = 0
    end: int = sys.maxsize

    def changes(self, raw: str) -> Iterator[tuple[int, int, str]]:
        for match in self.pattern.finditer(raw, self.start, self.end):
            after = self.change(match[0])
            if after != match[0]:
                yield match.start(), match.end(), after

    def strip(self, raw: str) -> str:
        head, body, tail = raw[: self.start], raw[self.start : self.end], raw[self.end :]
        return head + self.pattern.sub(lambda match: self.change(match[0]), body) + tail


def peel(raw: str) -> Layer:
    """Take off the coating, if the reply has one."""
    if 0 < raw.count("&") < _MAX_CHANGES and _ENTITY_START.search(raw):
        return Layer(raw, _Rule("html-entity", _ENTITY, html.unescape))
    if 0 < raw.count(">") < _MAX_CHANGES and _QUOTED_START.search(raw):
        return Layer(raw, _Rule("block-quote", _QUOTE_MARK, _nothing))
    if (
        0 < raw.count("\\") < _MAX_CHANGES
        and (match := _ESCAPED.search(raw))
        and _comes_first(raw, match.start("open"))
    ):
        return Layer(raw, _Rule("escaped", _ESCAPE, _unescaped, match.start("open")))
    if (match := _LISTED_START.search(raw)) and _comes_first(raw, match.start()):
        return Layer(raw, _listing(raw, match))
    return Layer(raw)


def _listing(raw: str, first: re.Match[str]) -> _Rule | None:
    """Follow the lines of a diff or of a listing, whose numbers count up, as far as they go."""
    pattern = _LINE_MARKS[_NUMBERED if first["number"] else _ADDED, bool(first["space"])]
    lines, end = 0, first.start()
    while lines < _MAX_CHANGES and (mark := pattern.match(raw, end)):
        if first["number"] and int(mark["number"]) != int(first["number"]) + lines:
            break
        lines, end = lines + 1, raw.find("\n", end) + 1 or len(raw)
    return _Rule("line-mark", pattern, _nothing, first.start(), end) if lines > 1 else None


def _comes_first(raw: str, position: int) -> bool:
    """An escaped object behind a bracket or a quote is the content of some string, not the answer itself."""
    before = raw[:position].rstrip("\"'")
    return not any(mark in before for mark in '{[｛"“')


def _unescaped(found: str) -> str:
    return _COMMON.get(found) or decode(found)


def _nothing(_: str) -> str:
    return ""
