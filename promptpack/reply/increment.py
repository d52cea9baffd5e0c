"""Read an object while it arrives: every character is looked at once, and nothing is said before it is certain."""

import re
from typing import Any

from promptpack.reply.alarm import ArrivingWord
from promptpack.reply.align import align
from promptpack.reply.arriving import ArrivingText
from promptpack.reply.cursor import AND_MORE
from promptpack.reply.growth import Growth
from promptpack.reply.opening import is_undecided, next_mark, settled_end
from promptpack.reply.shape import Shape
from promptpack.reply.strings import DOUBLE, PAIRS, SINGLE
from promptpack.reply.thinking import CHANNEL_END, LONGEST, end_of
from promptpack.reply.tree import Node
from promptpack.reply.values import bare_node

_SPACE = re.compile(r"(?:\s|[\u200b-\u200f\u2060\ufeff])*+")
# An escape that can be read alone; half a pair of them waits for its other half.
_WHOLE_ESCAPE = r"\\(?:[^u]|u(?![dD][89abAB])[0-9a-fA-F]{4}|u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4})"
_ENDS = {'"': '"', "'": "'", "“": '“”"', "‘": "‘’'"}
_BODIES = {
    opener: re.compile(rf"[^{ends}\\]*+(?:{_WHOLE_ESCAPE}[^{ends}\\]*+)*+", re.DOTALL) for opener, ends in _ENDS.items()
}
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_BARE = re.compile(r"[^\s,，;；:：=}\]｝］\"'{\[/#]*+")
_COMMAS = ",，;；"
_CLOSERS = {"}": "}", "｝": "}", "]": "]", "］": "]"}
_HELD = 400


class Machine:
    """The states of a reply that arrives: outside, thinking, in a key, a string, a value, between, or quiet."""

    def __init__(self, shape: Shape) -> None:
        self.growth = Growth(shape)
        self.state = "outside"
        self._buffer = ""
        self._index = 0
        self._base = 0
        self._quote = ""
        self._text: ArrivingText | None = None
        self._word: ArrivingWord | None = None
        self._is_key = False
        self._line = False
        self._thought_end = CHANNEL_END

    def feed(self, chunk: str) -> None:
        """Take in one chunk and go as far as certainty goes."""
        if self.state == "quiet":
            return
        self._buffer += chunk
        while self.state != "quiet" and self._index < len(self._buffer) and getattr(self, f"_{self.state}")():
            if self.growth.is_beyond_limits:
                self.state = "quiet"
        self._base += self._index
        self._buffer, self._index = "" if self.state == "quiet" else self._buffer[self._index :], 0

    @property
    def held(self) -> int:
        """Count the characters that wait for what follows them; the next chunk costs its own length and these."""
        return len(self._buffer)

    def growing(self) -> tuple[str, str] | None:
        """Give the text that is still growing or not yet sure to be whole, if the schema lets it be any text."""
        if self._text is None or self._is_key:
            return None
        shape = self.growth.shape_here()
        if shape.types != {"string"} or shape.words is not None or shape.first("pattern") is not None:
            return None
        return self.growth.path_here(), self._text.certain() if self.state == "string" else self._text.whole()

    def _outside(self) -> bool:
        match = next_mark(self._buffer, self._index)
        if match is None:
            self._index = settled_end(self._buffer, self._index)
            return False
        if match["think"] or match["channel"]:
            self._thought_end = CHANNEL_END if match["channel"] else end_of(match[0])
            self.state, self._index = "thinking", match.end()
            return True
        if match["unthink"]:
            self.growth.restart()
            self._index = match.end()
            return True
        return self._open_root(match)

    def _open_root(self, brace: re.Match[str]) -> bool:
        if is_undecided(brace):
            is_held = len(self._buffer) - brace.start() <= _HELD
            self._index = brace.start() + (not is_held)
            return not is_held
        self._index = brace.end()
        if self.growth.root and self.growth.is_answer:
            return self._silence()
        self.growth.restart()
        self._push(self.growth.root, "", self.growth.shape)
        return True

    def _thinking(self) -> bool:
        match = self._thought_end.search(self._buffer, self._index)
        if match is None:
            self._index = max(self._index, len(self._buffer) - LONGEST)
            return False
        self._index, self.state = match.end(), "outside"
        return True

    def _push(self, value: Any, path: str, shape: Shape) -> None:
        self.growth.push(value, path, shape)
        self.state = "key" if isinstance(value, dict) else "value"

    def _skip(self) -> bool:
        """Step over space and comments; false while more text is needed to know."""
        while True:
            match = _SPACE.match(self._buffer, self._index)
            end = match.end() if match else self._index
            self._line = self._line or "\n" in self._buffer[self._index : end]
            self._index = end
            if end >= len(self._buffer):
                return False
            if self._buffer[end] not in "/#":
                return True
            if not self._comment(end):
                return False

    def _comment(self, start: int) -> bool:
        if self._buffer[start] == "/" and start + 1 >= len(self._buffer):
            return False
        block = self._buffer.startswith("/*", start)
        end = self._buffer.find("*/" if block else "\n", start + 2)
        if end < 0:
            if len(self._buffer) - start > _HELD:
                self.state = "quiet"
            return False
        self._index = end + 2 if block else end
        return True

    def _key(self) -> bool:
        if not self._skip():
            return False
        character = self._buffer[self._index]
        if character in _CLOSERS:
            return self._close(_CLOSERS[character])
        if character in _COMMAS:
            while self._index < len(self._buffer) and self._buffer[self._index] in _COMMAS:
                self._index += 1
            return True
        if character in DOUBLE or character in SINGLE:
            return self._open_string(is_key=True)
        if character in PAIRS:
            return self._silence()
        start = self._index
        match = _BARE.match(self._buffer, start)
        end = match.end() if match else start
        if end >= len(self._buffer):
            return self._wait()
        if end == start:
            return self._silence()
        self._index, self.state = end, "colon"
        return self.growth.take_key(self._buffer[start:end]) or self._silence()

    def _wait(self) -> bool:
        if len(self._buffer) - self._index > _HELD:
            self.state = "quiet"
        return False

    def _silence(self) -> bool:
        self.state = "quiet"
        return False

    def _colon(self) -> bool:
        if not self._skip():
            return False
        rest = self._buffer[self._index : self._index + 2]
        if rest == "=" and len(self._buffer) - self._index < 2:
            return False
        if rest[0] not in ":：=":
            return self._silence()
        self._index += 2 if rest == "=>" else 1
        self.state = "value"
        return True

    def _open_string(self, *, is_key: bool) -> bool:
        character = self._buffer[self._index]
        self._quote = "“" if character in DOUBLE - {'"'} else "‘" if character in SINGLE - {"'"} else character
        self._text, self._is_key = ArrivingText(), is_key
        self._word = None if is_key else self.growth.word_here()
        self._index, self.state = self._index + 1, "string"
        return True

    def _string(self) -> bool:
        match = _BODIES[self._quote].match(self._buffer, self._index)
        end = match.end() if match else self._index
        self._take_text(end)
        if end >= len(self._buffer):
            return False
        if self._buffer[end] == "\\":
            return self._escaped(end)
        self._index = end + 1
        return self._end_string()

    def _take_text(self, end: int) -> None:
        if self._text is not None and end > self._index:
            piece = self._buffer[self._index : end]
            self._text.add(piece)
            if self._word is not None and (place := self._word.add(piece)) >= 0:
                self.growth.complain(*self._word.complaint, self._base + self._index + place)
        self._index = end

    def _escaped(self, start: int) -> bool:
        rest = self._buffer[start : start + 12]
        half = len(rest) < 12 and re.match(r"\\u[dD][89abAB]", rest) is not None
        match = _ESCAPE.match(rest)
        if match is None or (half and len(rest) < 12 and len(match[0]) < 12):
            if len(rest) >= 12:
                return self._silence()
            return False
        self._take_text(start + len(match[0]))
        return True

    def _end_string(self) -> bool:
        text = self._text.whole() if self._text is not None else ""
        if not self._is_key:
            return self._hold(text)
        self.state, self._text = "colon", None
        return self.growth.take_key(text) or self._silence()

    def _hold(self, value: Any) -> bool:
        self.growth.hold(value, self._base + self._index)
        self.state, self._line = "next", False
        return True

    def _complain(self, rule: str, message: str) -> None:
        self.growth.complain(rule, message, self._base + self._index)

    def _value(self) -> bool:
        if not self._skip():
            return False
        character = self._buffer[self._index]
        if character in _CLOSERS and not self.growth.stack[-1].is_object:
            return self._close(_CLOSERS[character])
        if character in DOUBLE or character in SINGLE:
            return self._open_string(is_key=False)
        if character in "{[｛［":
            return self._open_container(character)
        if character in PAIRS:
            return self._silence()
        match = _BARE.match(self._buffer, self._index)
        end = match.end() if match else self._index
        if end >= len(self._buffer):
            return self._wait()
        return self._bare(end)

    def _open_container(self, character: str) -> bool:
        shape, path = self.growth.shape_here(), self.growth.path_here()
        value: Any = {} if character in "{｛" else []
        kind = "object" if isinstance(value, dict) else "array"
        if shape.types and not shape.types & {"object", "array"} and self.growth.is_required_here():
            self._complain("type", f"a value of type {kind} is given where none belongs")
        if shape.types and kind not in shape.types:
            # What the schema would turn into something else is not shown before the whole reply is read.
            return self._silence()
        self._index += 1
        self.growth.attach(value)
        self._push(value, path, shape)
        return True

    def _bare(self, end: int) -> bool:
        if end == self._index or self._buffer[self._index] in ".(":
            return self._silence()
        node, _, _ = bare_node(self._buffer, self._index, end)
        self._index = end
        if node.mark is not None and not node.mark.yields:
            self._complain(node.mark.rule, node.mark.message)
            return self._silence()
        if node.kind == "bare" and not self._is_sure(node):
            return self._silence()
        return self._hold(node.value)

    def _is_sure(self, node: Node) -> bool:
        """A word without quotes is shown where it is a word and not a sign of more, a marked one where it is read."""
        if node.mark is not None:
            return not isinstance(align(node.value, self.growth.shape_here()).value, str | list)
        return self.growth.stack[-1].is_object or AND_MORE.match(node.value) is None

    def _next(self) -> bool:
        if not self._skip():
            return False
        character, frame = self._buffer[self._index], self.growth.stack[-1]
        if character in _CLOSERS:
            self._commit()
            return self._close(_CLOSERS[character])
        if character in _COMMAS and not frame.comma:
            frame.comma = True
            self._index += 1
            return True
        quoted = character in DOUBLE or character in SINGLE
        if (frame.comma and self._may_follow(character)) or (self._line and quoted):
            self._commit()
            frame.comma, self.state = False, "key" if frame.is_object else "value"
            return True
        return self._silence()

    def _may_follow(self, character: str) -> bool:
        """Say whether a next member or item can begin so; a word behind a comma belongs to a text with stray quotes."""
        if character in DOUBLE or character in SINGLE:
            return True
        if not self.growth.stack[-1].is_object:
            return character in "{[-｛［" or character.isalnum()
        return self._text is None or self._line

    def _commit(self) -> None:
        self.growth.commit()
        self._text = None

    def _close(self, closer: str) -> bool:
        if not self.growth.close(closer, self._base + self._index):
            return self._silence()
        self._index += 1
        self.state, self._line = ("next" if self.growth.stack else "outside"), False
        return True
