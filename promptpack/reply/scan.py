"""One linear pass with an explicit stack: text that is nearly JSON becomes a tree and a list of edits."""

import json
import re

from promptpack.reply.cursor import CLOSERS, ELIDED, Cursor, Frame, Scan
from promptpack.reply.keys import SEPARATOR, read_key
from promptpack.reply.strings import DOUBLE, QUOTES
from promptpack.reply.tree import Mark, Node
from promptpack.reply.values import NUMBER, bare_node

_INLINE_SPACE = re.compile(r"[ \t]*+")
_BARE = re.compile(r"[^,，;；、\n\r{}\[\]｛｝［］\"“”'`]*+")
_BARE_IN_CALL = re.compile(r"[^,，;；、\n\r{}\[\]｛｝［］\"“”'`()]*+")
_CALL = re.compile(r"[A-Za-z_][\w.]{0,60}\((?=\s*(?:[A-Za-z_]\w{0,60}\s*=(?!=)|\)))")
_COMMENT_IN_BARE = re.compile(r"\s*(?://|/\*|\s#)")
_ANOTHER = re.compile(r"(?:or|或|\||/)\s*[^,，;；、\n\r{}\[\]｛｝［］\"“”'`]*+")
_LONE_VALUE = re.compile(r"[-+\w.%]{1,60}(?=\s*[,}\]])")
_OPENERS = {"{": "{", "｛": "{", "[": "[", "［": "["}
_COMMAS = frozenset(",，;；、")


def scan(
    text: str,
    start: int,
    *,
    max_depth: int = 100,
    max_nodes: int = 20_000,
    forced: int = -1,
    members: bool = False,
    alone: bool = True,
) -> Scan:
    """Scan the object, list or call at `start`.

    With `members`, its opening brace was lost; `forced` is a place to close the innermost object at; an object that
    stands `alone` may have been closed too early.
    """
    scanner = Scanner(text, start, max_depth, max_nodes)
    scanner.forced, scanner.alone = forced, alone
    return scanner.run(members=members)


class Scanner(Cursor):
    """Decides at every step what the text means there."""

    def run(self, *, members: bool) -> Scan:
        """Read until the first container is closed or the text gives out."""
        root = self._open_root(members=members)
        steps = {"key": self._at_key, "value": self._at_value, "next": self._at_next}
        while self.stack:
            self._skip()
            frame = self.stack[-1]
            if self._at_end(frame):
                self._give_out(frame)
                break
            if self.forced == self.position and frame.state != "value" and len(self.stack) > 1:
                self._force(frame)
                continue
            steps[frame.state](frame)
            if self.limit or self.tail == "broken":
                break
        if self.limit:
            self.tail = "limit"
        root.end = self.position if root.end < 0 else root.end
        return Scan(root, self.position, self.tail, self.edits, self.limit)

    def _open_root(self, *, members: bool) -> Node:
        text, start = self.text, self.position
        if members:
            self._edit("missing-open", start, start, "{")
            self._push("object", start, start, "}")
        elif text[start] in _OPENERS:
            self._open(start)
        else:
            self._open_call(text.index("(", start) + 1)
        return self.stack[0].node

    def _open_call(self, end: int) -> None:
        """Read a constructor call as the object of its named arguments."""
        self._edit("call", self.position, end, "{")
        self._push("object", self.position, end, ")")

    def _open(self, start: int) -> None:
        character = self.text[start]
        canonical = _OPENERS[character]
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

    def _force(self, frame: Frame) -> None:
        """Close the innermost object here: this is where the schema puts the brace that was lost."""
        place = frame.comma if frame.comma >= 0 else self.position
        self._close_lost(frame, place)
        self.forced = -1

    def _at_key(self, frame: Frame) -> None:
        character = self.text[self.position]
        if character in CLOSERS:
            self._close(frame, CLOSERS[character])
        elif character in _COMMAS:
            self._edit("extra-comma", self.position, self.position + 1, "")
            self.position += 1
        elif self.text.startswith(("...", "…"), self.position):
            self._elide(frame)
        elif character in _OPENERS:
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
        end = self.position + (1 if self.text[self.position] == "…" else 3)
        while end < self.size and self.text[end] == ".":
            end += 1
        self._edit("elision", self.position, end, "")
        self.position = end

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
            self._edit(key.kind, start, key.end, json.dumps(key.name, ensure_ascii=False))
        self.bare_keys = self.bare_keys or key.kind == "unquoted"
        after = self.lexer.blank_end(key.end)
        separator = SEPARATOR.match(self.text, after)
        end = separator.end() if separator else after
        gap = self.text[key.end : after]
        self._punctuate(key.end, end, (" " if gap.strip(" \t\r\n") else gap) + ":", "punctuation")
        frame.key, frame.key_start, frame.state, frame.comma = key.name, start, "value", -1
        self.position = end
        return True

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

    def _at_value(self, frame: Frame) -> None:
        character = self.text[self.position]
        if character in QUOTES:
            self._string_value(frame)
        elif character in _OPENERS:
            self._open(self.position)
        elif call := _CALL.match(self.text, self.position):
            self._open_call(call.end())
        elif character in CLOSERS and frame.node.kind == "array":
            self._close(frame, CLOSERS[character])
        elif self.text.startswith(("...", "…"), self.position):
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
        start, self.position = self.position, self.position + (1 if self.text[self.position] == "…" else 3)
        self._edit("elision", start, self.position, "null")
        self._attach(Node("hole", start, self.position, mark=ELIDED))

    def _string_value(self, frame: Frame) -> None:
        if frame.node.kind == "array" and self._belongs_above(frame):
            return
        start = self.position
        token = self.lexer.string(start, array=frame.node.kind == "array", bare=self.bare_keys)
        node = Node("string", start, token.end, token.value)
        if token.end < 0:
            node.mark, node.end = Mark("truncated", "the reply ends inside the text"), self.size
            self.position = self.size
            self._attach(node)
            frame.comma = self.size
            return
        if token.kind:
            self._edit(token.kind, start, token.end, json.dumps(token.value, ensure_ascii=False))
        if token.doubtful:
            node.mark = Mark("ambiguous", "stray quotes leave it open where the text ends")
        frame.odd_strings += token.odd
        self.position = token.end
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
        if node.kind == "bare":
            strict = json.dumps(node.value, ensure_ascii=False)
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
        if not parts:
            self._stop(frame)
            return
        while self.edits and self.edits[-1].start >= node.start:
            self.edits.pop()
        node.value += "".join(parts)
        self._edit("concatenation", node.start, node.end, json.dumps(node.value, ensure_ascii=False))

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
        if self.text.startswith(("...", "…"), self.position):
            self._elide(frame)
            return
        character = self.text[self.position]
        if character in QUOTES or character in _OPENERS or character.isalnum() or character == "-":
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
