"""The fast path of a scan: read tokens that have only one meaning with one pattern match each."""

import re
from typing import Final, Literal

from promptpack.reply.bare_values import number_node
from promptpack.reply.scan_state import ScanFrame, ScanState
from promptpack.reply.syntax_tree import Node

_S: Final = r"[ \t\r\n]*+"
# Escapes are left to the lexer, which decides what they mean.
_KEY: Final = rf'{_S}"(?P<key>[^"\\\x00-\x1f]{{1,300}}+)"{_S}:{_S}'
_TEXT: Final = r'"(?P<text>[^"\\\x00-\x1f]*+)"'
_NUMBER: Final = r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?"
_PLAIN: Final = rf"(?P<number>{_NUMBER})|(?P<literal>true|false|null)"
_MORE: Final = rf"{_S}(?:(?P<comma>,)|(?=[}}\]]))|(?P<open>\{{(?!\{{)|\[)"
# The end of a string is certain where a member or a string follows, or the container ends.
_LAST_TEXT: Final = rf'{_TEXT}(?={_S}(?:[}}\]]|,{_S}(?:[}}\]]|"[^"\\\n]{{0,300}}+"{_S}:)))'
_MEMBER: Final = re.compile(rf"{_KEY}(?:(?:{_LAST_TEXT}|{_PLAIN}){_MORE})", re.ASCII)
_ITEM: Final = re.compile(rf'(?P<key>){_S}(?:(?:{_TEXT}(?={_S}(?:\]|,{_S}"))|{_PLAIN}){_MORE})', re.ASCII)
_NEXT: Final = re.compile(rf"{_S}(?:(?P<comma>,)|(?P<close>[}}\]]))")
_LITERALS: Final = {"true": True, "false": False, "null": None}


class CleanTokenScanner(ScanState):
    """Reads clean tokens and leaves the rest to the scanner, which would read the clean ones in the same way."""

    def _read_clean_tokens(self) -> None:
        """Read members, items, commas and brackets while they are clean."""
        if self.lexer.is_exhausted:
            return
        while self.stack and not self.limit and not self._is_forced():
            frame = self.stack[-1]
            if not (self._read_clean_separator(frame) if frame.state == "next" else self._read_clean_value(frame)):
                return

    def _is_forced(self) -> bool:
        """Return whether the next token is where containers are forced to close."""
        return self.forced.levels > 0 and self.lexer.blank_end(self.position) == self.forced.position

    def _read_clean_value(self, frame: ScanFrame) -> bool:
        """Read a member with its key, or an item of a list, and the comma after it."""
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

    def _read_clean_separator(self, frame: ScanFrame) -> bool:
        """Read the comma after a value, or the bracket that closes an inner container."""
        match = _NEXT.match(self.text, self.position)
        if match is None:
            return False
        if match["comma"]:
            self._pass_comma(frame, match.start("comma"))
            return True
        if match["close"] != frame.closer or frame.is_doubled or len(self.stack) == 1:
            return False
        self.position = match.end()
        self._finish(frame, self.position)
        return True

    def _pass_comma(self, frame: ScanFrame, position: int) -> None:
        frame.comma, frame.state = position, "key" if frame.node.kind == "object" else "value"
        self.position = position + 1
