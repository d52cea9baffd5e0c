"""Parse text that is nearly JSON into a tree and a list of repairs, in one linear pass with an explicit stack."""

import re

from promptpack.reply.bare_values import NUMBER, bare_node
from promptpack.reply.brackets import OPENERS, BracketScanner
from promptpack.reply.clean_tokens import CleanTokenScanner
from promptpack.reply.keys import SEPARATOR, read_key
from promptpack.reply.lookahead import PREFIX, find_prefix
from promptpack.reply.scan_state import AND_MORE, CLOSERS, DOTS, ELIDED, ForcedClose, ScanFrame, ScanResult
from promptpack.reply.strings import DOUBLE, PAIRS, QUOTES, Token, write_string
from promptpack.reply.syntax_tree import Defect, Node

_DOTS = re.compile(r"(?:\.|…)++")
_INLINE_SPACE = re.compile(r"[ \t]*+")
_WITHIN_BARE = r"\\(?![nrt](?!\w))|<(?!br ?/?>)"
_BARE = re.compile(rf"(?:[^,，;；、\n\r{{}}\[\]｛｝［］\"“”'`\\<]|{_WITHIN_BARE})*+")
_BARE_IN_CALL = re.compile(rf"(?:[^,，;；、\n\r{{}}\[\]｛｝［］\"“”'`()\\<]|{_WITHIN_BARE})*+")
_TUPLE = re.compile(rf"\((?=\s*(?:{PREFIX}|[\"'“‘`{{\[(\d)-]))")
_CALL = re.compile(r"[A-Za-z_][\w.]{0,60}\((?=\s*(?:[A-Za-z_]\w{0,60}\s*=(?!=)|\)))")
_COMMENT_IN_BARE = re.compile(r"(?<!\s)\s*+(?://|/\*|(?<=\s)#)")
_ANOTHER = re.compile(r"(?:or|或|\||/)\s*[^,，;；、\n\r{}\[\]｛｝［］\"“”'`]*+")
_LONE_VALUE = re.compile(r"(?:[-+\w.%][-+\w.% ]{0,60}|\"[^\"\n]{0,60}\")(?=\s*[,}\]])")
_COMMAS = frozenset(",，;；、")
# A sum may continue after comments this often: each continuation writes the whole string again.
_MAX_SUMS = 20
_UNFORCED = ForcedClose()
_CUT_VALUE = Defect("truncated", "the reply ends inside the value")
_SEVERAL_VALUES = Defect("ambiguous", "more than one value is given")


def scan(
    text: str,
    start: int,
    *,
    max_depth: int = 100,
    max_nodes: int = 20_000,
    forced: ForcedClose = _UNFORCED,
    lost_open: bool = False,
    is_standalone: bool = True,
    is_colonless: bool = False,
) -> ScanResult:
    """Scan the object, list or call at `start`.

    With `lost_open`, the opening brace is missing. `forced` closes the innermost containers at a position. Only a
    standalone object may have an extra closing brace before more members. With `is_colonless`, keys need no colon.
    """
    scanner = Scanner(text, start, max_depth, max_nodes)
    scanner.forced, scanner.is_standalone, scanner.lexer.is_colonless = forced, is_standalone, is_colonless
    return scanner.run(lost_open=lost_open)


class Scanner(BracketScanner, CleanTokenScanner):
    """Reads one token after the other and decides on the meaning of each."""

    def run(self, *, lost_open: bool) -> ScanResult:
        """Read until the first container is closed or the text ends."""
        root = self._open_root(lost_open=lost_open)
        readers = {"key": self._at_key, "value": self._at_value, "next": self._at_next}
        while self.stack and self.tail != "broken":
            self._read_clean_tokens()
            if self.limit:
                break
            self._skip()
            frame = self.stack[-1]
            if self._at_end(frame):
                self._end_early(frame)
                break
            if self.forced.position == self.position and frame.state != "value" and len(self.stack) > 1:
                self._force(frame)
                continue
            readers[frame.state](frame)
        if self.limit:
            self.tail = "limit"
        root.end = self.position if root.end < 0 else root.end
        return ScanResult(root, self.position, self.tail, self.repairs, self.limit)

    def _open_root(self, *, lost_open: bool) -> Node:
        text, start = self.text, self.position
        if lost_open:
            self._repair("missing-open", start, start, "{")
            self._push("object", start, start, "}")
        elif text[start] in OPENERS:
            self._open(start)
        else:
            self._open_call(text.index("(", start) + 1)
        return self.stack[0].node

    def _force(self, frame: ScanFrame) -> None:
        """Close the innermost containers here, where the schema places the lost brackets."""
        position = frame.comma if frame.comma >= 0 else self.position
        for inner in self.stack[: -self.forced.levels - 1 : -1][: len(self.stack) - 1]:
            self._close_lost(inner, position)
        self.forced = _UNFORCED

    def _at_key(self, frame: ScanFrame) -> None:
        character = self.text[self.position]
        if character in CLOSERS:
            self._close(frame, CLOSERS[character])
        elif character in _COMMAS:
            self._repair("extra-comma", self.position, self.position + 1, "")
            self.position += 1
        elif self.text.startswith(DOTS, self.position):
            self._elide(frame)
        elif character in OPENERS:
            self._bracket_at_key(frame)
        elif not self._key(frame):
            self._value_without_key(frame)

    def _value_without_key(self, frame: ScanFrame) -> None:
        if self.lexer.cut_key_at(self.position):
            self.position = frame.comma = self.size
            return
        match = _LONE_VALUE.match(self.text, self.position)
        if match is None or frame.comma < 0:
            self._stop(frame)
            return
        value = frame.node.members[-1][2]
        value.defect = _SEVERAL_VALUES
        self._repair("extra-value", self.position, match.end(), "")
        self.position = value.end = match.end()
        self._count()

    def _elide(self, frame: ScanFrame) -> None:
        frame.node.defect = ELIDED
        start, self.position = self.position, self._dots_end()
        self._repair("elision", start, self.position, "")

    def _dots_end(self) -> int:
        match = _DOTS.match(self.text, self.position)
        return match.end() if match else self.position

    def _bracket_at_key(self, frame: ScanFrame) -> None:
        """Handle a bracket in place of a key: in a list of objects, the brace of the object before it is lost."""
        above = self.stack[-2] if len(self.stack) > 1 else None
        if above is not None and above.node.kind == "array" and frame.node.members and frame.comma >= 0:
            self._close_lost(frame, frame.comma)
        else:
            self._stop(frame)

    def _key(self, frame: ScanFrame) -> bool:
        start = self.position
        key = read_key(self.lexer, start)
        if key is None:
            return False
        if key.kind:
            self._repair(key.kind, start, key.end, write_string(key.name))
        self.has_bare_keys = self.has_bare_keys or key.kind == "unquoted"
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

    def _at_value(self, frame: ScanFrame) -> None:
        character = self.text[self.position]
        if character in QUOTES or find_prefix(self.text, self.position):
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
            self._repair("extra-comma", self.position, self.position + 1, "")
            self.position += 1
        elif character in CLOSERS or character in _COMMAS:
            self._repair("missing-value", self.position, self.position, "null")
            self._attach(Node("hole", self.position, self.position, defect=Defect("type", "the value is missing")))
        else:
            self._bare_value(frame)

    def _elided_value(self, frame: ScanFrame) -> None:
        if frame.node.kind == "array":
            self._elide(frame)
            return
        start, self.position = self.position, self._dots_end()
        self._repair("elision", start, self.position, "null")
        self._attach(Node("hole", start, self.position, defect=ELIDED))

    def _string_value(self, frame: ScanFrame) -> None:
        if frame.node.kind == "array" and self._close_list_before_key(frame):
            return
        start = self.position
        token = self.lexer.string(start, array=frame.node.kind == "array", bare=self.has_bare_keys)
        if token.end < 0:
            defect = Defect("truncated", "the reply ends inside a string")
            self.position = self.size
            self._attach(Node("string", start, self.size, token.value, defect=defect))
            frame.comma = self.size
            return
        frame.odd_strings += token.has_odd_quotes
        self._attach_string(token)

    def _attach_string(self, token: Token) -> None:
        node = Node("string", self.position, token.end, token.value)
        if token.kind:
            self._repair(token.kind, node.start, node.end, write_string(token.value))
        if token.ambiguity:
            node.defect = Defect("ambiguous", token.ambiguity)
        self.position = node.end
        self._attach(node)

    def _close_list_before_key(self, frame: ScanFrame) -> bool:
        """Close a list at a key: the bracket of the list is lost before it. Return False if no key is here."""
        if len(self.stack) < 2 or not frame.node.members or not self.lexer.quoted_key_at(self.position):
            return False
        self._close_lost(frame, frame.comma if frame.comma >= 0 else self.position)
        return True

    def _bare_value(self, frame: ScanFrame) -> None:
        start = self.position
        pattern = _BARE_IN_CALL if frame.closer == ")" else _BARE
        match = NUMBER.match(self.text, start) if frame.closer != ")" else None
        if match is None or not self._is_delimited(match.end()):
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

    def _is_delimited(self, position: int) -> bool:
        match = _INLINE_SPACE.match(self.text, position)
        after = match.end() if match else position
        return after >= self.size or self.text[after] in ",}]\n\r"

    def _attach_bare(self, start: int, end: int) -> None:
        text = self.text
        node, kind, strict = bare_node(text, start, end)
        self.position = end
        if end < self.size and text[end] in DOUBLE and node.kind == "bare":
            self.position = node.end = end + 1
            node.defect, kind = (_CUT_VALUE if self._may_be_cut_key(end) else None), "missing-quote"
        elif end >= self.size and node.kind != "literal":
            node.defect = _CUT_VALUE
        if node.kind == "bare" and self.stack[-1].node.kind == "array" and AND_MORE.match(node.value):
            self.stack[-1].node.defect = ELIDED
        if node.kind == "bare":
            strict = write_string(node.value)
        if kind:
            self._repair(kind, start, self.position, strict)
        self._attach(node)
        if node.defect is not None and node.defect.rule == "truncated":
            self.stack[-1].comma = self.size

    def _may_be_cut_key(self, quote: int) -> bool:
        """Return whether the reply ends after this quote, and the text from the key to the quote may be one key."""
        frame = self.stack[-1]
        if not frame.is_object or self.lexer.blank_end(quote + 1) < self.size:
            return False
        return self.text[frame.key_start] in DOUBLE and DOUBLE.isdisjoint(self.text[frame.key_start + 1 : quote])

    def _at_next(self, frame: ScanFrame) -> None:
        character = self.text[self.position]
        if character in _COMMAS:
            self._punctuate(self.position, self.position + 1, ",", "punctuation")
            frame.comma, frame.state = self.position, "key" if frame.is_object else "value"
            self.position += 1
        elif character in CLOSERS:
            self._close(frame, CLOSERS[character])
        elif character == "\\":
            self._repair("stray-backslash", self.position, self.position + 1, "")
            self.position += 1
        elif character == "+" and frame.node.members and frame.node.members[-1][2].kind == "string":
            self._concatenate(frame)
        elif frame.is_object:
            self._next_member(frame)
        else:
            self._next_item(frame)

    def _concatenate(self, frame: ScanFrame) -> None:
        """Join the strings of a sum; the whole sum is one repair."""
        node, parts, after = frame.node.members[-1][2], [], self.position
        while after < self.size and self.text[after] == "+" and not self.limit:
            start = self.lexer.blank_end(after + 1)
            if start >= self.size or self.text[start] not in QUOTES:
                break
            token = self.lexer.string(start, array=frame.node.kind == "array", bare=self.has_bare_keys)
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
        self._join(node, [node.value, *parts])

    def _next_member(self, frame: ScanFrame) -> None:
        """Handle a member without a comma before it, a second value, or text that cannot be read."""
        if self.lexer.key_at(self.position, bare=True):
            self._repair("missing-comma", self.position, self.position, ",")
            frame.state = "key"
            return
        if self._is_on_new_line(frame) and self.lexer.cut_key_at(self.position):
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

    def _second_value(self, frame: ScanFrame) -> None:
        start, value = self.position, frame.node.members[-1][2]
        value.defect = _SEVERAL_VALUES
        self._count()
        if self.text[start] in QUOTES:
            token = self.lexer.string(start, array=False, bare=self.has_bare_keys)
            self.position = token.end if token.end > 0 else self.size
        else:
            match = _ANOTHER.match(self.text, start)
            self.position = match.end() if match else start + 1
        value.end = self.position
        self._repair("extra-value", start, self.position, "")

    def _next_item(self, frame: ScanFrame) -> None:
        if self._close_list_before_key(frame):
            return
        if self.text.startswith(DOTS, self.position):
            self._elide(frame)
            return
        character = self.text[self.position]
        if character in QUOTES or character in OPENERS or character.isalnum() or character == "-":
            frame.adjacent += 1
            self._repair("missing-comma", self.position, self.position, ",")
            frame.state = "value"
            return
        self._stop(frame)

    def _stop(self, frame: ScanFrame) -> None:
        """Stop at text that cannot belong to the value: on a new line after the last member it is prose."""
        if len(self.stack) == 1 and frame.state == "next" and self._is_on_new_line(frame):
            self._end_early(frame)
            self.stack.clear()
            return
        if frame.node.defect is None:
            frame.node.defect = Defect("syntax", "this is not JSON, and no single repair fixes it")
        self._attach_open_containers()
        self.tail = "broken"

    def _is_on_new_line(self, frame: ScanFrame) -> bool:
        members = frame.node.members
        return bool(members) and "\n" in self.text[members[-1][2].end : self.position]
