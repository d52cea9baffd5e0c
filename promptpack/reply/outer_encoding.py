"""Encodings around a whole reply: HTML entities, string escapes, doubled quotes, a block quote, line prefixes."""

import html
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from promptpack.reply.candidates import strict_at
from promptpack.reply.escapes import decode
from promptpack.reply.hidden_text import blank
from promptpack.reply.lookahead import BLANK, COLON, KEY, QUOTED_KEY
from promptpack.reply.syntax_tree import TextRepair

# The first quote of an encoded object; a comma or a comment may come before it.
_GAP = rf"(?:{BLANK}(?:,|(?://|#)[^\n\\]{{0,200}}+|/\*[^*]{{0,200}}+\*/))*+{BLANK}"
_BRACE = r"&(?:#0*123|#x0*7b|lcub|lbrace);"
_ENTITY_START = re.compile(rf"(?:\{{|{_BRACE}){_GAP}&(?:quot|apos|[lr][sd]quo|#0*3[49]|#x0*2[27]);", re.IGNORECASE)
_BRACE_START = re.compile(rf"{_BRACE}{_GAP}\"", re.IGNORECASE)
_ESCAPED_START = re.compile(rf"\{{{_GAP}\\\"")
_DOUBLED_START = re.compile(rf'\{{{_GAP}""(?!{BLANK}{COLON})')
_PLAIN_OBJECT = re.compile(r'[{｛]\s*+"[^"\n]{1,300}+"\s*+:')
# A plain member: encoded text after it may be its content.
_PLAIN = re.compile(rf"[{{｛]{BLANK}{KEY}|(?<!\\){QUOTED_KEY}")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
# A string ends with its line at the latest: a lost quote must not turn the strings after it inside out.
_ENTITY_OR_STRING = re.compile(rf'{_ENTITY.pattern}|"(?P<content>(?:[^"\\\n]|\\.)*+)(?P<end>"?)')
_QUOTED_START = re.compile(r"^[ \t]*(?:>[ \t]*)+(?:[{\[\"]|`{3})", re.MULTILINE)
_QUOTE_PREFIX = re.compile(r"^[ \t]*>(?:[ \t]?>)*+[ \t]?", re.MULTILINE)
# Lines of a diff that only adds, of a column, of a log with the name of a service, and of a numbered listing. The first
# line shows whether a space follows.
_NUMBER = r"(?P<number>\d{1,6}+)(?: *+[:.)|│→]|\t)"
_LISTED_START = re.compile(
    rf"^[ \t]*+(?:(?P<mark>[+|│┃║]|[A-Za-z][\w.-]{{0,40}}+ {{1,20}}\|)|{_NUMBER})(?P<space> ?)[ \t]*+(?:[{{\[]|`{{3}})",
    re.MULTILINE,
)
_LINE_PREFIX = re.compile(rf"[ \t]*+(?:>[> \t]*+|[+|│┃║]|{_NUMBER})")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|[\s\S])")
_SIGNS = frozenset("{}[]:,")
# JSON in a literal of a program in single quotes; a call with named arguments is read as a call.
_LITERAL_START = re.compile(rf"(?<=[=(,:\[])[ \t]{{0,4}}+b?'(?=\{{{_GAP}\")")
_LITERAL_BODY = re.compile(r"(?:[^'\\]|\\[\s\S])*+(?=')")
_NAMED_CALL = re.compile(r"\w\(\s{0,20}+[A-Za-z_]\w{0,40}+\s{0,20}+=(?!=)")
# A text with more changes than this is not an encoded reply.
_MAX_CHANGES = 50_000
_COMMON = {'\\"': '"', "\\n": "\n", "\\\\": "\\", "\\t": "\t", "\\/": "/", "\\r": "\r"}


class DecodedReply:
    """A reply with its outer encoding removed; it maps positions back to offsets in the raw text."""

    __slots__ = ("_encoding", "_raw", "_shifts", "_starts", "hidden", "text")

    def __init__(
        self, raw: str, encoding: "_OuterEncoding | None" = None, hidden: Sequence[tuple[int, int]] = ()
    ) -> None:
        self._raw, self._encoding = raw, encoding
        self.text: str = encoding.decode(raw) if encoding else raw
        self._starts: list[int] = []
        self._shifts: list[int] = []
        self.hidden: Sequence[tuple[int, int]] = hidden

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

    def _index(self, encoding: "_OuterEncoding") -> None:
        # Lazy, because most replies need no offset and a hostile reply is long.
        shift = 0
        self._starts.append(0)
        self._shifts.append(0)
        for start, end, after in encoding.changes(self._raw):
            shift += end - start - len(after)
            self._starts.append(end - shift)
            self._shifts.append(shift)


@dataclass(frozen=True, slots=True)
class _OuterEncoding:
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
    """Remove the outer encoding of a reply, if it has one: the first that is not the content of a string."""
    found = sorted(
        (*_find_encoded_quotes(raw), *_find_literal(raw), *_find_line_prefixes(raw)), key=attrgetter("start")
    )
    return DecodedReply(raw, next((one for one in found if not _is_inside(raw, one.start)), None))


def blank_before(raw: str, position: int) -> str:
    """Blank the text before a position, but keep the prefix of its line: all lines may have one."""
    line = raw.rfind("\n", 0, position) + 1
    prefix = _LINE_PREFIX.match(raw, line, position)
    return blank(raw, [(0, max(0, line - 1)), (prefix.end() if prefix else line, position)])


def _find_encoded_quotes(raw: str) -> Iterator[_OuterEncoding]:
    for kind, sign, start, pattern, decode_match in _ENCODED_QUOTES:
        if 0 < raw.count(sign) < _MAX_CHANGES and (match := start.search(raw)):
            plain = _PLAIN_OBJECT.search(raw, match.end())
            if pattern is not _ENTITY_OR_STRING or not _is_unclear(raw, match.start()):
                end = plain.start() if plain else sys.maxsize
                yield _OuterEncoding(kind, pattern, decode_match, match.start(), end)


def _is_unclear(raw: str, start: int) -> bool:
    """Return whether the entity of a sign may belong to a string: it is in one, or before a lost quote on its line."""
    sign = -1
    for match in _ENTITY_OR_STRING.finditer(raw, start):
        if match["content"] is None:
            sign = match.end() if _is_sign(match[0]) else sign
        elif any(map(_is_sign, _ENTITY.findall(match["content"]))):
            return True
        elif sign >= 0 and not match["end"]:
            if raw.find("\n", sign, match.start()) < 0:
                return True
            sign = -1
    return False


def _find_literal(raw: str) -> Iterator[_OuterEncoding]:
    """Yield the encoding of strict JSON in a literal, if the literal has escapes of its own."""
    start = _LITERAL_START.search(raw)
    body = _LITERAL_BODY.match(raw, start.end()) if start else None
    if body is None or not any(escape in body[0] for escape in ("\\\\", "\\'")):
        return
    found = _OuterEncoding("escaped", _ESCAPE, _unescape, body.start(), body.end())
    decoded = _ESCAPE.sub(lambda match: _unescape(match[0]), body[0]) if body[0].count("\\") < _MAX_CHANGES else ""
    if strict_at(decoded, 0) is not None and not _NAMED_CALL.search(raw, 0, start.start() if start else 0):
        yield found


def _find_line_prefixes(raw: str) -> Iterator[_OuterEncoding]:
    if 0 < raw.count(">") < _MAX_CHANGES and (match := _QUOTED_START.search(raw)):
        yield _OuterEncoding("block-quote", _QUOTE_PREFIX, _remove, match.start())
    if (match := _LISTED_START.search(raw)) and (listing := _find_listing(raw, match)):
        yield listing


def _find_listing(raw: str, first: re.Match[str]) -> _OuterEncoding | None:
    """Return the encoding of the lines of a diff or a column, or of a listing whose numbers count up."""
    mark = re.escape(first["mark"]) if first["mark"] else _NUMBER
    pattern = re.compile(rf"^[ \t]*+{mark}" + ("(?: |$)" if first["space"] else ""), re.MULTILINE)
    lines, end = 0, first.start()
    while lines < _MAX_CHANGES and (prefix := pattern.match(raw, end)):
        if first["number"] and int(prefix["number"]) != int(first["number"]) + lines:
            break
        lines, end = lines + 1, raw.find("\n", end) + 1 or len(raw)
    return _OuterEncoding("line-mark", pattern, _remove, first.start(), end) if lines > 1 else None


def _is_inside(raw: str, position: int) -> bool:
    """Return whether a position is inside an object with plain quotes, where encoded text is content."""
    end = 0
    while plain := _PLAIN.search(raw, end, position):
        strict = strict_at(raw, plain.start()) if raw[plain.start()] == "{" else None
        if strict is None or strict[1] > position:
            return True
        end = strict[1]
    return False


def _unescape(found: str) -> str:
    return _COMMON.get(found) or decode(found)


def _decode_outside(found: str) -> str:
    """Decode the entity of a sign outside strings; a string with plain quotes keeps its own."""
    return html.unescape(found) if _is_sign(found) else found


def _is_sign(entity: str) -> bool:
    return html.unescape(entity) in _SIGNS


def _remove(_: str) -> str:
    return ""


# The kind of repair, a text in every encoded quote, the start of an object, and the encoded text with its decoder.
_ENCODED_QUOTES: tuple[tuple[str, str, re.Pattern[str], re.Pattern[str], Callable[[str], str]], ...] = (
    ("html-entity", "&", _ENTITY_START, _ENTITY, html.unescape),
    ("html-entity", "&", _BRACE_START, _ENTITY_OR_STRING, _decode_outside),
    ("escaped", "\\", _ESCAPED_START, _ESCAPE, _unescape),
    ("escaped", '""', _DOUBLED_START, re.compile('""'), lambda _: '"'),
)
