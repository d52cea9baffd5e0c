"""Encodings around a whole reply: HTML entities, a block quote, line prefixes, string escapes without the quotes."""

import html
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from promptpack.reply.escapes import decode
from promptpack.reply.syntax_tree import TextRepair

# Matches only at the start of a run of brackets and white space, so that no run is searched twice.
_ESCAPED = re.compile(r"(?<![\s{\[])(?<!\\[nrt])(?:\s|\\[nrt])*+(?P<open>[{\[])(?:[\s{\[]|\\[nrt])*+\\\"")
_ENTITY_START = re.compile(
    r"(?:[{\[]|&(?:#123|#x7b|lcub|lbrace|#91|#x5b|lsqb|lbrack);)\s*&(?:quot|apos|#34|#39|#x22|#x27);", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_QUOTED_START = re.compile(r"^[ \t]*(?:>[ \t]*)+(?:[{\[\"]|`{3})", re.MULTILINE)
_QUOTE_PREFIX = re.compile(r"^[ \t]*>(?:[ \t]?>)*+[ \t]?", re.MULTILINE)
# Lines of a diff that only adds, and of a numbered listing; the first line shows whether a space is part of the prefix.
_ADDED = r"^\+"
_NUMBERED = r"^[ \t]*+(?P<number>\d{1,6}+)(?: *+[:.)|│→]|\t)"
_LISTED_START = re.compile(rf"(?:{_ADDED}|{_NUMBERED})(?P<space> ?)[ \t]*+(?:[{{\[]|`{{3}})", re.MULTILINE)
_LINE_PREFIXES = {
    (pattern, spaced): re.compile(pattern + ("(?: |$)" if spaced else ""), re.MULTILINE)
    for pattern in (_ADDED, _NUMBERED)
    for spaced in (False, True)
}
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|[\s\S])")

# A text with more changes than this is not an encoded reply.
_MAX_CHANGES = 50_000
_COMMON = {'\\"': '"', "\\n": "\n", "\\\\": "\\", "\\t": "\t", "\\/": "/", "\\r": "\r"}


class DecodedReply:
    """A reply with its outer encoding removed; it maps positions back to offsets in the raw text."""

    __slots__ = ("_encoding", "_raw", "_shifts", "_starts", "hidden", "text")

    def __init__(self, raw: str, encoding: "_Encoding | None" = None, hidden: Sequence[tuple[int, int]] = ()) -> None:
        self._raw, self._encoding = raw, encoding
        self.text = encoding.decode(raw) if encoding else raw
        self._starts: list[int] = []
        self._shifts: list[int] = []
        self.hidden = hidden

    @property
    def is_encoded(self) -> bool:
        """Whether the reply has an outer encoding."""
        return self._encoding is not None

    def repairs(self) -> Iterator[TextRepair]:
        """Yield the changes that removed the encoding, as repairs of the raw text."""
        for start, end, after in self._encoding.changes(self._raw) if self._encoding else ():
            yield TextRepair(self._encoding.kind if self._encoding else "", start, end, after)

    def raw_offset(self, position: int) -> int:
        """Return the offset in the raw text of a position in the decoded text."""
        if self._encoding is not None and not self._starts:
            self._index(self._encoding)
        index = bisect_right(self._starts, position) - 1
        return position + (self._shifts[index] if index >= 0 else 0)

    def _index(self, encoding: "_Encoding") -> None:
        # Lazy, because most replies need no offset and a hostile reply is long.
        shift = 0
        self._starts.append(0)
        self._shifts.append(0)
        for start, end, after in encoding.changes(self._raw):
            shift += end - start - len(after)
            self._starts.append(end - shift)
            self._shifts.append(shift)


@dataclass(frozen=True, slots=True)
class _Encoding:
    """One kind of encoding: the pattern of encoded text between `start` and `end`, and the function that decodes it."""

    kind: str
    pattern: re.Pattern[str]
    decode_match: Callable[[str], str]
    start: int = 0
    end: int = sys.maxsize

    def changes(self, raw: str) -> Iterator[tuple[int, int, str]]:
        for match in self.pattern.finditer(raw, self.start, self.end):
            after = self.decode_match(match[0])
            if after != match[0]:
                yield match.start(), match.end(), after

    def decode(self, raw: str) -> str:
        head, body, tail = raw[: self.start], raw[self.start : self.end], raw[self.end :]
        return head + self.pattern.sub(lambda match: self.decode_match(match[0]), body) + tail


def decode_outer(raw: str) -> DecodedReply:
    """Remove the outer encoding of a reply, if it has one."""
    if 0 < raw.count("&") < _MAX_CHANGES and _ENTITY_START.search(raw):
        return DecodedReply(raw, _Encoding("html-entity", _ENTITY, html.unescape))
    if 0 < raw.count(">") < _MAX_CHANGES and _QUOTED_START.search(raw):
        return DecodedReply(raw, _Encoding("block-quote", _QUOTE_PREFIX, _remove))
    if (
        0 < raw.count("\\") < _MAX_CHANGES
        and (match := _ESCAPED.search(raw))
        and _comes_first(raw, match.start("open"))
    ):
        return DecodedReply(raw, _Encoding("escaped", _ESCAPE, _unescape, match.start("open")))
    if (match := _LISTED_START.search(raw)) and _comes_first(raw, match.start()):
        return DecodedReply(raw, _find_listing(raw, match))
    return DecodedReply(raw)


def _find_listing(raw: str, first: re.Match[str]) -> _Encoding | None:
    """Return the encoding of the lines of a diff, or of a listing whose numbers count up."""
    pattern = _LINE_PREFIXES[_NUMBERED if first["number"] else _ADDED, bool(first["space"])]
    lines, end = 0, first.start()
    while lines < _MAX_CHANGES and (prefix := pattern.match(raw, end)):
        if first["number"] and int(prefix["number"]) != int(first["number"]) + lines:
            break
        lines, end = lines + 1, raw.find("\n", end) + 1 or len(raw)
    return _Encoding("line-mark", pattern, _remove, first.start(), end) if lines > 1 else None


def _comes_first(raw: str, position: int) -> bool:
    """Return whether no bracket or quote comes before; after one, an encoded object is the content of a string."""
    before = raw[:position].rstrip("\"'")
    return not any(sign in before for sign in '{[｛"“')


def _unescape(found: str) -> str:
    return _COMMON.get(found) or decode(found)


def _remove(_: str) -> str:
    return ""
