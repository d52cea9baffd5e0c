"""One linear pass with an explicit stack: text that is nearly JSON becomes a tree and a list of edits."""

import re

from promptpack.reply.brackets import OPENERS, Brackets
from promptpack.reply.cursor import AND_MORE, CLOSERS, DOTS, ELIDED, Forced, Frame, Scan
from promptpack.reply.keys import SEPARATOR, read_key
from promptpack.reply.lane import Lane
from promptpack.reply.strings import DOUBLE, PAIRS, QUOTES, Token, write_string
from promptpack.reply.tree import Mark, Node
from promptpack.reply.values import NUMBER, bare_node

_DOTS = re.compile(r"(?:\.|…)++")
_INLINE_SPACE = re.compile(r"[ \t]*+")
_BARE = re.compile(r"[^,，;；、\n\r{}\[\]｛｝［］\"“”'`]*+")
_BARE_IN_CALL = re.compile(r"[^,，;；、\n\r{}\[\]｛｝［］\"“”'`()]*+")
_TUPLE = re.compile(r"\((?=\s*[\"'“‘`{\[(\d)-])")
_CALL = re.compile(r"[A-Za-z_][\w.]{0,60}\((?=\s*(?:[A-Za-z_]\w{0,60}\s*=(?!=)|\)))")
_COMMENT_IN_BARE = re.compile(r"(?<!\s)\s*+(?://|/\*|(?<=\s)#)")
_ANOTHER = re.compile(r"(?:or|或|\||/)\s*[^,，;；、\n\r{}\[\]｛｝［］\"“”'`]*+")
_LONE_VALUE = re.compile(r"(?:[-+\w.%][-+\w.% ]{0,60}|\"[^\"\n]{0,60}\")(?=\s*[,}\]])")
_COMMAS = frozenset(",，;；、")
# So often a sum may go on behind comments: each time it is written out anew.
_MAX_SUMS = 20
_UNFORCED = Forced()


def scan(
    text: str,
    start: int,
    *,
    max_depth: int = 100,
    max_nodes: int = 20_000,
    forced: Forced = _UNFORCED,
    members: bool = False,
    alone: bool = True,
    colonless: bool = False,
) -> Scan:
    """Scan the object, list or call at `start`.

    With `members`, its opening brace was lost; `forced` is a place to close the innermost containers at; an object
    that stands `alone` may have been closed too early; `colonless` keys may stand before their values without a colon.
    """
    scanner = Scanner(text, start, max_depth, max_nodes)
    scanner.forced, scanner.alone, scanner.lexer.is_colonless = forced, alone, colonless
    return scanner.run(members=members)


class Scanner(Brackets, Lane):
    """Decides at every step what the text means there."""

    def run(self, *, members: bool) -> Scan:
        """Read until the first container is closed or the text gives out."""
        root = self._open_root(members=members)
        steps = {"key": self._at_key, "value": self._at_value, "next": self._at_next}
        while self.stack and self.tail != "broken":
            self._take_clean()
            if self.limit:
                break
            self._skip()
            frame = self.stack[-1]
            if self._at_end(frame):
                self._give_out(frame)
                break
            if self.forced.place == self.position and frame.state != "value" and len(self.stack) > 1:
                self._force(frame)
                continue
            steps[frame.state](frame)
        if self.limit:
            self.tail = "limit"
        root.end = self.position if root.end < 0 else root.end
        return Scan(root, self.position, self.tail, self.edits, self.limit)

    def _open_root(self, *, members: bool) -> Node:
        text, start = self.text, self.position
        if members:
            self._edit("missing-open", start, start, "{")
            self._push("object", start, start, "}")
        elif text[start] in OPENERS:
            self._open(start)
        else:
            self._open_call(text.index("(", start) + 1)
        return self.stack[0].node

    def _force(self, frame: Frame) -> None:
        """Close the innermost containers here: this is where the schema puts the brackets that were lost."""
        place = frame.comma if frame.comma >= 0 else self.position
        for inner in self.stack[: -self.forced.levels - 1 : -1][: len(self.stack) - 1]:
            self._close_lost(inner, place)
        self.forced = _UNFORCED

    def _at_key(self, frame: Frame) -> None:
        character = self.text[self.position]
        if character in CLOSERS:
            self._close(frame, CLOSERS[character])
        elif character in _COMMAS:
            self._edit("extra-comma", self.position, self.position + 1, "")
            self.position += 1
        elif self.text.startswith(DOTS, self.position):
            self._elide(frame)
        elif character in OPENERS:
            self._bracket_at_key(frame)
        elif not self._key(frame):
            self._keyless(frame)

    def _keyless(self, frame: Frame) -> None:
        if self.lexer.cut_key_at(self.position):
            self.position = frame.comma = self.size
            return
        match = _LONE_VALUE.match(self.text, self.position)
        if match is None or frame.comma < 0:
            self._stop(frame)
            return
        value = frame.node.members[-1][2]
        value.mark = Mark("ambiguous", "more than one value is given")
        self._edit("extra-value", self.position, match.end(), "")
        self.position = value.end = match.end()
        self._count()

    def _elide(self, frame: Frame) -> None:
        frame.node.mark = ELIDED
        start, self.position = self.position, self._dots_end()
        self._edit("elision", start, self.position, "")

    def _dots_end(self) -> int:
        match = _DOTS.match(self.text, self.position)
        return match.end() if match else self.position

    def _bracket_at_key(self, frame: Frame) -> None:
        """An object opens where a key belongs: the brace of the item before it was lost."""
        above = self.stack[-2] if len(self.stack) > 1 else None
        if above is not None and above.node.kind == "array" and frame.node.members and frame.comma >= 0:
            self._close_lost(frame, frame.comma)
        else:
            self._stop(frame)

    def _key(self, frame: Frame) -> bool:
        start = self.position
        key = read_key(self.lexer, start)
        if key is None:
            return False
        if key.kind:
            self._edit(key.kind, start, key.end, write_string(key.name))
        self.bare_keys = self.bare_keys or key.kind == "unquoted"
        self.lexer.is_paired = self.lexer.is_paired or self.text[start] in PAIRS
        after = self.lexer.blank_end(key.end)
        separator = SEPARATOR.match(self.text, after)
        end = separator.end() if separator else after
        gap = self.text[key.end : after]
        kind = "punctuation" if separator else "missing-colon"
        self._punctuate(key.end, end, (" " if gap.strip(" \t\r\n") else gap) + ":", kind)
        frame.key, frame.key_start, frame.state, frame.comma = key.name, start, "value", -1
        frame.is_colonless = separator is None
        self.position = end
        return True

    def _at_value(self, frame: Frame) -> None:
        character = self.text[self.position]
        if character in QUOTES:
            self._string_value(frame)
        elif character in PAIRS and (token := self.lexer.paired(self.position)):
            self._attach_string(token)
        elif character in OPENERS:
            self._open(self.position)
        elif character == "(" and _TUPLE.match(self.text, self.position):
            self._open_tuple()
        elif call := _CALL.match(self.text, self.position):
            self._open_call(call.end())
        elif character in CLOSERS and frame.node.kind == "array":
            self._close(frame, CLOSERS[character])
        elif self.text.startswith(DOTS, self.position):
            self._elided_value(frame)
        elif character in _COMMAS and frame.node.kind == "array":
            self._edit("extra-comma", self.position, self.position + 1, "")
            self.position += 1
        elif character in CLOSERS or character in _COMMAS:
            self._edit("missing-value", self.position, self.position, "null")
            self._attach(Node("hole", self.position, self.position, mark=Mark("type", "the value is missing")))
        else:
            self._bare_value(frame)

    def _elided_value(self, frame: Frame) -> None:
        if frame.node.kind == "array":
            self._elide(frame)
            return
        start, self.position = self.position, self._dots_end()
        self._edit("elision", start, self.position, "null")
        self._attach(Node("hole", start, self.position, mark=ELIDED))

    def _string_value(self, frame: Frame) -> None:
        if frame.node.kind == "array" and self._belongs_above(frame):
            return
        start = self.position
        token = self.lexer.string(start, array=frame.node.kind == "array", bare=self.bare_keys)
        if token.end < 0:
            mark = Mark("truncated", "the reply ends inside the text")
            self.position = self.size
            self._attach(Node("string", start, self.size, token.value, mark=mark))
            frame.comma = self.size
            return
        frame.odd_strings += token.odd
        self._attach_string(token)

    def _attach_string(self, token: Token) -> None:
        node = Node("string", self.position, token.end, token.value)
        if token.kind:
            self._edit(token.kind, node.start, node.end, write_string(token.value))
        if token.doubtful:
            node.mark = Mark("ambiguous", "stray quotes leave it open where the text ends")
        self.position = node.end
        self._attach(node)

    def _belongs_above(self, frame: Frame) -> bool:
        """A key inside a list: the bracket of the list was lost before it."""
        if len(self.stack) < 2 or not frame.node.members or not self.lexer.quoted_key_at(self.position):
            return False
        self._close_lost(frame, frame.comma if frame.comma >= 0 else self.position)
        return True

    def _bare_value(self, frame: Frame) -> None:
        start = self.position
        pattern = _BARE_IN_CALL if frame.closer == ")" else _BARE
        match = NUMBER.match(self.text, start) if frame.closer != ")" else None
        if match is None or not self._delimited(match.end()):
            match = pattern.match(self.text, start)
        end = match.end() if match else start
        if comment := _COMMENT_IN_BARE.search(self.text, start, end):
            end = comment.start()
        while end > start and (self.text[end - 1].isspace() or self.text[end - 1] == "\\"):
            end -= 1
        if end == start:
            self._stop(frame)
            return
        self._attach_bare(start, end)

    def _delimited(self, position: int) -> bool:
        match = _INLINE_SPACE.match(self.text, position)
        after = match.end() if match else position
        return after >= self.size or self.text[after] in ",}]\n\r"

    def _attach_bare(self, start: int, end: int) -> None:
        text = self.text
        node, kind, strict = bare_node(text, start, end)
        self.position = end
        if end < self.size and text[end] in DOUBLE and node.kind == "bare":
            self.position = node.end = end + 1
            node.mark, kind = None, "missing-quote"
        elif end >= self.size and node.kind != "literal":
            node.mark = Mark("truncated", "the reply ends inside the value")
        if node.kind == "bare" and self.stack[-1].node.kind == "array" and AND_MORE.match(node.value):
            self.stack[-1].node.mark = ELIDED
        if node.kind == "bare":
            strict = write_string(node.value)
        if kind:
            self._edit(kind, start, self.position, strict)
        self._attach(node)
        if node.mark is not None and node.mark.rule == "truncated":
            self.stack[-1].comma = self.size

    def _at_next(self, frame: Frame) -> None:
        character = self.text[self.position]
        if character in _COMMAS:
            self._punctuate(self.position, self.position + 1, ",", "punctuation")
            frame.comma, frame.state = self.position, "key" if frame.is_object else "value"
            self.position += 1
        elif character in CLOSERS:
            self._close(frame, CLOSERS[character])
        elif character == "\\":
            self._edit("stray-backslash", self.position, self.position + 1, "")
            self.position += 1
        elif character == "+" and frame.node.members and frame.node.members[-1][2].kind == "string":
            self._concatenate(frame)
        elif frame.is_object:
            self._next_member(frame)
        else:
            self._next_item(frame)

    def _concatenate(self, frame: Frame) -> None:
        """Join the strings of a sum; the whole sum is one edit."""
        node, parts, after = frame.node.members[-1][2], [], self.position
        while after < self.size and self.text[after] == "+" and not self.limit:
            start = self.lexer.blank_end(after + 1)
            if start >= self.size or self.text[start] not in QUOTES:
                break
            token = self.lexer.string(start, array=frame.node.kind == "array", bare=self.bare_keys)
            if token.end < 0:
                break
            parts.append(token.value)
            self._count()
            self.position = node.end = token.end
            after = self.lexer.blank_end(token.end)
        self.sums = self.sums + 1 if self.summed is node else 1
        self.summed = node
        if not parts or self.sums > _MAX_SUMS:
            self._stop(frame)
            return
        while self.edits and self.edits[-1].start >= node.start:
            self.edits.pop()
        node.value += "".join(parts)
        self._edit("concatenation", node.start, node.end, write_string(node.value))

    def _next_member(self, frame: Frame) -> None:
        """A member without a comma before it, a second value, or the end of what can be read."""
        if self.lexer.key_at(self.position, bare=True):
            self._edit("missing-comma", self.position, self.position, ",")
            frame.state = "key"
            return
        if self._fresh_line(frame) and self.lexer.cut_key_at(self.position):
            self.position = frame.comma = self.size
            return
        above = self.stack[-2].node.kind if len(self.stack) > 1 else ""
        if self.text[self.position] in "{｛" and above == "array":
            self._close_lost(frame, self.position)
            return
        if self.text[self.position] in "\"'“‘|/" or self.text.startswith(("or ", "或"), self.position):
            self._second_value(frame)
            return
        self._stop(frame)

    def _second_value(self, frame: Frame) -> None:
        start, value = self.position, frame.node.members[-1][2]
        value.mark = Mark("ambiguous", "more than one value is given")
        self._count()
        if self.text[start] in QUOTES:
            token = self.lexer.string(start, array=False, bare=self.bare_keys)
            self.position = token.end if token.end > 0 else self.size
        else:
            match = _ANOTHER.match(self.text, start)
            self.position = match.end() if match else start + 1
        value.end = self.position
        self._edit("extra-value", start, self.position, "")

    def _next_item(self, frame: Frame) -> None:
        if self._belongs_above(frame):
            return
        if self.text.startswith(DOTS, self.position):
            self._elide(frame)
            return
        character = self.text[self.position]
        if character in QUOTES or character in OPENERS or character.isalnum() or character == "-":
            if frame.is_tuple:
                frame.node.mark = Mark("ambiguous", "texts side by side may be one or several")
            self._edit("missing-comma", self.position, self.position, ",")
            frame.state = "value"
            return
        self._stop(frame)

    def _stop(self, frame: Frame) -> None:
        """Meet text that cannot belong to the value: behind the last member it is prose, elsewhere a fault."""
        if len(self.stack) == 1 and frame.state == "next" and self._fresh_line(frame):
            self._give_out(frame)
            self.stack.clear()
            return
        if frame.node.mark is None:
            frame.node.mark = Mark("syntax", "this is not JSON, and no single repair makes it so")
        self._fold()
        self.tail = "broken"

    def _fresh_line(self, frame: Frame) -> bool:
        members = frame.node.members
        return bool(members) and "\n" in self.text[members[-1][2].end : self.position]
