"""The object that a reply has told so far: finished values by pointer, and what is certainly wrong with them."""

from dataclasses import dataclass, field
from typing import Any

from promptpack.reply.alarm import ArrivingWord, complaint
from promptpack.reply.align import align, property_for
from promptpack.reply.reading import Violation
from promptpack.reply.shape import Shape
from promptpack.reply.tree import escape, same

_MAX_DEPTH, _MAX_PATH, _MAX_VALUES, _MAX_STARTS, _MAX_ALARMS = 100, 1_000, 10_000, 200, 100


@dataclass(slots=True)
class Frame:
    """One open container; `full` is its shape with the branches that its members have chosen so far."""

    value: Any
    path: str
    shape: Shape
    full: Shape
    key: str = ""
    comma: bool = False
    known: dict[str, str | None] = field(default_factory=dict)

    @property
    def is_object(self) -> bool:
        """Say whether members with keys are expected."""
        return isinstance(self.value, dict)


class Growth:
    """Puts values in their places as they arrive; one is kept back until what follows shows that it is whole."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.root: dict[str, Any] = {}
        self.complete: list[str] = []
        self.violations: list[Violation] = []
        self.stack: list[Frame] = []
        self.pending: Any = None
        self._alarms: set[tuple[str, str]] = set()
        self._starts = 0
        # More is told than a partial output can follow.
        self.is_beyond_limits = False

    @property
    def is_answer(self) -> bool:
        """Say whether the object so far has anything that the contract asks for."""
        return not self.shape.required.isdisjoint(self.root)

    def restart(self) -> None:
        """Forget what was told: it was no answer, or only thinking."""
        self.root = {}
        self.complete.clear()
        self.violations.clear()
        self._alarms.clear()
        self._starts += 1
        self.is_beyond_limits = self._starts > _MAX_STARTS

    def push(self, value: Any, path: str, shape: Shape) -> None:
        """Open a container."""
        self.stack.append(Frame(value, path, shape, shape.with_conditions(value)))
        if len(self.stack) > _MAX_DEPTH or len(path) > _MAX_PATH:
            self.is_beyond_limits = True

    def close(self, closer: str, offset: int = 0) -> bool:
        """Close the innermost container, if that is what the bracket closes."""
        frame = self.stack[-1]
        if closer != ("}" if frame.is_object else "]"):
            return False
        self.stack.pop()
        self._finish(frame.path)
        if self.stack:
            self.stack[-1].comma = False
            self._compare(frame.value, offset)
        return True

    def take_key(self, key: str) -> bool:
        """Give a key its property's name; one that is at home in the object around this one shows a lost brace."""
        frame = self.stack[-1]
        if frame.key in frame.shape.discriminators:
            frame.full, frame.known = frame.shape.with_conditions(frame.value), {}
        if key not in frame.known:
            frame.known[key] = key if key in frame.full.properties else property_for(key, frame.full)[0]
        name = frame.known[key]
        above = self.stack[-2].full.properties if len(self.stack) > 1 else {}
        if name is None and key in above and frame.full.properties:
            return False
        frame.key = name or key
        return True

    def shape_here(self) -> Shape:
        """Give the shape of the value that is expected or growing."""
        frame = self.stack[-1]
        inner = frame.full.properties.get(frame.key) if frame.is_object else frame.full.items
        return inner or frame.shape.empty

    def is_required_here(self) -> bool:
        """Say whether the value that is expected or growing must be there."""
        frame = self.stack[-1]
        return not frame.is_object or frame.key in frame.full.required

    def word_here(self) -> ArrivingWord | None:
        """Follow the text that begins, where only fixed words belong and no alarm was raised."""
        shape = self.shape_here()
        is_told = not shape.words or ("enum", self.path_here()) in self._alarms
        return None if is_told else ArrivingWord(shape)

    def path_here(self) -> str:
        """Give the pointer of the value that is expected or growing."""
        frame = self.stack[-1]
        return f"{frame.path}/{escape(frame.key) if frame.is_object else len(frame.value)}"

    def hold(self, value: Any, offset: int) -> None:
        """Keep a finished value back until what follows shows that it was finished; an alarm need not wait."""
        shape = self.shape_here()
        if shape.schemas and isinstance(value, str) and not shape.holds(value):
            value = align(value, shape).value
        # An empty text may stand for an absent field, or be the first two of three quotes.
        if value != "" and (found := complaint(value, shape)) is not None:
            self.complain(*found, offset)
        self.pending = (value, offset)

    def commit(self) -> None:
        """Put the value that was kept back in its place."""
        if self.pending is None:
            return
        path, (value, offset) = self.path_here(), self.pending
        if value == "" and self.is_required_here() and (found := complaint(value, self.shape_here())) is not None:
            self.complain(*found, offset)
        self.attach(value)
        self._compare(value, offset)
        self._finish(path)
        self.pending = None

    def _finish(self, path: str) -> None:
        self.complete.append(path)
        if len(self.complete) > _MAX_VALUES:
            self.is_beyond_limits = True

    def attach(self, value: Any) -> None:
        """Put a value in its place; the first of two under one key stays."""
        frame = self.stack[-1]
        if not frame.is_object:
            frame.value.append(value)
        elif frame.key not in frame.value:
            frame.value[frame.key] = value

    def _compare(self, value: Any, offset: int) -> None:
        """Tell of a finished value that is not the one its key has already."""
        frame = self.stack[-1]
        if frame.is_object and frame.value[frame.key] is not value and not same(frame.value[frame.key], value):
            self.complain("duplicate", f"key {frame.key!r} is given twice with different values", offset)

    def complain(self, rule: str, message: str, offset: int) -> None:
        """Raise an alarm about the value that stands here, once."""
        path = self.path_here()
        if len(self.violations) < _MAX_ALARMS and (rule, path) not in self._alarms:
            self._alarms.add((rule, path))
            self.violations.append(Violation(rule, path, message, offset))
