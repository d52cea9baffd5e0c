"""Brackets as models write them: of every kind, doubled, swapped, lost or extra."""

from promptpack.reply.scan_state import ScanFrame, ScanState
from promptpack.reply.syntax_tree import Defect

_SUM = Defect("ambiguous", "adjacent strings may be one string or several", "text")
OPENERS = {"{": "{", "｛": "{", "[": "[", "［": "["}


class BracketScanner(ScanState):
    """Opens and closes containers."""

    def _open_call(self, end: int) -> None:
        """Read a constructor call as an object of its named arguments."""
        self._repair("call", self.position, end, "{")
        self._push("object", self.position, end, ")")

    def _open_tuple(self) -> None:
        """Read a Python tuple as a list."""
        start = self.position
        self._repair("punctuation", start, start + 1, "[")
        self._push("array", start, start + 1, ")")

    def _open(self, start: int) -> None:
        character = self.text[start]
        canonical = OPENERS[character]
        if canonical == "[":
            self._punctuate(start, start + 1, "[", "punctuation")
            self._push("array", start, start + 1, "]")
            return
        is_doubled = self.text.startswith(character * 2, start) and self._key_follows(start + 2)
        end = start + 1 + is_doubled
        self._punctuate(start, end, "{", "double-braces" if is_doubled else "punctuation")
        self._push("object", start, end, "}").is_doubled = is_doubled

    def _key_follows(self, position: int) -> bool:
        after = self.lexer.blank_end(position)
        return self.text.startswith(("}}", "｝｝"), after) or self.lexer.key_at(after, bare=True)

    def _close(self, frame: ScanFrame, closer: str) -> None:
        """Handle a closing bracket: it fits, it reveals a lost bracket, or it is extra."""
        if closer == frame.closer:
            self._close_frame(frame)
            return
        if any(opened.closer == closer for opened in self.stack):
            self._drop_comma(frame)
            self._close_lost(frame, self.position)
            return
        self._repair("extra-bracket", self.position, self.position + 1, "")
        self.position += 1

    def _close_frame(self, frame: ScanFrame) -> None:
        start = self.position
        if len(self.stack) == 1 and self.is_standalone and frame.is_object and self._members_follow(start + 1):
            self._repair("extra-bracket", start, start + 1, "")
            self.position += 1
            return
        if frame.is_tuple and self._close_sum(frame):
            return
        self._drop_comma(frame)
        both = frame.is_doubled and self.text[start : start + 2] in ("}}", "｝｝")
        end = start + 1 + both
        strict = "]" if frame.node.kind == "array" else "}"
        self._punctuate(start, end, strict, "double-braces" if both else "punctuation")
        self.position = end
        self._finish(frame, end)

    def _close_sum(self, frame: ScanFrame) -> bool:
        """Read a sum or adjacent strings in parentheses as one string; return False if the parentheses are a tuple."""
        node, parts = frame.node, [part for _, _, part in frame.node.members]
        is_sum = (len(parts) == 1 and parts[0] is self.summed) or (frame.adjacent and frame.adjacent == len(parts) - 1)
        if is_sum and frame.comma < 0 and all(part.kind == "string" and part.defect is None for part in parts):
            self.position = node.end = self.position + 1
            self._join(node, [part.value for part in parts])
            node.defect = _SUM
            self._finish(frame, node.end)
            return True
        if frame.adjacent:
            node.defect = _SUM
        elif len(parts) == 1 and frame.comma < 0:
            node.defect = Defect("ambiguous", "parentheses around one value may mean a list or only the value")
        return False

    def _members_follow(self, position: int) -> bool:
        """Return whether the object continues after its closing brace: then the brace is extra."""
        comma = self.lexer.blank_end(position)
        if comma >= self.size or self.text[comma] not in ",，":
            return False
        return self.lexer.key_at(self.lexer.blank_end(comma + 1), bare=self.has_bare_keys)

    def _drop_comma(self, frame: ScanFrame) -> None:
        if frame.comma >= 0:
            self._repair("trailing-comma", frame.comma, frame.comma + 1, "")
            frame.comma = -1
