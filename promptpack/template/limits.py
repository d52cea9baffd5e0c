"""What a template may use up: steps, output, the size of a value; counted, so it holds on every platform."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError

# Work on text is counted by the piece, since a machine copies that many characters in the time of one step.
_CHARACTERS_A_STEP: Final = 64


@dataclass(frozen=True, slots=True)
class Limits:
    """No honest pack comes near these; an application may set others, a pack may not."""

    steps: int = 500_000
    output: int = 4_000_000
    text: int = 4_000_000
    items: int = 200_000
    bits: int = 4_096
    source: int = 200_000
    tokens: int = 10_000


class LimitError(TemplateRuntimeError):
    """A template used up one of its limits; `limit` is which."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


class Meter:
    """What is left of the limits in one render."""

    __slots__ = ("limits", "output", "steps")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.steps = limits.steps
        self.output = limits.output

    def step(self, steps: int) -> None:
        """Use up steps."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitError("steps", f"template takes more than {self.limits.steps:,} steps")

    def write(self, characters: int) -> None:
        """Use up output."""
        self.output -= characters
        if self.output < 0:
            raise LimitError("output", f"template writes more than {self.limits.output:,} characters")


_METER: ContextVar[Meter | None] = ContextVar("promptpack_meter", default=None)
_UNMETERED: Final = Limits()


@contextmanager
def metered(limits: Limits) -> Iterator[None]:
    """Count against the limits inside; a render that is part of another counts against the outer one."""
    if _METER.get() is not None:
        yield
        return
    token = _METER.set(Meter(limits))
    try:
        yield
    finally:
        _METER.reset(token)


def step(steps: int = 1) -> None:
    """Use up steps of the render that is going on."""
    meter = _METER.get()
    if meter is not None:
        meter.step(steps)


def enter(steps: int, characters: int) -> None:
    """Count one pass through a loop, macro or block, and the plain text in it."""
    meter = _METER.get()
    if meter is not None:
        meter.step(steps)
        if characters:
            meter.write(characters)


def written(text: str) -> str:
    """Count text that a template prints."""
    meter = _METER.get()
    if meter is not None:
        meter.write(len(text))
    return text


def current() -> Limits:
    """Give the limits that are in force."""
    meter = _METER.get()
    return _UNMETERED if meter is None else meter.limits


def fits_text(characters: int) -> None:
    """Refuse a text before it is made, and count the work of making it."""
    if characters > current().text:
        raise LimitError("value", f"a text is longer than {current().text:,} characters")
    step(characters // _CHARACTERS_A_STEP)


def fits_items(count: int) -> None:
    """Refuse a list before it is made, and count the work of making it."""
    if count > current().items:
        raise LimitError("value", f"a list is longer than {current().items:,} items")
    step(count)


def fits_bits(bits: float) -> None:
    """Refuse a whole number before it is worked out."""
    if bits > current().bits:
        raise LimitError("number", f"a number has more than {current().bits:,} bits")


def measure(value: Any) -> int:
    """Count the values inside of a value as a tree, and refuse one that is too large; the work is counted."""
    if not isinstance(value, (dict, list, tuple)):
        if isinstance(value, str):
            step(len(value) // _CHARACTERS_A_STEP)
        elif isinstance(value, range):
            fits_items(len(value))
        return 1
    limit = current().items
    count = 0
    level: list[Any] = [value]
    while level:
        count += len(level)
        if count > limit:
            raise LimitError("value", f"a value holds more than {limit:,} others")
        level = [
            child
            for node in level
            if isinstance(node, (dict, list, tuple))
            for child in (node.values() if isinstance(node, dict) else node)
        ]
    step(count)
    return count


def take(values: Iterable[Any]) -> list[Any]:
    """Make a list of a lazy value."""
    limit = current().items
    items = list(islice(values, limit + 1))
    fits_items(len(items))
    return items
