"""Parse an object while it streams: read every character once, and show only the certain part."""

import re
from collections.abc import Callable
from typing import Any

from promptpack.reply.alarm import StreamedWord
from promptpack.reply.align import align
from promptpack.reply.bare_values import bare_node
from promptpack.reply.candidates import MAX_PASSED, is_labelled
from promptpack.reply.hidden_text import KINDS, MAX_MARKER_LENGTH, end_pattern, find_channel, may_become_channel
from promptpack.reply.object_start import count_passed, find_opening, needs_more_text, searched_end
from promptpack.reply.partial_object import PartialObject
from promptpack.reply.reading import Reading
from promptpack.reply.repair import set_at
from promptpack.reply.scan_state import AND_MORE
from promptpack.reply.streamed_text import ESCAPE, StreamedText
from promptpack.reply.strings import DOUBLE, PAIRS, SINGLE
from promptpack.reply.syntax_tree import Node

_SPACE = re.compile(r"(?:\s|[\u200b-\u200f\u2060\ufeff])*+")
# An escape that can be decoded alone; half of a surrogate pair waits for its other half.
_WHOLE_ESCAPE = r"\\(?:[^u]|u(?![dD][89abAB])[0-9a-fA-F]{4}|u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4})"
_ENDS = {'"': '"', "'": "'", "“": '“”"', "‘": "‘’'"}
_BODIES = {
    opener: re.compile(rf"[^{ends}\\]*+(?:{_WHOLE_ESCAPE}[^{ends}\\]*+)*+", re.DOTALL) for opener, ends in _ENDS.items()
}
_BARE = re.compile(r"[^\s,，;；:：=}\]｝］\"'{\[/#]*+")
_COMMAS = ",，;；"
_CLOSERS = {"}": "}", "｝": "}", "]": "]", "］": "]"}
_BARE_KEY = re.compile(r"[^\W\d][\w$.-]*")
_BRACE_OR_QUOTE = re.compile(rf"[{{｛}}｝\"{''.join(PAIRS)}]")
_STRING_RESTS = {'"': re.compile(r'(?:[^"\\]|\\.)*+', re.DOTALL)} | {
    left: re.compile(f"[^{left}{right}]*+") for left, right in PAIRS.items()
}
# A quote after one of these, or on a new line, opens a string.
_BEFORE_STRING = frozenset("{[(,:;=>→+|*/｛［，：；\n")
_NEVER = re.compile(r"(?!)")
_MAX_WAITING = 400
# The text so far is read at the end of an object, until texts of this many characters were read; each counts as long.
_MAX_READ, _MIN_READ = 50_000, 2_500
ReadSpan = Callable[[int, int], Reading]
"""Reads a span of the reply's text."""


class StreamParser:
    """A state machine; its states are start, outside, hidden, key, colon, string, value, next, lost and lost_string.

    In the state "lost", the meaning of the text is uncertain, and it waits for the brace that may close the object.
    It skips the braces in strings.
    """

    def __init__(self, partial: PartialObject, read: ReadSpan) -> None:
        self.partial = partial
        self.state: str = "start"
        self._read_span = read
        self._characters_read = self._depth = self._nested = self._root = self._markers = 0
        self.searched_again: int = 0
        self._index = self._base = 0
        self._buffer = self._quote = self._before = self._passed = ""
        self._is_labelled = False
        self._text: StreamedText | None = None
        self._word: StreamedWord | None = None
        self._is_key = False
        self._has_new_line = False
        self._hidden_end = _NEVER

    def feed(self, chunk: str) -> None:
        """Read one chunk as far as its meaning is certain."""
        self._buffer += chunk
        while self._index < len(self._buffer) and getattr(self, f"_{self.state}")():
            if self.partial.exceeds_limits and not self.state.startswith("lost"):
                self._stop()
        self._base += self._index
        self._passed = (self._passed + self._buffer[: self._index])[-_MAX_WAITING:]
        self._buffer, self._index = self._buffer[self._index :], 0
        if self.state == "outside":
            self.searched_again += len(self._buffer)

    def growing_text(self) -> tuple[str, str] | None:
        """Return the path and text of a string that may still grow, if the schema allows any text there.

        A string in a list is not shown while it grows: it may be a key, if the bracket of the list is lost.
        """
        if self._text is None or self._is_key or not self.partial.shows_here or not self.partial.stack[-1].is_object:
            return None
        shape = self.partial.shape_here()
        if shape.types != {"string"} or shape.words is not None or shape.first("pattern") is not None:
            return None
        return self.partial.path_here(), self._text.certain()

    def _start(self) -> bool:
        if channel := find_channel(self._buffer):
            (self._index, self._hidden_end), self.state = channel, "hidden"
        elif may_become_channel(self._buffer):
            return False
        else:
            self.state = "outside"
        return True

    def _outside(self) -> bool:
        match, end = find_opening(self._buffer, self._index), searched_end(self._buffer, self._index)
        # More text may continue the last word of a marker, or show that a brace is inside a tag.
        if match is None or (match.start() >= end and self._buffer[end] == "<"):
            self._markers += count_passed(self._buffer, self._index, end)
            self._index = end
            if self._markers > MAX_PASSED:  # then the whole reply is refused
                self.state, self._hidden_end = "hidden", _NEVER
            return False
        if match.lastgroup in KINDS:
            self._hidden_end = end_pattern(match)
            self.state, self._index = "hidden", match.end() - 1
            return True
        if match["end"]:
            self.partial.restart()
            self._index = match.end()
            return True
        return self._open_root(match)

    def _open_root(self, brace: re.Match[str]) -> bool:
        if needs_more_text(brace):
            may_wait = len(self._buffer) - brace.start() <= _MAX_WAITING
            self._index = brace.start() + (not may_wait)
            return not may_wait
        before = self._passed + self._buffer[: brace.start()]
        self._index, self._root = brace.end(), self._base + brace.start()
        self._is_labelled = is_labelled(before, len(before))
        if self._is_labelled:
            self.state, self._before, self._depth = "lost", "{", 1
        else:
            self.state = "key"
            self.partial.open_root()
        return True

    def _hidden(self) -> bool:
        match = self._hidden_end.search(self._buffer, self._index)
        if match is None:
            self._index = max(self._index, len(self._buffer) - MAX_MARKER_LENGTH)
            return False
        self._index, self.state = match.end(), "outside"
        return True

    def _skip(self) -> bool:
        """Skip white space and comments; return False if more text is needed, or if a comment is too long."""
        while True:
            match = _SPACE.match(self._buffer, self._index)
            end = match.end() if match else self._index
            self._has_new_line = self._has_new_line or "\n" in self._buffer[self._index : end]
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
            self._wait()
            return False
        self._index = end + 2 if block else end
        return True

    def _key(self) -> bool:
        if not self._skip():
            return self.state == "lost"
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
            return self._stop()
        start = self._index
        match = _BARE.match(self._buffer, start)
        end = match.end() if match else start
        if end >= len(self._buffer):
            return self._wait()
        if not _BARE_KEY.fullmatch(self._buffer, start, end):
            return self._stop()
        self._index, self.state = end, "colon"
        return self._enter_key(self._buffer[start:end])

    def _enter_key(self, key: str) -> bool:
        return self.partial.enter_key(key, self._base + self._index) or self._stop()

    def _wait(self) -> bool:
        return len(self._buffer) - self._index > _MAX_WAITING and self._stop()

    def _stop(self) -> bool:
        """Keep the shown part, and read no more of this object."""
        if growing := self.growing_text():
            self.partial.root = set_at(self.partial.root, *growing)
        self._text, self._before = None, ":" if self.state in ("key", "value") else ""
        self.state = "lost_string" if self.state == "string" and self._quote == '"' else "lost"
        self._depth, self._nested = sum(frame.is_object for frame in self.partial.stack), 0
        return True

    def _lost(self) -> bool:
        sign = _BRACE_OR_QUOTE.search(self._buffer, self._index)
        end = sign.end() if sign else len(self._buffer)
        self._pass(sign.start() if sign else end)
        if sign is None:
            return False
        may_open, self._before, self._index = self._before in _BEFORE_STRING, sign[0], end
        if sign[0] in _STRING_RESTS:
            self.state, self._quote = "lost_string" if may_open else "lost", sign[0]
            return True
        self._depth += 1 if sign[0] in "{｛" else -1
        if self._depth <= 0 and (self._is_labelled or self._read(is_closed=False)):
            self.state = "outside"
        return True

    def _pass(self, end: int) -> None:
        """Skip text, and remember its last sign: a line break, or the last character that is not white space."""
        text = self._buffer[self._index : end]
        seen = text.rstrip()
        if seen or "\n" in text:
            self._before = "\n" if "\n" in text[len(seen) :] else seen[-1]
        self._index = end

    def _lost_string(self) -> bool:
        """Skip the rest of a string; pairs of quotes may be nested in it."""
        rest = _STRING_RESTS[self._quote].match(self._buffer, self._index)
        end = rest.end() if rest else self._index
        sign, self._index = self._buffer[end : end + 1], end + 1
        if not sign or sign == "\\":
            self._index = end
            return False
        if sign in PAIRS:
            self._nested += 1
        elif self._nested:
            self._nested -= 1
        else:
            self._before, self.state = sign, "lost"
        return True

    def _read(self, *, is_closed: bool) -> bool:
        """Read the text up to the end of an object; return whether this is certain to be its end."""
        end = self._base + self._index
        if self._characters_read > _MAX_READ:
            return is_closed
        self._characters_read += max(end, _MIN_READ)
        reading = self._read_span(0, end)
        if reading.outcome == "truncated":
            # The object is inside something that is still open, such as a list.
            reading = self._read_span(self._root, end)
        return self.partial.conclude(reading, is_closed=is_closed)

    def _colon(self) -> bool:
        if not self._skip():
            return self.state == "lost"
        rest = self._buffer[self._index : self._index + 2]
        if rest == "=" and len(self._buffer) - self._index < 2:
            return False
        if rest[0] not in ":：=":
            return self._stop()
        self._index += 2 if rest == "=>" else 1
        self.state = "value"
        return True

    def _open_string(self, *, is_key: bool) -> bool:
        character = self._buffer[self._index]
        self._quote = "“" if character in DOUBLE - {'"'} else "‘" if character in SINGLE - {"'"} else character
        self._text, self._is_key = StreamedText(), is_key
        shape = self.partial.shape_here()
        self._word = StreamedWord(shape) if shape.words and not is_key else None
        self._index, self.state = self._index + 1, "string"
        return True

    def _string(self) -> bool:
        match = _BODIES[self._quote].match(self._buffer, self._index)
        end = match.end() if match else self._index
        self._add_text(end)
        if end >= len(self._buffer):
            return False
        if self._buffer[end] == "\\":
            return self._escaped(end)
        self._index = end + 1
        return self._end_string()

    def _add_text(self, end: int) -> None:
        if self._text is not None and end > self._index:
            piece = self._buffer[self._index : end]
            self._text.add(piece)
            if self._word is not None and (index := self._word.add(piece)) >= 0:
                self.partial.raise_alarm(*self._word.alarm, self._base + self._index + index)
        self._index = end

    def _escaped(self, start: int) -> bool:
        rest = self._buffer[start : start + 12]
        half = len(rest) < 12 and re.match(r"\\u[dD][89abAB]", rest) is not None
        match = ESCAPE.match(rest)
        if match is None or half:
            return len(rest) >= 12 and self._stop()
        self._add_text(start + len(match[0]))
        return True

    def _end_string(self) -> bool:
        text = self._text.whole() if self._text is not None else ""
        if not self._is_key:
            return self._hold(text)
        self.state, self._text = "colon", None
        return self._enter_key(text)

    def _hold(self, value: Any) -> bool:
        self.partial.hold(value, self._base + self._index)
        self.state, self._has_new_line = "next", False
        return True

    def _value(self) -> bool:
        if not self._skip():
            return self.state == "lost"
        character = self._buffer[self._index]
        if character in _CLOSERS and not self.partial.stack[-1].is_object:
            return self._close(_CLOSERS[character])
        if character in DOUBLE or character in SINGLE:
            return self._open_string(is_key=False)
        if character in "{[｛［":
            return self._open_container(character)
        if character in PAIRS:
            return self._stop()
        match = _BARE.match(self._buffer, self._index)
        end = match.end() if match else self._index
        if end >= len(self._buffer):
            return self._wait()
        return self._bare(end)

    def _open_container(self, character: str) -> bool:
        value: Any = {} if character in "{｛" else []
        self._index += 1
        self.partial.open(value, self._base + self._index)
        self.state = "key" if isinstance(value, dict) else "value"
        return True

    def _bare(self, end: int) -> bool:
        if end == self._index or self._buffer[self._index] in ".(" or self._buffer[end] in "\"'":
            return self._stop()
        node, _, _ = bare_node(self._buffer, self._index, end)
        self._index = end
        if node.defect is not None and not node.defect.cleared_by:
            self.partial.raise_alarm(node.defect.rule, node.defect.message, self._base + self._index)
            return self._stop()
        if node.kind == "bare" and not self._is_certain(node):
            return self._stop()
        return self._hold(node.value)

    def _is_certain(self, node: Node) -> bool:
        """Return whether an unquoted word is certain: not a sign of more items, and any defect cleared by alignment."""
        if node.defect is not None:
            return not isinstance(align(node.value, self.partial.shape_here()).value, str | list)
        return self.partial.stack[-1].is_object or AND_MORE.match(node.value) is None

    def _next(self) -> bool:
        if not self._skip():
            return self.state == "lost"
        character, frame = self._buffer[self._index], self.partial.stack[-1]
        if character in _CLOSERS:
            self._commit()
            return self._close(_CLOSERS[character])
        if character in _COMMAS and not frame.has_comma:
            frame.has_comma = True
            self._index += 1
            return True
        quoted = character in DOUBLE or character in SINGLE
        if (frame.has_comma and self._may_follow(character)) or (self._has_new_line and quoted):
            self._commit()
            frame.has_comma, self.state = False, "key" if frame.is_object else "value"
            return True
        return self._stop()

    def _may_follow(self, character: str) -> bool:
        """Return whether a character can start a member or item, rather than continue the string before the comma."""
        if character in DOUBLE or character in SINGLE:
            return True
        if not self.partial.stack[-1].is_object:
            return character in "{[-｛［" or character.isalnum()
        return self._text is None or self._has_new_line

    def _commit(self) -> None:
        self.partial.commit()
        self._text = None

    def _close(self, closer: str) -> bool:
        if not self.partial.close(closer, self._base + self._index):
            return self._stop()
        self._index += 1
        self.state, self._has_new_line = ("next" if self.partial.stack else "outside"), False
        if not self.partial.stack:
            self._read(is_closed=True)
        return True
