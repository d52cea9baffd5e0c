"""The fast lane of a scan: what nobody could read in another way, taken at one look."""

import re
from typing import Final, Literal

from promptpack.reply.cursor import Cursor, Frame
from promptpack.reply.tree import Node
from promptpack.reply.values import number_node

_S: Final = r"[ \t\r\n]*+"
# Quotes of other kinds and escapes are left to the lexer, which weighs what they mean.
_KEY: Final = rf'{_S}"(?P<key>[^"“”„‟＂\\\x00-\x1f]{{1,300}}+)"{_S}:{_S}'
_TEXT: Final = r'"(?P<text>[^"“”„‟＂\\\x00-\x1f]*+)"'
_NUMBER: Final = r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?"
_PLAIN: Final = rf"(?P<number>{_NUMBER})|(?P<literal>true|false|null)"
_MORE: Final = rf"{_S}(?:(?P<comma>,)|(?=[}}\]]))|(?P<open>\{{(?!\{{)|\[)"
# A text ends for certain where the next member or the next text follows, or the container ends.
_LAST_TEXT: Final = rf'{_TEXT}(?={_S}(?:[}}\]]|,{_S}(?:[}}\]]|"[^"\\\n]{{0,300}}+"{_S}:)))'
_MEMBER: Final = re.compile(rf"{_KEY}(?:(?:{_LAST_TEXT}|{_PLAIN}){_MORE})", re.ASCII)
_ITEM: Final = re.compile(rf'(?P<key>){_S}(?:(?:{_TEXT}(?={_S}(?:\]|,{_S}"))|{_PLAIN}){_MORE})', re.ASCII)
_NEXT: Final = re.compile(rf"{_S}(?:(?P<comma>,)|(?P<close>[}}\]]))")
_LITERALS: Final = {"true": True, "false": False, "null": None}


class Lane(Cursor):
    """Takes what is clean; what it leaves is for the scanner, which reads what it takes in the same way."""

    def _take_clean(self) -> None:
        """Take members, items, commas and brackets as long as they are clean."""
        if self.lexer.is_worn_out:
            return
        while self.stack and not self.limit and not self._is_forced():
            frame = self.stack[-1]
            if not (self._clean_next(frame) if frame.state == "next" else self._clean_value(frame)):
                return

    def _is_forced(self) -> bool:
        """Say whether the next thing stands where containers are closed by force."""
        return self.forced.levels > 0 and self.lexer.blank_end(self.position) == self.forced.place

    def _clean_value(self, frame: Frame) -> bool:
        """Take a member with its key or an item of a list, and the comma behind it."""
        is_object = frame.node.kind == "object"
        if frame.closer == ")" or (is_object and frame.state == "value"):
            return False
        match = (_MEMBER if is_object else _ITEM).match(self.text, self.position)
        if match is None:
            return False
        key, text, number, literal, comma, opener = match.groups()
        if is_object:
            frame.key, frame.key_start, frame.state, frame.comma = key, match.start("key") - 1, "value", -1
        if opener:
            kind: Literal["object", "array"] = "object" if opener == "{" else "array"
            self._push(kind, match.start("open"), match.end(), "}" if opener == "{" else "]")
            return True
        if text is not None:
            node = Node("string", match.start("text") - 1, match.end("text") + 1, text)
        elif number:
            node = number_node(number, *match.span("number"))
        else:
            node = Node("literal", *match.span("literal"), _LITERALS[literal])
        self.position = node.end
        self._attach(node)
        if comma and not self.limit:
            self._pass_comma(frame, match.start("comma"))
        return True

    def _clean_next(self, frame: Frame) -> bool:
        """Take the comma behind a value, or the bracket that closes an inner container."""
        match = _NEXT.match(self.text, self.position)
        if match is None:
            return False
        if match["comma"]:
            self._pass_comma(frame, match.start("comma"))
            return True
        if match["close"] != frame.closer or frame.doubled or len(self.stack) == 1:
            return False
        self.position = match.end()
        self._finish(frame, self.position)
        return True

    def _pass_comma(self, frame: Frame, place: int) -> None:
        frame.comma, frame.state = place, "key" if frame.node.kind == "object" else "value"
        self.position = place + 1
