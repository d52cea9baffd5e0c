"""Where a scan stands: the open containers, the edits so far, and the elementary moves."""

import re
import string
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from promptpack.reply.size import MAX_POINTERS
from promptpack.reply.strings import END_TOKEN, Lexer
from promptpack.reply.tree import Edit, Mark, Node

Tail = Literal["closed", "open", "cut", "broken", "limit"]

CLOSERS = {"}": "}", "｝": "}", "]": "]", "］": "]", ")": ")"}
COLONLESS = Mark("syntax", "no colon stands between the key and its value", "named")
ELIDED = Mark("elided", "part of the value was left out")
_SPACE = re.compile(r"[ \t\r\n]*+")
# What is neither white space nor begins a comment.
_PLAIN = frozenset(string.ascii_letters + string.digits + '"{}[],:-')
_ODD_SPACE = re.compile(r"(?:[^\S \t\r\n]|[\u200b-\u200f\u2060\ufeff]|\x1b\[[0-9;]*[A-Za-z])+")
DOTS = ("..", "…")
_OMISSION = re.compile(
    r"same as|as above|omitted|remaining|the rest|and so on|etc\.|省略|同上|其余|以此类推|(?:\.\.\.|…)$", re.IGNORECASE
)
# A word without quotes among the items of a list that stands for more of them.
AND_MORE = re.compile(
    r"etc\b|and\b|(?:\+?\d+ )?(?:more|others)\b|the rest\b|remaining\b|等|省略|其余|以此类推", re.IGNORECASE
)


@dataclass(slots=True)
class Frame:
    """One open container and what is expected next in it."""

    node: Node
    closer: str
    state: Literal["key", "value", "next"]
    comma: int = -1
    doubled: bool = False
    key: str = ""
    key_start: int = -1
    odd_strings: int = 0
    pointer: int = 0
    is_colonless: bool = False

    @property
    def is_object(self) -> bool:
        """Say whether members with keys are expected."""
        return self.node.kind == "object"

    @property
    def is_tuple(self) -> bool:
        """Say whether round brackets stand around items."""
        return self.closer == ")" and not self.is_object


class Forced(NamedTuple):
    """A place at which so many of the innermost containers are closed, whatever stands there."""

    place: int = -1
    levels: int = 0


@dataclass(slots=True)
class Scan:
    """The outcome of one pass: the tree, where it ended and how."""

    root: Node
    end: int = 0
    tail: Tail = "broken"
    edits: list[Edit] = field(default_factory=list)
    limit: str = ""


class Cursor:
    """The state of one pass over a text."""

    def __init__(self, text: str, start: int, max_depth: int, max_nodes: int) -> None:
        self.text = text
        self.size = len(text)
        self.position = start
        self.lexer = Lexer(text)
        self.stack: list[Frame] = []
        self.edits: list[Edit] = []
        self.nodes, self.room = 0, MAX_POINTERS
        self.bare_keys = False
        self.summed: Node | None = None
        self.sums = 0
        self.max_depth, self.max_nodes = max_depth, max_nodes
        self.forced, self.alone = Forced(), True
        self.limit = ""
        # A comment that runs to the end of the text may have taken the rest of the object with it.
        self.note_at_end = False
        self.tail: Tail = "closed"

    def _edit(self, kind: str, start: int, end: int, after: str) -> None:
        self.edits.append(Edit(kind, start, end, after))
        if len(self.edits) > self.max_nodes:
            self.limit = "nodes"

    def _push(self, kind: Literal["object", "array"], start: int, position: int, closer: str) -> Frame:
        node = Node(kind, start)
        frame = Frame(node, closer, "key" if kind == "object" else "value")
        frame.pointer = self.stack[-1].pointer + len(self.stack[-1].key) + 1 if self.stack else 0
        self.stack.append(frame)
        self.position = position
        if len(self.stack) > self.max_depth:
            self.limit = "depth"
        return frame

    def _punctuate(self, start: int, end: int, strict: str, kind: str) -> None:
        if self.text[start:end] != strict:
            self._edit(kind, start, end, strict)

    def _skip(self) -> None:
        """Step over white space and comments, noting what strict JSON does not know."""
        while True:
            match = _SPACE.match(self.text, self.position)
            self.position = match.end() if match else self.position
            if self.position >= self.size or self.text[self.position] in _PLAIN:
                return
            if odd := _ODD_SPACE.match(self.text, self.position):
                self._edit("white-space", odd.start(), odd.end(), " ")
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
        if words.startswith(DOTS) or (_OMISSION.search(words) and self._stands_for_items(frame, end)):
            frame.node.mark = ELIDED
        self._edit("comment", start, end, "")
        self.position = end
        self.note_at_end = end >= self.size

    def _stands_for_items(self, frame: Frame, end: int) -> bool:
        """A note in the place of items, behind a comma or alone between brackets, tells of items left out."""
        after = self.lexer.blank_end(end)
        closing = after < self.size and self.text[after] in CLOSERS
        return closing and (frame.comma >= 0 or not frame.node.members)

    def _at_end(self, frame: Frame) -> bool:
        if self.position >= self.size:
            return True
        if frame.state == "value" and not (frame.node.kind == "array" and frame.node.members):
            return False
        if self.text[self.position] not in "<`~" or not END_TOKEN.match(self.text, self.position):
            return False
        return not (self.text[self.position] == "`" and self.lexer.key_at(self.position, bare=False))

    def _give_out(self, frame: Frame) -> None:
        """The text ends inside the value: close what is merely unclosed, mark what was cut."""
        self.tail = "open"
        if frame.state == "value" and frame.is_object:
            hole = Node("hole", self.position, self.position, mark=Mark("truncated", "the reply ends before the value"))
            self._attach(hole)
            self.tail = "cut"
        elif frame.comma >= 0 or not frame.node.members or self.note_at_end:
            self.tail = "cut"
        mark = Mark("truncated", "the reply ends inside the list", "" if self.tail == "cut" else "valid")
        for opened in reversed(self.stack):
            if opened.node.kind == "array" and opened.node.mark is None:
                opened.node.mark = mark
            self._edit("missing-end", self.position, self.position, "}" if opened.is_object else "]")
        self._fold()

    def _fold(self) -> None:
        """Hang every open container into the one around it."""
        for below in range(len(self.stack) - 1, -1, -1):
            self.stack[below].node.end = self.position
            if below:
                parent = self.stack[below - 1]
                parent.node.members.append((parent.key, parent.key_start, self.stack[below].node))

    def _close_lost(self, frame: Frame, place: int) -> None:
        comma, frame.comma = frame.comma, -1
        self._edit("lost-bracket", place, place, "}" if frame.is_object else "]")
        self._finish(frame, place)
        if self.stack and comma >= 0:
            parent = self.stack[-1]
            parent.comma, parent.state = comma, "key" if parent.is_object else "value"

    def _finish(self, frame: Frame, end: int) -> None:
        if frame.odd_strings > 1 and frame.node.kind == "array":
            frame.node.mark = Mark("ambiguous", "stray quotes leave more than one way to part the items")
        frame.node.end = end
        self.stack.pop()
        if self.stack:
            self._attach(frame.node)

    def _attach(self, node: Node) -> None:
        frame = self.stack[-1]
        frame.node.members.append((frame.key, frame.key_start, node))
        frame.state, frame.comma = "next", -1
        if frame.is_colonless:
            frame.is_colonless, node.mark = False, node.mark or COLONLESS
        self._count()
        self.room -= frame.pointer + len(frame.key)
        if self.room < 0:
            self.limit = "nodes"

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.limit = "nodes"
