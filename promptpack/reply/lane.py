"""The fast lane of a scan: what nobody could read in another way, taken at one look."""

import re
from typing import Any, Final

from promptpack.reply.cursor import Cursor, Frame
from promptpack.reply.tree import Node
from promptpack.reply.values import number_node

_S: Final = r"[ \t\r\n]*+"
# Quotes of other kinds and escapes are left to the lexer, which weighs what they mean.
_KEY: Final = rf'{_S}"(?P<key>[^"“”„‟＂\\\x00-\x1f]{{1,300}}+)"{_S}:{_S}'
_TEXT: Final = r'"(?P<text>[^"“”„‟＂\\\x00-\x1f]*+)"'
_NUMBER: Final = r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?"
_OTHERS: Final = rf"(?:(?P<number>{_NUMBER})|(?P<literal>true|false|null))(?={_S}[,}}\]])|(?P<open>\{{(?!\{{)|\[)"
# A text ends for certain where the next member or the next text follows, or the container ends.
_MEMBER: Final = re.compile(
    rf'{_KEY}(?:{_TEXT}(?={_S}(?:[}}\]]|,{_S}(?:[}}\]]|"[^"\\\n]{{0,300}}+"{_S}:)))|{_OTHERS})', re.ASCII
)
_ITEM: Final = re.compile(rf'{_S}(?:{_TEXT}(?={_S}(?:\]|,{_S}"))|{_OTHERS})', re.ASCII)
_NEXT: Final = re.compile(rf"{_S}(?:(?P<comma>,)|(?P<close>[}}\]]))")
_LITERALS: Final = {"true": True, "false": False, "null": None}


class Lane(Cursor):
    """Takes what is clean; what it leaves is for the scanner, which reads what it takes in the same way."""

    def _take_clean(self) -> None:
        """Take members, items, commas and brackets as long as they are clean."""
        while self.stack and not self.limit and not self.lexer.is_worn_out:
            frame = self.stack[-1]
            if not (self._clean_next(frame) if frame.state == "next" else self._clean_value(frame)):
                return
            if self.forced >= 0:
                return

    def _clean_value(self, frame: Frame) -> bool:
        """Take a member with its key, or an item of a list."""
        is_object = frame.node.kind == "object"
        if frame.closer == ")" or (is_object and frame.state == "value"):
            return False
        match = (_MEMBER if is_object else _ITEM).match(self.text, self.position)
        if match is None:
            return False
        if is_object:
            frame.key, frame.key_start, frame.state, frame.comma = match["key"], match.start("key") - 1, "value", -1
        self.position = match.end()
        self._take(match.lastgroup, match)
        return True

    def _take(self, kind: Any, match: re.Match[str]) -> None:
        start, end = match.start(kind), match.end()
        if kind == "text":
            self._attach(Node("string", start - 1, end, match["text"]))
        elif kind == "number":
            self._attach(number_node(match["number"], start, end))
        elif kind == "literal":
            self._attach(Node("literal", start, end, _LITERALS[match["literal"]]))
        elif match["open"] == "{":
            self._push("object", start, end, "}")
        else:
            self._push("array", start, end, "]")

    def _clean_next(self, frame: Frame) -> bool:
        """Take the comma behind a value, or the bracket that closes an inner container."""
        match = _NEXT.match(self.text, self.position)
        if match is None:
            return False
        if match["comma"]:
            frame.comma, frame.state = match.start("comma"), "key" if frame.node.kind == "object" else "value"
        elif match["close"] != frame.closer or frame.doubled or len(self.stack) == 1:
            return False
        self.position = match.end()
        if match["close"]:
            self._finish(frame, self.position)
        return True
