"""Brackets as models set them: of every kind, doubled, swapped, lost or one too many."""

from promptpack.reply.cursor import Cursor, Frame
from promptpack.reply.tree import Mark

OPENERS = {"{": "{", "｛": "{", "[": "[", "［": "["}


class Brackets(Cursor):
    """Opens and closes containers."""

    def _open_call(self, end: int) -> None:
        """Read a constructor call as the object of its named arguments."""
        self._edit("call", self.position, end, "{")
        self._push("object", self.position, end, ")")

    def _open_tuple(self) -> None:
        """Read Python's tuple as the list it is."""
        start = self.position
        self._edit("punctuation", start, start + 1, "[")
        self._push("array", start, start + 1, ")")

    def _open(self, start: int) -> None:
        character = self.text[start]
        canonical = OPENERS[character]
        if canonical == "[":
            self._punctuate(start, start + 1, "[", "punctuation")
            self._push("array", start, start + 1, "]")
            return
        doubled = self.text.startswith(character * 2, start) and self._key_follows(start + 2)
        end = start + 1 + doubled
        self._punctuate(start, end, "{", "double-braces" if doubled else "punctuation")
        self._push("object", start, end, "}").doubled = doubled

    def _key_follows(self, position: int) -> bool:
        after = self.lexer.blank_end(position)
        return self.text.startswith(("}}", "｝｝"), after) or self.lexer.key_at(after, bare=True)

    def _close(self, frame: Frame, closer: str) -> None:
        """Meet a closing bracket: the right one, one that shows another was lost, or one too many."""
        if closer == frame.closer:
            self._close_frame(frame)
            return
        if any(opened.closer == closer for opened in self.stack):
            self._drop_comma(frame)
            self._close_lost(frame, self.position)
            return
        self._edit("extra-bracket", self.position, self.position + 1, "")
        self.position += 1

    def _close_frame(self, frame: Frame) -> None:
        start = self.position
        if len(self.stack) == 1 and self.alone and frame.is_object and self._members_follow(start + 1):
            self._edit("extra-bracket", start, start + 1, "")
            self.position += 1
            return
        if frame.is_tuple and len(frame.node.members) == 1 and frame.comma < 0:
            frame.node.mark = Mark("ambiguous", "brackets around one value may mean a list of one, or nothing")
        self._drop_comma(frame)
        both = frame.doubled and self.text[start : start + 2] in ("}}", "｝｝")
        end = start + 1 + both
        strict = "]" if frame.node.kind == "array" else "}"
        self._punctuate(start, end, strict, "double-braces" if both else "punctuation")
        self.position = end
        self._finish(frame, end)

    def _members_follow(self, position: int) -> bool:
        """See whether the object goes on behind its closing brace: then the brace was one too many."""
        comma = self.lexer.blank_end(position)
        if comma >= self.size or self.text[comma] not in ",，":
            return False
        return self.lexer.key_at(self.lexer.blank_end(comma + 1), bare=self.bare_keys)

    def _drop_comma(self, frame: Frame) -> None:
        if frame.comma >= 0:
            self._edit("trailing-comma", frame.comma, frame.comma + 1, "")
            frame.comma = -1
