"""The fast lane of a scan: texts in a place where nobody could read them in another way, taken at one look."""

import re
from typing import Final

from promptpack.reply.cursor import Cursor, Frame
from promptpack.reply.tree import Node

_S: Final = r"[ \t\r\n]*+"
# Quotes of other kinds and escapes are left to the lexer, which weighs what they mean.
_TEXT: Final = r'"(?P<text>[^"“”„‟＂\\\x00-\x1f]*+)"'
_MEMBER: Final = re.compile(
    rf'"(?P<key>[^"“”„‟＂\\\x00-\x1f]{{1,300}}+)"{_S}:{_S}(?P<value>{_TEXT})'
    rf'(?={_S}(?:[}}\]]|(?P<comma>,{_S})(?:[}}\]]|"[^"\\\n]{{0,300}}+"{_S}:)))'
)
_ITEM: Final = re.compile(rf'{_TEXT}(?={_S}(?:\]|,{_S}"))')


class Lane(Cursor):
    """Takes clean members and items; what it leaves is for the scanner, which reads what it takes in the same way."""

    def _clean_members(self, frame: Frame) -> bool:
        """Take keys with their texts, each of which the next member or the end of the object follows."""
        start = self.position
        while (match := _MEMBER.match(self.text, self.position)) and not self.lexer.is_worn_out:
            frame.key, frame.key_start = match["key"], self.position
            self._take(match, match.start("value"))
            if match["comma"] is None or self.limit or self.forced >= 0:
                break
            frame.comma, frame.state = match.start("comma"), "key"
            self.position = match.end("comma")
        return self.position > start

    def _clean_item(self) -> bool:
        """Take a text in a list, which another or the end of the list follows."""
        match = _ITEM.match(self.text, self.position)
        if match is None or self.lexer.is_worn_out:
            return False
        self._take(match, self.position)
        return True

    def _take(self, match: re.Match[str], start: int) -> None:
        self.position = match.end()
        self._attach(Node("string", start, self.position, match["text"]))
