"""The object that a streamed reply has so far: its complete values by pointer, and the alarms about them."""

from dataclasses import dataclass, field
from typing import Any

from promptpack.reply.alarm import StreamedWord, find_alarm
from promptpack.reply.align import align, find_property
from promptpack.reply.reading import Fault
from promptpack.reply.shape import Shape
from promptpack.reply.syntax_tree import escape, is_same

_MAX_DEPTH, _MAX_PATH, _MAX_VALUES, _MAX_STARTS, _MAX_ALARMS = 100, 1_000, 10_000, 200, 100


@dataclass(slots=True)
class StreamFrame:
    """One open container; `full` is its shape with the branches chosen so far, `names` caches the property of a key."""

    value: Any
    path: str
    shape: Shape
    full: Shape
    key: str = ""
    has_comma: bool = False
    names: dict[str, str | None] = field(default_factory=dict)

    @property
    def is_object(self) -> bool:
        """Whether the container is an object."""
        return isinstance(self.value, dict)


class PartialObject:
    """Collects values as they arrive; the last one stays pending until the text after it shows that it is complete."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.root: dict[str, Any] = {}
        self.complete: list[str] = []
        self.alarms: list[Fault] = []
        self.stack: list[StreamFrame] = []
        self.pending: Any = None
        self._alarmed: set[tuple[str, str]] = set()
        self._starts = 0
        self.exceeds_limits = False

    @property
    def is_answer(self) -> bool:
        """Whether the object so far has a required field of the contract."""
        return not self.shape.required.isdisjoint(self.root)

    def restart(self) -> None:
        """Drop the object so far: it is not the answer, or only thinking."""
        self.root = {}
        self.complete.clear()
        self.alarms.clear()
        self._alarmed.clear()
        self._starts += 1
        self.exceeds_limits = self._starts > _MAX_STARTS

    def push(self, value: Any, path: str, shape: Shape) -> None:
        """Open a container."""
        self.stack.append(StreamFrame(value, path, shape, shape.with_conditions(value)))
        if len(self.stack) > _MAX_DEPTH or len(path) > _MAX_PATH:
            self.exceeds_limits = True

    def close(self, closer: str, offset: int = 0) -> bool:
        """Close the innermost container; return False if the bracket is of the other kind."""
        frame = self.stack[-1]
        if closer != ("}" if frame.is_object else "]"):
            return False
        self.stack.pop()
        self._finish(frame.path)
        if self.stack:
            self.stack[-1].has_comma = False
            self._compare(frame.value, offset)
        return True

    def enter_key(self, key: str) -> bool:
        """Set the current key to the property it means; return False for a key of the parent: a brace is missing."""
        frame = self.stack[-1]
        if frame.key in frame.shape.discriminators:
            frame.full, frame.names = frame.shape.with_conditions(frame.value), {}
        if key not in frame.names:
            frame.names[key] = key if key in frame.full.properties else find_property(key, frame.full)[0]
        name = frame.names[key]
        outer = self.stack[-2].full.properties if len(self.stack) > 1 else {}
        if name is None and key in outer and frame.full.properties:
            return False
        frame.key = name or key
        return True

    def shape_here(self) -> Shape:
        """Return the shape of the value that comes next or grows."""
        frame = self.stack[-1]
        inner = frame.full.properties.get(frame.key) if frame.is_object else frame.full.items
        return inner or frame.shape.empty

    def is_required_here(self) -> bool:
        """Return whether the value that comes next or grows is required."""
        frame = self.stack[-1]
        return not frame.is_object or frame.key in frame.full.required

    def word_here(self) -> StreamedWord | None:
        """Return a check for the string that starts here, if it must be a fixed word and has raised no alarm yet."""
        shape = self.shape_here()
        is_checked = shape.words and ("enum", self.path_here()) not in self._alarmed
        return StreamedWord(shape) if is_checked else None

    def path_here(self) -> str:
        """Return the pointer of the value that comes next or grows."""
        frame = self.stack[-1]
        return f"{frame.path}/{escape(frame.key) if frame.is_object else len(frame.value)}"

    def hold(self, value: Any, offset: int) -> None:
        """Keep a value pending until the text after it shows that it is complete; its alarm does not wait."""
        shape = self.shape_here()
        if shape.schemas and isinstance(value, str) and not shape.accepts(value):
            value = align(value, shape).value
        # An empty string may mean an absent field, or be the first two of three quotes.
        if value != "" and (found := find_alarm(value, shape)) is not None:
            self.raise_alarm(*found, offset)
        self.pending = (value, offset)

    def commit(self) -> None:
        """Attach the pending value."""
        if self.pending is None:
            return
        path, (value, offset) = self.path_here(), self.pending
        if value == "" and self.is_required_here() and (found := find_alarm(value, self.shape_here())) is not None:
            self.raise_alarm(*found, offset)
        self.attach(value)
        self._compare(value, offset)
        self._finish(path)
        self.pending = None

    def _finish(self, path: str) -> None:
        self.complete.append(path)
        if len(self.complete) > _MAX_VALUES:
            self.exceeds_limits = True

    def attach(self, value: Any) -> None:
        """Add a value to the innermost container; the first of two values under one key stays."""
        frame = self.stack[-1]
        if not frame.is_object:
            frame.value.append(value)
        elif frame.key not in frame.value:
            frame.value[frame.key] = value

    def _compare(self, value: Any, offset: int) -> None:
        """Raise an alarm if a complete value differs from the value that its key already has."""
        frame = self.stack[-1]
        if frame.is_object and frame.value[frame.key] is not value and not is_same(frame.value[frame.key], value):
            self.raise_alarm("duplicate", f"key {frame.key!r} is given twice with different values", offset)

    def raise_alarm(self, rule: str, message: str, offset: int) -> None:
        """Raise an alarm about the current value, once per rule and path."""
        path = self.path_here()
        if len(self.alarms) < _MAX_ALARMS and (rule, path) not in self._alarmed:
            self._alarmed.add((rule, path))
            self.alarms.append(Fault(rule, path, message, offset))
