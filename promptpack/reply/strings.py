"""Find the end of a string and decode it, for quotes of every kind, escaped or not."""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from promptpack.reply.escapes import decode
from promptpack.reply.lookahead import (
    BLANK,
    COLON,
    PREFIX,
    find_prefix,
    is_bare_key,
    is_colonless_key,
    is_half_key,
    is_paired_key,
    is_quoted_key,
    skip_commas,
)

scan_string: Callable[[str, int], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
"""Reads the strict string whose body starts at a position; returns its text and its end."""
write_string: Callable[[object], str] = json.JSONEncoder(ensure_ascii=False).encode
"""Writes a text as strict JSON."""

DOUBLE = frozenset('"“”„‟＂')
SINGLE = frozenset("'‘’‚‛＇")
QUOTES = DOUBLE | SINGLE | {"`"}
PAIRS = {"「": "」", "『": "』", "«": "»", "‹": "›"}
"""Quotes that open and close with different characters; pairs of them may be nested."""
_OPENING = frozenset("“„‘‚")
_COMMAS = frozenset(",，;；、")
_CLOSERS = frozenset("}]｝］)")

_BLANK = re.compile(BLANK)
_PAIRED = {
    left: re.compile(f"{left}([^{left}{right}]*+(?:{left}[^{left}{right}]*+{right}[^{left}{right}]*+)*+){right}")
    for left, right in PAIRS.items()
}
_STRAIGHT = {quote: re.compile(rf"[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*+", re.DOTALL) for quote in "\"'"}
_BODY = {
    **dict.fromkeys(DOUBLE, re.compile(r'[^"“”„‟＂\\]*+(?:\\.[^"“”„‟＂\\]*+)*+', re.DOTALL)),
    **dict.fromkeys(SINGLE, re.compile(r"[^'‘’‚‛＇\\]*+(?:\\.[^'‘’‚‛＇\\]*+)*+", re.DOTALL)),
    "`": re.compile(r"[^`\\]*+(?:\\.[^`\\]*+)*+", re.DOTALL),
}
_BARE_MEMBER = re.compile(
    rf":?[A-Za-z_]\w{{0,60}}+{BLANK}{COLON}{BLANK}(?:[\"'“{{\[]|-?\d|(?:true|false|null|True|False|None)\b)"
)
_VERBATIM = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
_ITEM = re.compile(
    rf"{PREFIX}|[-+.]?\d|[{{\[｛［]|(?:true|false|null|True|False|None)\b|\.\.\.|…|[^\W\d][\w.-]{{0,60}}\s*[,\]]"
)
_OR = re.compile(r"(?:\||/|or\b|或者?|OR\b)\s*[\"'“‘]")
_CONCAT = re.compile(r"\+\s*[\"'“‘]")
_STRAY = re.compile(r"\\+\s*[,}\]]")
END_TOKEN = re.compile(r"</?[A-Za-z_][^<>\n]{0,60}>|<\|[^|\n]{0,40}\|>|```|~~~|`")
# Lines that look like members or closing brackets: a string with unescaped quotes may have swallowed them.
_STRUCTURE = re.compile(r"\n[ \t]*(?:[\"'“]?\w{1,60}[\"'”]?\s*[:：]\s|[}\]])")
# Signs that join strings in other languages, or a word between the comma after a quote and a colon: it may be a key.
_OUTSIDE = re.compile(
    r"\"\s{1,20}+(?:[.&\\]|\|\|)\s{1,20}+\""
    r"|[\"”]\s{0,20}+[,，;；]\s{0,20}+[^\w\s\"”]{0,4}+\w{1,60}+[^\w\s,，;；:：=]{0,4}+\s{0,20}+(?:[:：=→]|->)"
)
# Two or more clean strings in a row: either several values, or one with unescaped quotes.
_SEVERAL = re.compile(r'"[^"]*+"(?:\s*,\s*"[^"]*+")+')
# A comma follows the first inner quote: in a list, the quote may end an item.
_PARTED = re.compile(r"[^\"”“]*+[\"”]\s{0,20}[,，]")
_WORD = re.compile(r"[\w.:-]+")
_LAST_WORD = re.compile(r"(?P<word>[\w.:-]{1,60})[^\S\n]*\n\s*[}\]｝］]")
_CUT_KEY = re.compile(r"(?:[\"“'][^\"”'\n]{0,300}[\"”']?|\w{1,60})\s*\Z")


class Token(NamedTuple):
    """One string: its text, its end, the kind of repair it needed, and why its text is uncertain, if it is.

    The end of an unterminated string is -1.
    """

    value: str
    end: int
    kind: str = ""
    has_odd_quotes: bool = False
    ambiguity: str = ""


class Lexer:
    """Decides where strings end; every lookahead is bounded, so the whole text takes linear time."""

    def __init__(self, text: str, max_quotes: int = 20_000) -> None:
        self.text = text
        self.size: int = len(text)
        self._remaining_quotes = max_quotes
        self._line_end = -1
        # Whether a quoted key may have no colon.
        self.is_colonless = False
        # Whether keys are in paired quotes.
        self.is_paired = False

    @property
    def is_exhausted(self) -> bool:
        """Whether too many quotes were examined: all further strings count as unterminated."""
        return self._remaining_quotes <= 0

    def blank_end(self, position: int) -> int:
        """Return the end of the white space of any kind at a position."""
        match = _BLANK.match(self.text, position)
        return match.end() if match else position

    def key_at(self, position: int, *, bare: bool) -> bool:
        """Return whether a key and its colon are at a position."""
        if commas := skip_commas(self.text, position):
            position = commas.end()
        if self.quoted_key_at(position) or is_half_key(self.text, position):
            return True
        if self.is_colonless and is_colonless_key(self.text, position):
            return True
        if self.is_paired and is_paired_key(self.text, position):
            return True
        return bare and is_bare_key(self.text, position) is not None

    def quoted_key_at(self, position: int) -> bool:
        """Return whether a fully quoted key and its colon are here; in a list, a half quoted key proves nothing."""
        return is_quoted_key(self.text, position) is not None

    def cut_key_at(self, position: int) -> bool:
        """Return whether the text ends inside the key that starts here."""
        return _CUT_KEY.match(self.text, position) is not None

    def string(self, start: int, *, array: bool, bare: bool) -> Token:
        """Read the value string that opens at `start`."""
        opener = self.text[start]
        if prefix := find_prefix(self.text, start):
            return self._prefixed(prefix, array=array, bare=bare)
        if self.text.startswith(opener * 3, start) and opener in "\"'":
            return self._triple(start, opener * 3)
        return self._single(start, array=array, bare=bare)

    def paired(self, start: int) -> Token | None:
        """Read the string in paired quotes at `start`; return None if more text of the value follows it."""
        match = _PAIRED[self.text[start]].match(self.text, start)
        if match is None:
            return None
        after = self.blank_end(match.end())
        if after < self.size and self.text[after] not in _COMMAS and self.text[after] not in _CLOSERS:
            continues = "\n" not in self.text[match.end() : after] or not self.key_at(after, bare=True)
            if continues and not self._comment_at(after) and not END_TOKEN.match(self.text, after):
                return None
        return Token(decode(match[1]), match.end(), "quotes")

    def line_end(self, position: int) -> int:
        """Return the end of the line; it is cached, because one long line may contain many quotes."""
        if not position <= self._line_end:
            found = self.text.find("\n", position)
            self._line_end = self.size if found < 0 else found
        return self._line_end

    def _prefixed(self, prefix: re.Match[str], *, array: bool, bare: bool) -> Token:
        """Read a string of Python or C# with a prefix; escapes and braces that the prefix affects are ambiguous."""
        start, kinds = prefix.end(), set(prefix[0].lower())
        if "@" in kinds and (verbatim := _VERBATIM.match(self.text, start)):
            token = Token(verbatim[0][1:-1].replace('""', '"'), verbatim.end())
        else:
            token = self.string(start, array=array, bare=bare)
        body = self.text[start + 1 : max(start, token.end - 1)]
        is_template = not kinds.isdisjoint("f$") and not set(body).isdisjoint("{}")
        is_raw = not kinds.isdisjoint("r@") and decode(body) != body
        ambiguity = (
            f"the prefix {prefix[0]!r} may change the text of the string" if is_template or is_raw else token.ambiguity
        )
        return token._replace(kind="quotes", ambiguity=ambiguity)

    def _triple(self, start: int, fence: str) -> Token:
        end = self.text.find(fence, start + 3)
        if end < 0:
            return Token(self.text[start + 3 :], -1)
        return Token(decode(self.text[start + 3 : end]), end + 3, "quotes")

    def _single(self, start: int, *, array: bool, bare: bool) -> Token:
        text, opener = self.text, self.text[start]
        place = self._straight_end(start)
        if place > 0 and self._closes(place, array=array, bare=bare, inner=False):
            return self._token(start, place, 0, array=array)
        body, cursor, nested, inner = _BODY[opener], start + 1, 0, 0
        while True:
            match = body.match(text, cursor)
            place = match.end() if match else self.size
            if place >= self.size or text[place] == "\\" or self._remaining_quotes <= 0:
                return self._unterminated(start)
            character = text[place]
            if character in _OPENING and place > start + 1 and text[place - 1] != "\\" and not nested:
                closes = self._closes(place, array=array, bare=bare, inner=True)
                nested += not closes
            elif nested and character in "”’":
                # The opening quote may have no partner: a key after the comma shows that the string ends here.
                closes, nested = self._next_key_follows(place + 1), nested - 1
            else:
                closes = self._closes(place, array=array, bare=bare, inner=inner > 0)
                inner += not closes and character in "\"'`"
            if closes and opener in _STRAIGHT and character != opener and not self._structure_follows(place + 1):
                # The reply may be cut off after a curly quote inside the string.
                return self._unterminated(start)
            if closes:
                return self._token(start, place, inner, array=array)
            if inner == 1 and (end := self._lost_quote_end(start, place)) > 0:
                return Token(decode(text[start + 1 : end]), end, "missing-quote")
            self._remaining_quotes -= 1
            cursor = place + 1

    def _straight_end(self, start: int) -> int:
        """Return the next straight quote after a straight opener, or -1; if it ends the string, curly ones do not."""
        pattern = _STRAIGHT.get(self.text[start])
        match = pattern.match(self.text, start + 1) if pattern else None
        return match.end() if match and self.text.startswith(self.text[start], match.end()) else -1

    def _structure_follows(self, position: int) -> bool:
        """Return whether a closing bracket or a complete key follows: a string that is cut off has neither."""
        after = self.blank_end(position)
        if after >= self.size:
            return False
        if self.text[after] not in _COMMAS:
            return self.text[after] in _CLOSERS or self.key_at(after, bare=True)
        after = self.blank_end(after + 1)
        return after < self.size and not self.cut_key_at(after)

    def _next_key_follows(self, position: int) -> bool:
        """Return whether a comma and a complete key follow, here or after the objects and lists that end here."""
        after = self.blank_end(position)
        while after < self.size and self.text[after] in _CLOSERS:
            after = self.blank_end(after + 1)
        is_comma = after < self.size and self.text[after] in _COMMAS
        return is_comma and self.quoted_key_at(self.blank_end(after + 1))

    def _unterminated(self, start: int) -> Token:
        """Read a string without an end; a single word on the line before a closing bracket only lost its quote."""
        if word := _LAST_WORD.match(self.text, start + 1):
            return Token(word["word"], word.end("word"), "missing-quote")
        return Token(self.text[start + 1 :], -1)

    def _token(self, start: int, place: int, inner: int, *, array: bool) -> Token:
        text, body = self.text, self.text[start + 1 : place]
        ambiguity = self._ambiguity(start, place, inner, array=array)
        if not inner and text[start] == text[place] == '"':
            try:
                return Token(*scan_string(text, start + 1), ambiguity=ambiguity)
            except ValueError:
                kind = "bad-escape" if "\\" in body else "raw-newline"
        else:
            kind = "inner-quotes" if inner else "quotes"
        return Token(decode(body), place + 1, kind, inner % 2 == 1, ambiguity)

    def _ambiguity(self, start: int, place: int, inner: int, *, array: bool) -> str:
        is_unclear = self._may_continue(start, place) or (inner and self._may_end_earlier(start, place, array=array))
        return "unescaped quotes make it unclear where the string ends" if is_unclear else ""

    def _may_end_earlier(self, start: int, place: int, *, array: bool) -> bool:
        """Return whether a string with unescaped quotes may have swallowed text that comes after it."""
        body = self.text[start + 1 : place]
        if _STRUCTURE.search(body) or _OUTSIDE.search(body) or (array and _PARTED.match(body)):
            return True
        # The last quote of the text may belong to a string around the object, or to another object that is cut off.
        return self.blank_end(place + 1) >= self.size or _SEVERAL.fullmatch(self.text, start, place + 1) is not None

    def _may_continue(self, start: int, place: int) -> bool:
        """Return whether a comment with a quote follows directly: it may be the rest of the string."""
        after = place + 1 if self.text[start] == self.text[place] else self.blank_end(place + 1)
        return self.text.startswith(("//", "#"), after) and '"' in self.text[after : self.line_end(after)]

    def _lost_quote_end(self, start: int, place: int) -> int:
        """Return the end of a string that lost its closing quote before a comma and the key at `place`, or -1."""
        text = self.text
        if not is_quoted_key(text, place):
            return -1
        before = place
        while before > start and text[before - 1] in " \t\r\n":
            before -= 1
        if text[before - 1] not in ",，":
            return -1
        body = text[start + 1 : before - 1]
        alone = "\n" in text[before:place] and "\n" not in body
        return before - 1 if alone or _WORD.fullmatch(body) else -1

    def _closes(self, place: int, *, array: bool, bare: bool, inner: bool) -> bool:
        after = self.blank_end(place + 1)
        if after >= self.size:
            return True
        character = self.text[after]
        if character in _COMMAS:
            return self._comma_closes(after + 1, array=array, bare=bare, inner=inner)
        if character in _CLOSERS:
            return not inner or self._closer_closes(after + 1)
        if character in QUOTES and character != "`":
            return self._quote_closes(place, after, array=array, inner=inner)
        return self._other_closes(place, after, array=array, bare=bare, inner=inner)

    def _comma_closes(self, position: int, *, array: bool, bare: bool, inner: bool) -> bool:
        after = self.blank_end(position)
        if after >= self.size or self.text[after] in _CLOSERS or self.text[after] in _COMMAS:
            return True
        if self._comment_at(after) or self.key_at(after, bare=bare) or self.text.startswith(("..", "…"), after):
            return True
        if not inner and not array and _BARE_MEMBER.match(self.text, after):
            return True
        if self.text[after] in "{｛" or (not array and self.cut_key_at(after)):
            return True
        return array and self._item_at(after)

    def _item_at(self, position: int) -> bool:
        if self.text[position] in PAIRS:
            return self.paired(position) is not None
        return self.text[position] in QUOTES or _ITEM.match(self.text, position) is not None

    def _closer_closes(self, position: int) -> bool:
        """Return whether a closing bracket ends a string with inner quotes: no plain text may follow the bracket."""
        after = self.blank_end(position)
        if after >= self.size or "\n" in self.text[position:after]:
            return True
        return self.text[after] in _COMMAS or self.text[after] in _CLOSERS or bool(END_TOKEN.match(self.text, after))

    def _quote_closes(self, place: int, after: int, *, array: bool, inner: bool) -> bool:
        if self.key_at(after, bare=False):
            return True
        if after == place + 1:
            return False
        return not inner or (array and "\n" in self.text[place:after])

    def _other_closes(self, place: int, after: int, *, array: bool, bare: bool, inner: bool) -> bool:
        text = self.text
        if _CONCAT.match(text, after) or _STRAY.match(text, after) or END_TOKEN.match(text, after):
            return True
        if self._comment_at(after):
            return self._comment_closes(after)
        if not inner and (_OR.match(text, after) or (array and find_prefix(text, after))):
            return True
        if "\n" not in text[place:after]:
            return False
        if array and _ITEM.match(text, after):
            return True
        return is_half_key(text, after) is not None or (bare and is_bare_key(text, after) is not None)

    def _comment_at(self, position: int) -> bool:
        return self.text.startswith(("//", "/*", "#"), position)

    def _comment_closes(self, position: int) -> bool:
        """Return whether a comment ends a string: structure must follow the comment."""
        if self.text.startswith("/*", position):
            return True
        after = self.blank_end(self.line_end(position))
        if after >= self.size or self.text[after] in _CLOSERS or self.text[after] in QUOTES:
            return True
        return self._comment_at(after) or self.key_at(after, bare=True) or self.text[after] in ",{["
