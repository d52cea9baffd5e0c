"""Read an object while it arrives: every character is looked at once, and nothing is said before it is certain."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from promptpack.reply.alarm import complaint
from promptpack.reply.align import align, property_for
from promptpack.reply.escapes import decode
from promptpack.reply.opening import OUTSIDE, opens_data
from promptpack.reply.reading import Violation
from promptpack.reply.shape import Shape
from promptpack.reply.strings import DOUBLE, SINGLE
from promptpack.reply.thinking import CHANNEL_END, LONGEST, end_of
from promptpack.reply.tree import escape, same
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
_decode = lru_cache(1_000)(decode)
_MAX_DEPTH, _MAX_PATH, _MAX_VALUES, _MAX_STARTS = 100, 1_000, 20_000, 200


@dataclass(slots=True)
class _Frame:
    """One open container of the partial value."""

    value: Any
    path: str
    shape: Shape
    key: str = ""
    comma: bool = False
    names: dict[str, Shape] = field(default_factory=dict)


class Machine:
    """The states of a reply that arrives: outside, thinking, in a key, a string, a value, between, or quiet."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.state = "outside"
        self.root: dict[str, Any] = {}
        self.complete: list[str] = []
        self.violations: list[Violation] = []
        self._buffer = ""
        self._index = 0
        self._base = 0
        self._stack: list[_Frame] = []
        self._quote = ""
        self._parts: list[str] = []
        self._is_key = self._is_text = False
        self._pending: tuple[Any, int] | None = None
        self._line = False
        self._starts = 0
        self._thought_end = CHANNEL_END

    def feed(self, chunk: str) -> None:
        """Take in one chunk and go as far as certainty goes."""
        if self.state == "quiet":
            return
        self._buffer += chunk
        while self.state != "quiet" and self._index < len(self._buffer) and getattr(self, f"_{self.state}")():
            if self._is_beyond_limits():
                self.state = "quiet"
        self._base += self._index
        self._buffer, self._index = self._buffer[self._index :], 0

    @property
    def held(self) -> int:
        """Count the characters that wait for what follows them; the next chunk costs its own length and these."""
        return len(self._buffer)

    def _is_beyond_limits(self) -> bool:
        if self._stack and len(self._stack[-1].path) > _MAX_PATH:
            return True
        return len(self._stack) > _MAX_DEPTH or len(self.complete) > _MAX_VALUES or self._starts > _MAX_STARTS

    def growing(self) -> tuple[str, str] | None:
        """Give the text that is still growing or not yet sure to be whole, if the schema lets it be any text."""
        if not self._is_text:
            return None
        shape = self._shape_here()
        if shape.types != {"string"} or shape.words is not None or shape.first("pattern") is not None:
            return None
        text = "".join(self._parts)
        self._parts = [text]
        return self._path_here(), text

    def _outside(self) -> bool:
        match = OUTSIDE.search(self._buffer, self._index)
        if match is None:
            self._index = max(self._index, len(self._buffer) - LONGEST)
            return False
        if match["start"] or match["channel"]:
            own = match["start"] and re.compile(end_of(match["start"]), re.IGNORECASE)
            self._thought_end = own or CHANNEL_END
            self.state, self._index = "thinking", match.end()
            return True
        if match["end"]:
            self._restart()
            self._index = match.end()
            return True
        return self._maybe_open(match.start())

    def _maybe_open(self, start: int) -> bool:
        opens = opens_data(self._buffer, start)
        if opens is None and len(self._buffer) - start <= _HELD:
            self._index = start
            return False
        self._index = start + 1
        if not opens:
            return True
        if self.root and self._is_answer():
            return self._silence()
        self._restart()
        self._push(self.root, "", self.shape)
        return True

    def _is_answer(self) -> bool:
        return bool(self.shape.required & self.root.keys())

    def _restart(self) -> None:
        self.root = {}
        self.complete.clear()
        self.violations.clear()
        self._starts += 1

    def _thinking(self) -> bool:
        match = self._thought_end.search(self._buffer, self._index)
        if match is None:
            self._index = max(self._index, len(self._buffer) - LONGEST)
            return False
        self._index, self.state = match.end(), "outside"
        return True

    def _push(self, value: Any, path: str, shape: Shape) -> None:
        self._stack.append(_Frame(value, path, shape))
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
        start = self._index
        match = _BARE.match(self._buffer, start)
        end = match.end() if match else start
        if end >= len(self._buffer):
            return self._wait()
        if end == start:
            return self._silence()
        self._index, self.state = end, "colon"
        return self._take_key(self._buffer[start:end])

    def _wait(self) -> bool:
        if len(self._buffer) - self._index > _HELD:
            self.state = "quiet"
        return False

    def _silence(self) -> bool:
        self.state = "quiet"
        return False

    def _take_key(self, key: str) -> bool:
        """Give a key its property's name; one that is at home in the object around this one shows a lost brace."""
        frame = self._stack[-1]
        full = frame.shape.with_conditions(frame.value)
        frame.names = full.properties
        name = key if key in frame.names else property_for(key, full)[0]
        if name is None and frame.names and len(self._stack) > 1 and key in self._stack[-2].names:
            return self._silence()
        frame.key = name or key
        return True

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
        self._parts, self._is_key, self._is_text = [], is_key, not is_key
        self._index, self.state = self._index + 1, "string"
        return True

    def _string(self) -> bool:
        match = _BODIES[self._quote].match(self._buffer, self._index)
        end = match.end() if match else self._index
        self._parts.append(_ESCAPE.sub(_decoded, self._buffer[self._index : end]))
        self._index = end
        if end >= len(self._buffer):
            return False
        if self._buffer[end] == "\\":
            return self._escaped(end)
        self._index = end + 1
        return self._end_string()

    def _escaped(self, start: int) -> bool:
        rest = self._buffer[start : start + 12]
        half = len(rest) < 12 and re.match(r"\\u[dD][89abAB]", rest) is not None
        match = _ESCAPE.match(rest)
        if match is None or (half and len(rest) < 12 and len(match[0]) < 12):
            if len(rest) >= 12:
                return self._silence()
            return False
        self._parts.append(_decode(match[0]))
        self._index = start + len(match[0])
        return True

    def _end_string(self) -> bool:
        text = "".join(self._parts)
        if self._is_key:
            self.state = "colon"
            return self._take_key(text)
        return self._hold(text)

    def _hold(self, value: Any) -> bool:
        """Keep a finished value back until what follows shows that it was finished; an alarm need not wait."""
        shape = self._shape_here()
        if shape.schemas and isinstance(value, str) and not shape.holds(value):
            value = align(value, shape).value
        if (found := complaint(value, shape)) is not None:
            self._complain(*found)
        self._pending = (value, self._index)
        self.state, self._line = "next", False
        return True

    def _complain(self, rule: str, message: str) -> None:
        path = self._path_here()
        if len(self.violations) < 100 and not any(one.path == path and one.rule == rule for one in self.violations):
            self.violations.append(Violation(rule, path, message, self._base + self._index))

    def _shape_here(self) -> Shape:
        frame = self._stack[-1]
        empty = frame.shape.empty()
        if isinstance(frame.value, dict):
            return frame.names.get(frame.key, empty)
        return frame.shape.items or empty

    def _path_here(self) -> str:
        frame = self._stack[-1]
        return f"{frame.path}/{escape(frame.key) if isinstance(frame.value, dict) else len(frame.value)}"

    def _value(self) -> bool:
        if not self._skip():
            return False
        character, frame = self._buffer[self._index], self._stack[-1]
        if character in _CLOSERS and isinstance(frame.value, list):
            return self._close(_CLOSERS[character])
        if character in DOUBLE or character in SINGLE:
            return self._open_string(is_key=False)
        if character in "{[｛［":
            return self._open_container(character)
        match = _BARE.match(self._buffer, self._index)
        end = match.end() if match else self._index
        if end >= len(self._buffer):
            return self._wait()
        return self._bare(end)

    def _open_container(self, character: str) -> bool:
        shape, path = self._shape_here(), self._path_here()
        value: Any = {} if character in "{｛" else []
        kind = "object" if isinstance(value, dict) else "array"
        if shape.types and not shape.types & {"object", "array"}:
            self._complain("type", f"a value of type {kind} is given where none belongs")
        if shape.types and kind not in shape.types:
            # What the schema would turn into something else is not shown before the whole reply is read.
            return self._silence()
        self._index += 1
        self._attach(value)
        self._push(value, path, shape)
        return True

    def _bare(self, end: int) -> bool:
        if end == self._index or self._buffer[self._index] == ".":
            return self._silence()
        node, _, _ = bare_node(self._buffer, self._index, end)
        self._index = end
        if node.mark is not None and not node.mark.yields:
            self._complain(node.mark.rule, node.mark.message)
            return self._silence()
        return self._hold(node.value)

    def _next(self) -> bool:
        if not self._skip():
            return False
        character, frame = self._buffer[self._index], self._stack[-1]
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
            frame.comma, self.state = False, "key" if isinstance(frame.value, dict) else "value"
            return True
        return self._silence()

    def _may_follow(self, character: str) -> bool:
        """Say whether a next member or item can begin so; a word behind a comma belongs to a text with stray quotes."""
        if character in DOUBLE or character in SINGLE:
            return True
        if isinstance(self._stack[-1].value, list):
            return character in "{[-｛［" or character.isalnum()
        return self._pending is None or not isinstance(self._pending[0], str) or self._line

    def _attach(self, value: Any) -> None:
        frame = self._stack[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
            return
        if frame.key in frame.value and not same(frame.value[frame.key], value):
            self._complain("duplicate", f"key {frame.key!r} is given twice with different values")
            return
        frame.value[frame.key] = value

    def _commit(self) -> None:
        if self._pending is None:
            return
        path = self._path_here()
        self._attach(self._pending[0])
        self.complete.append(path)
        self._pending, self._is_text = None, False

    def _close(self, closer: str) -> bool:
        frame = self._stack[-1]
        if closer != ("}" if isinstance(frame.value, dict) else "]"):
            return self._silence()
        self._stack.pop()
        self._index += 1
        self.complete.append(frame.path)
        self.state, self._line = ("next" if self._stack else "outside"), False
        if self._stack:
            self._stack[-1].comma = False
        return True


def _decoded(escape: re.Match[str]) -> str:
    """Decode every escape alone: what is shown must not hang on where a chunk ends."""
    return _decode(escape[0])
