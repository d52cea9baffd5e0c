"""The object that a streamed reply has so far: the part of it that is certain to be in the answer, and the alarms."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from promptpack.reply.alarm import find_alarm
from promptpack.reply.align import align, find_property
from promptpack.reply.reading import Fault, PromptEcho, Reading
from promptpack.reply.shape import Shape
from promptpack.reply.syntax_tree import escape, is_same, walk
from promptpack.schema.pointers import Mismatch

_MAX_DEPTH, _MAX_PATH, _MAX_VALUES, _MAX_STARTS, _MAX_ALARMS = 100, 1_000, 10_000, 200, 100
# The alarms of all objects that a stream starts with; later values are only checked at the end.
_MAX_ALL_ALARMS = 1_000
_CONTAINERS = frozenset(("object", "array"))


@dataclass(slots=True, eq=False)
class StreamFrame:
    """One open container: its value so far, the certain part of it (`shown`), and its shape with branches (`full`)."""

    value: Any
    path: str
    shape: Shape
    full: Shape
    shown: Any
    is_certain: bool
    is_required: bool
    key: str = ""
    is_new: bool = False
    is_extra: bool = False
    has_comma: bool = False

    @property
    def is_object(self) -> bool:
        """Whether the container is an object."""
        return isinstance(self.value, dict)

    @property
    def knows_branches(self) -> bool:
        """Whether the values that choose between branches, and are sure to come, are known and possible."""
        named, required = self.full.properties, self.full.required
        return all(name in self.shown for name in _switches(self.shape) if name in required or name not in named)

    def put(self, container: Any, value: Any) -> None:
        """Add the current value to `value` or `shown`; the first of two values under one key stays."""
        if self.is_object:
            container.setdefault(self.key, value)
        else:
            container.append(value)

    def choose_branches(self, *, is_held: bool) -> None:
        """Choose the branches that the current value decides; values that they describe were not read for them."""
        if self.key not in self.shape.discriminators:
            return
        value, old = {**self.value, **(self.shown or {})}, self.full.properties
        self.full = _with_branches(value, self.shape)
        if is_held and self.shown:
            now, empty = self.full.properties, self.shape.empty
            same = [name for name in self.shown if old.get(name, empty).schemas == now.get(name, empty).schemas]
            self.shown = {name: self.shown[name] for name in same}


class PartialObject:
    """Collects values as they arrive; the last one stays pending until the text after it shows that it is complete."""

    def __init__(self, shape: Shape, echo: PromptEcho) -> None:
        self._shape, self._echo = shape, echo
        self._wants_object = shape.types <= {"object"}
        self._starts = self._all_alarms = 0
        self.stack: list[StreamFrame] = []
        self.restart()

    def restart(self) -> None:
        """Drop the object so far: it is not the answer, or only thinking."""
        self.root: dict[str, Any] = {}
        self.complete: list[str] = []
        self.pending: Any = None
        self._held: list[StreamFrame] = []
        self._alarms: list[Fault] = []
        self._alarmed: set[tuple[str, str]] = set()
        self._known = self._count = 0
        self._has_answer = False
        self.exceeds_limits: bool = self._starts > _MAX_STARTS

    @property
    def alarms(self) -> list[Fault]:
        """The alarms about the object; one with fewer than two keys of the contract may be a wrapper."""
        return self._alarms if 2 * self._known >= min(4, len(self._shape.required)) else []

    @property
    def shows_here(self) -> bool:
        """Whether the value that comes next or grows is certain to be in the answer."""
        return not self._held and self.stack[-1].is_certain

    def open_root(self) -> None:
        """Open an object that may be the answer; after an answer, an object is only read at its end."""
        self._starts += 1
        if self._has_answer or self.root:
            self._push({}, "", self._shape.empty, None, is_required=True)
            self.exceeds_limits |= self._starts > _MAX_STARTS
            return
        self.restart()
        self._push({}, "", self._shape, {} if self._wants_object else None, is_required=True)

    def open(self, value: Any, offset: int) -> None:
        """Open an object or a list inside another; a repair may convert one of the wrong type."""
        parent, shape, path = self.stack[-1], self.shape_here(), self.path_here()
        if shape.types and not shape.types & _CONTAINERS and self.is_required_here():
            self._check(value, offset)
        fits = not shape.kinds or ("object" if isinstance(value, dict) else "array") in shape.kinds
        shown = type(value)() if fits and parent.is_certain else None
        parent.put(parent.value, value)
        self._push(value, path, shape if fits else shape.empty, shown, is_required=self.is_required_here())

    def _push(self, value: Any, path: str, shape: Shape, shown: Any, *, is_required: bool) -> None:
        frame = StreamFrame(value, path, shape, _with_branches(value, shape), shown, shown is not None, is_required)
        self.stack.append(frame)
        self._held.append(frame)
        self._show(frame)
        self.exceeds_limits |= len(self.stack) > _MAX_DEPTH or len(path) > _MAX_PATH

    def _show(self, frame: StreamFrame) -> None:
        """Show the innermost container, once it is certain to be in the answer."""
        if frame.shown is None or frame not in self._held or not self._is_part(frame):
            return
        self._held.remove(frame)
        if len(self.stack) > 1:
            self.stack[-2].put(self.stack[-2].shown, frame.shown)
        else:
            self.root = frame.shown
        if not self._held:
            self.complete.extend(frame.path + path for path, _ in walk(frame.shown) if path)

    def _is_part(self, frame: StreamFrame) -> bool:
        if frame.is_object and not frame.knows_branches:
            return False
        if len(self.stack) == 1:
            # An example of the prompt that a reply repeats may not be its answer.
            examples = (one.items() for one in self._echo.examples if isinstance(one, dict))
            is_echo = bool(frame.value) and any(frame.value.items() <= one for one in examples)
            return not is_echo and 2 * self._known >= len(frame.shape.required)
        # Alignment removes an optional value that is empty, unless it is valid.
        return bool(frame.is_required or frame.value or frame.key or frame.shape.accepts(frame.value))

    def close(self, closer: str, offset: int) -> bool:
        """Close the innermost container; return False if the bracket is of the other kind."""
        if closer != ("}" if self.stack[-1].is_object else "]"):
            return False
        frame = self.stack.pop()
        if not self.stack:
            return True
        if frame in self._held:
            self._held.remove(frame)
            self.stack[-1].is_certain &= self.stack[-1].is_object
        elif not self._held:
            self.complete.append(frame.path)
        self.stack[-1].has_comma = False
        self._check_container(frame, offset)
        self._end_value(frame.value, offset)
        return True

    def _check_container(self, frame: StreamFrame, offset: int) -> None:
        """Raise an alarm if a container cannot be valid: of the wrong type, too short, too long or without a key."""
        value, shape = frame.value, frame.full
        if not shape.schemas:
            shape = self.shape_here()
            value = align(value, shape).value
        elif len(frame.shown or ()) != len(value):
            return  # a key that is not certain may be another spelling of one that seems to be missing
        if (frame.value or frame.is_required) and (found := self._find_alarm(value, shape)):
            self.raise_alarm(found.keyword, found.message, offset, frame.path + found.pointer)

    def conclude(self, reading: Reading, *, is_closed: bool) -> bool:
        """Accept the reading of the text up to the end of an object; return False if it is not the end.

        Only the end of an object makes some values certain, such as the answer inside a wrapper, and most faults.
        """
        is_cut = reading.outcome in ("truncated", "no_answer") or any(
            one.rule == "unclosed" for one in reading.violations
        )
        if is_cut and not is_closed:
            return False
        if reading.ok or reading.is_echo:
            self._show_answer(reading)
        elif not is_cut and self._is_attempt(reading):
            self._alarms, self._known = self.alarms, len(self._shape.required)
            self._alarmed = {(one.rule, one.path) for one in self._alarms}
            for fault in reading.violations:
                self._add_alarm(fault)
        self.stack.clear()
        self._held.clear()
        return True

    def _show_answer(self, reading: Reading) -> None:
        self._alarms, self._has_answer = [], True
        if reading.is_echo or not self._wants_object:
            return
        paths = [path for path, _ in walk(reading.value) if path]
        if not set(self.complete) <= set(paths):
            self.complete = []
        known = set(self.complete)
        self.root = reading.value
        self.complete.extend(path for path in paths if path not in known)

    def _is_attempt(self, reading: Reading) -> bool:
        """Return whether the refused object has at least half of the required keys."""
        missing = sum(one.rule == "required" and one.path.count("/") == 1 for one in reading.violations)
        return self._wants_object and 2 * missing <= len(self._shape.required)

    def enter_key(self, key: str, offset: int) -> bool:
        """Set the current key; return False for a key of the parent: a brace is missing."""
        frame, full = self.stack[-1], self.stack[-1].full
        is_named, is_new = key in full.properties, key not in frame.value
        frame.key, frame.is_new = key, is_new
        frame.is_extra = not is_named and find_property(key, full)[0] is None
        if frame.is_extra and len(self.stack) > 1 and self._may_be_of_parent(key):
            return False
        is_kept = self._keeps(frame, offset) if frame.is_extra else is_named
        frame.is_certain = is_kept and is_new and frame.shown is not None
        self._known += is_new and len(self.stack) == 1 and key in full.required
        self._show(frame)
        return True

    def _may_be_of_parent(self, key: str) -> bool:
        """Return whether an undeclared key may belong to the parent; among free keys, only one that it needs."""
        parent = self.stack[-2]
        if self.stack[-1].full.properties:
            return key in parent.full.properties
        is_wrapper = parent.key not in parent.full.properties
        return not is_wrapper and key in parent.full.required and key not in parent.value

    def _keeps(self, frame: StreamFrame, offset: int) -> bool:
        """Return whether an undeclared key certainly stays as it is; raise an alarm if the contract forbids it."""
        key, closed = frame.key, (one for one in frame.full.schemas if one.get("additionalProperties") is False)
        if any(key not in one.get("properties", ()) and "patternProperties" not in one for one in closed):
            if not any(key in outer.full.properties for outer in self.stack[:-1]):
                self.raise_alarm("additionalProperties", f"unknown key {key!r}", offset)
            return False
        # The values of an object may choose between branches for the object itself.
        parent = self.stack[-2] if len(self.stack) > 1 else frame
        return not frame.full.properties or parent.key not in parent.shape.discriminators

    def shape_here(self) -> Shape:
        """Return the shape of the value that comes next or grows; empty for a key that may be another spelling."""
        frame, full = self.stack[-1], self.stack[-1].full
        if not frame.is_object:
            return full.items or full.empty
        return (full.extra if frame.is_extra else full.properties.get(frame.key)) or full.empty

    def is_required_here(self) -> bool:
        """Return whether the value that comes next or grows is required."""
        frame = self.stack[-1]
        return not frame.is_object or frame.key in frame.full.required

    def path_here(self) -> str:
        """Return the pointer of the value that comes next or grows."""
        frame = self.stack[-1]
        return f"{frame.path}/{escape(frame.key) if frame.is_object else len(frame.value)}"

    def hold(self, value: Any, offset: int) -> None:
        """Keep a value pending until the text after it shows that it is complete; only the alarm of a text waits."""
        raw, shape = value, self.shape_here()
        if not self._is_absent(value) and not shape.accepts(value):
            aligned = align(value, shape)
            value = value if aligned.conflicts else aligned.value
        self.pending = (raw, value, offset)
        is_free = shape.words is None and shape.kinds & {"string", *_CONTAINERS}
        # An empty string may be the first two of three quotes, and one of several lines may have lost its last quote.
        if not isinstance(value, str) or (value and "\n" not in value and not is_free):
            self._check(value, offset)

    def commit(self) -> None:
        """Add the pending value."""
        if self.pending is None:
            return
        path, frame, (raw, value, offset) = self.path_here(), self.stack[-1], self.pending
        self._check(value, offset)
        if frame.is_certain and self.shape_here().accepts(value):
            frame.put(frame.shown, value)
            if not self._held:
                self.complete.append(path)
        else:
            # Items after one that is left out would get another index.
            frame.is_certain &= frame.is_object
        frame.put(frame.value, raw)
        self.pending = None
        self._end_value(raw, offset)

    def _end_value(self, value: Any, offset: int) -> None:
        """Compare a complete value with one that its key already has, and choose the branches that it decides."""
        frame = self.stack[-1]
        if frame.is_object and frame.value[frame.key] is not value and not is_same(frame.value[frame.key], value):
            self.raise_alarm("duplicate", f"key {frame.key!r} appears twice with different values", offset)
        if frame.is_new:
            frame.choose_branches(is_held=frame in self._held)
        self._show(frame)
        self._count += 1
        self.exceeds_limits |= self._count > _MAX_VALUES

    def _check(self, value: Any, offset: int) -> None:
        """Raise an alarm if a complete value cannot be valid; only the first value of a key is checked."""
        frame = self.stack[-1]
        is_checked = (frame.is_object and frame.key in frame.value) or len(self._alarms) >= _MAX_ALARMS
        if not is_checked and not self._is_absent(value) and (found := self._find_alarm(value, self.shape_here())):
            self.raise_alarm(found.keyword, found.message, offset)

    def _find_alarm(self, value: Any, shape: Shape) -> Mismatch | None:
        found = find_alarm(value, shape) if self._all_alarms < _MAX_ALL_ALARMS else None
        self._all_alarms += found is not None
        return found

    def _is_absent(self, value: Any) -> bool:
        """Return whether an empty value may mean an absent field."""
        return value in (None, "") and not self.is_required_here()

    def raise_alarm(self, rule: str, message: str, offset: int, path: str | None = None) -> None:
        """Raise an alarm about the current value or another one, once per rule and path."""
        if self.stack[0].shape is not self._shape.empty:
            self._add_alarm(Fault(rule, self.path_here() if path is None else path, message, offset))

    def _add_alarm(self, alarm: Fault) -> None:
        if len(self._alarms) < _MAX_ALARMS and (alarm.rule, alarm.path) not in self._alarmed:
            self._alarmed.add((alarm.rule, alarm.path))
            self._alarms.append(alarm)


def _with_branches(value: Any, shape: Shape) -> Shape:
    """Return a shape with its branches, unless a value that an `if` tests is not known yet."""
    is_open = isinstance(value, dict) and any("if" in one for one in shape.conditional)
    return shape if is_open and not _switches(shape) <= value.keys() else shape.with_conditions(value)


@lru_cache(500)
def _switches(shape: Shape) -> frozenset[str]:
    """Return the names of the single values that choose between branches."""
    inner = shape.properties
    return frozenset(name for name in shape.discriminators if not inner.get(name, shape.empty).kinds & _CONTAINERS)
