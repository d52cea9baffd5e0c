"""The state of a scan: its position, the open containers and the repairs, and the basic operations on them."""

import re
import string
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from promptpack.reply.lookahead import ODD_SPACE
from promptpack.reply.size import MAX_POINTERS
from promptpack.reply.strings import END_TOKEN, Lexer, write_string
from promptpack.reply.syntax_tree import Defect, Node, TextRepair

Tail = Literal["closed", "open", "cut", "broken", "limit"]

CLOSERS = {"}": "}", "｝": "}", "]": "]", "］": "]", ")": ")"}
COLONLESS = Defect("syntax", "the colon between the key and its value is missing", "named")
ELIDED = Defect("elided", "part of the value was left out")
_SPACE = re.compile(r"[ \t\r\n]*+")
# Characters that are neither white space nor the start of a comment.
_PLAIN = frozenset(string.ascii_letters + string.digits + '"{}[],:-')
_ODD_SPACE = re.compile(rf"{ODD_SPACE}++")
DOTS = ("..", "…")
_OMISSION = re.compile(
    r"same as|as above|omitted|remaining|the rest|and so on|etc\.|省略|同上|其余|以此类推|(?:\.\.\.|…)$", re.IGNORECASE
)
_LEFT_OUT = re.compile(
    r"omitted for|for brevity|\bmore \w+ (?:here|follow|below)|(?:others?|rest|more) \w{0,20} ?omitted", re.IGNORECASE
)
# An unquoted word among the items of a list that means more items.
AND_MORE = re.compile(
    r"etc\b|and\b|(?:\+?\d+ )?(?:more|others)\b|the rest\b|remaining\b|等|省略|其余|以此类推", re.IGNORECASE
)


@dataclass(slots=True)
class ScanFrame:
    """One open container and the kind of token that comes next in it."""

    node: Node
    closer: str
    state: Literal["key", "value", "next"]
    comma: int = -1
    is_doubled: bool = False
    key: str = ""
    key_start: int = -1
    odd_strings: int = 0
    pointer_length: int = 0
    is_colonless: bool = False
    # How often no comma is before an item.
    adjacent: int = 0

    @property
    def is_object(self) -> bool:
        """Whether the container is an object."""
        return self.node.kind == "object"

    @property
    def is_tuple(self) -> bool:
        """Whether the container is a Python tuple."""
        return self.closer == ")" and not self.is_object


class ForcedClose(NamedTuple):
    """A position where the scan must close a number of the innermost containers."""

    position: int = -1
    levels: int = 0


@dataclass(slots=True)
class ScanResult:
    """The result of one scan: the tree, the end position, and how the text ended."""

    root: Node
    end: int = 0
    tail: Tail = "broken"
    repairs: list[TextRepair] = field(default_factory=list)
    limit: str = ""


class ScanState:
    """The state of one scan of a text."""

    def __init__(self, text: str, start: int, max_depth: int, max_nodes: int) -> None:
        self.text = text
        self.size: int = len(text)
        self.position: int = start
        self.lexer: Lexer = Lexer(text)
        self.stack: list[ScanFrame] = []
        self.repairs: list[TextRepair] = []
        self.nodes: int = 0
        self.remaining_pointers: int = MAX_POINTERS
        self.has_bare_keys: bool = False
        self.summed: Node | None = None
        self.sums: int = 0
        self.max_depth: int = max_depth
        self.max_nodes: int = max_nodes
        self.forced: ForcedClose = ForcedClose()
        self.is_standalone: bool = True
        self.limit: str = ""
        # A comment up to the end of the text may have swallowed the rest of the object.
        self.ends_in_comment: bool = False
        self.tail: Tail = "closed"

    def _repair(self, kind: str, start: int, end: int, after: str) -> None:
        self.repairs.append(TextRepair(kind, start, end, after))
        if len(self.repairs) > self.max_nodes:
            self.limit = "nodes"

    def _push(self, kind: Literal["object", "array"], start: int, position: int, closer: str) -> ScanFrame:
        node = Node(kind, start)
        frame = ScanFrame(node, closer, "key" if kind == "object" else "value")
        frame.pointer_length = self.stack[-1].pointer_length + len(self.stack[-1].key) + 1 if self.stack else 0
        self.stack.append(frame)
        self.position = position
        if len(self.stack) > self.max_depth:
            self.limit = "depth"
        return frame

    def _punctuate(self, start: int, end: int, strict: str, kind: str) -> None:
        if self.text[start:end] != strict:
            self._repair(kind, start, end, strict)

    def _join(self, node: Node, parts: list[str]) -> None:
        """Make a node the string of its parts; one repair replaces those of the parts."""
        while self.repairs and self.repairs[-1].start >= node.start:
            self.repairs.pop()
        node.kind, node.value, node.members = "string", "".join(parts), []
        self._repair("concatenation", node.start, node.end, write_string(node.value))

    def _skip(self) -> None:
        """Skip white space and comments, and record repairs for those that JSON does not allow."""
        while True:
            match = _SPACE.match(self.text, self.position)
            self.position = match.end() if match else self.position
            if self.position >= self.size or self.text[self.position] in _PLAIN:
                return
            if odd := _ODD_SPACE.match(self.text, self.position):
                self._repair("white-space", odd.start(), odd.end(), " ")
                self.position = odd.end()
            elif self.text.startswith(("//", "/*", "#"), self.position) and not self.limit:
                self._comment()
            else:
                return

    def _comment(self) -> None:
        start = self.position
        if self.text.startswith("/*", start):
            found = self.text.find("*/", start + 2)
            end = self.size if found < 0 else found + 2
        else:
            end = self.lexer.line_end(start)
        words = self.text[start + 1 : min(end, start + 200)].strip("/*# \t")
        frame = self.stack[-1]
        is_left_out = words.startswith(DOTS) or _LEFT_OUT.search(words)
        if is_left_out or (_OMISSION.search(words) and self._replaces_items(frame, end)):
            frame.node.defect = ELIDED
        self._repair("comment", start, end, "")
        self.position = end
        self.ends_in_comment = end >= self.size

    def _replaces_items(self, frame: ScanFrame, end: int) -> bool:
        """Return whether a comment takes the place of items: before a closing bracket, after a comma or alone."""
        after = self.lexer.blank_end(end)
        closing = after < self.size and self.text[after] in CLOSERS
        return closing and (frame.comma >= 0 or not frame.node.members)

    def _at_end(self, frame: ScanFrame) -> bool:
        if self.position >= self.size:
            return True
        if frame.state == "value" and not (frame.node.kind == "array" and frame.node.members):
            return False
        if self.text[self.position] not in "<`~" or not END_TOKEN.match(self.text, self.position):
            return False
        return not (self.text[self.position] == "`" and self.lexer.key_at(self.position, bare=False))

    def _end_early(self, frame: ScanFrame) -> None:
        """Close the open containers at the end of the text, and add defects to values that are cut off."""
        self.tail = "open"
        if frame.state == "value" and frame.is_object:
            missing = Defect("truncated", "the reply ends before the value")
            self._attach(Node("hole", self.position, self.position, defect=missing))
            self.tail = "cut"
        elif frame.comma >= 0 or not frame.node.members or self.ends_in_comment:
            self.tail = "cut"
        defect = Defect("truncated", "the reply ends inside the list", "" if self.tail == "cut" else "valid")
        for opened in reversed(self.stack):
            if opened.node.kind == "array" and opened.node.defect is None:
                opened.node.defect = defect
            self._repair("missing-end", self.position, self.position, "}" if opened.is_object else "]")
        self._attach_open_containers()

    def _attach_open_containers(self) -> None:
        """Attach every open container to the one around it."""
        for below in range(len(self.stack) - 1, -1, -1):
            self.stack[below].node.end = self.position
            if below:
                parent = self.stack[below - 1]
                parent.node.members.append((parent.key, parent.key_start, self.stack[below].node))

    def _close_lost(self, frame: ScanFrame, position: int) -> None:
        comma, frame.comma = frame.comma, -1
        self._repair("lost-bracket", position, position, "}" if frame.is_object else "]")
        self._finish(frame, position)
        if self.stack and comma >= 0:
            parent = self.stack[-1]
            parent.comma, parent.state = comma, "key" if parent.is_object else "value"

    def _finish(self, frame: ScanFrame, end: int) -> None:
        if frame.odd_strings > 1 and frame.node.kind == "array":
            frame.node.defect = Defect("ambiguous", "unescaped quotes make it unclear where the items end")
        frame.node.end = end
        self.stack.pop()
        if self.stack:
            self._attach(frame.node)

    def _attach(self, node: Node) -> None:
        frame = self.stack[-1]
        frame.node.members.append((frame.key, frame.key_start, node))
        frame.state, frame.comma = "next", -1
        if frame.is_colonless:
            frame.is_colonless, node.defect = False, node.defect or COLONLESS
        self._count()
        self.remaining_pointers -= frame.pointer_length + len(frame.key)
        if self.remaining_pointers < 0:
            self.limit = "nodes"

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.limit = "nodes"
