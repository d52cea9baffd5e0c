"""What a template may use up: steps, output, the size of a value; counted, so it holds on every platform."""

from collections.abc import Collection, Iterable, Iterator, Sized
from contextvars import ContextVar, Token
from itertools import islice
from typing import Any, Final, NoReturn

from jinja2.exceptions import TemplateRuntimeError

from promptpack.template.limits import Limits

# Work on text is counted by the piece, since a machine copies that many characters in the time of one step.
CHARACTERS_A_STEP: Final = 64
_STEPS_A_NODE: Final = 3
_VALUES_A_STEP: Final = 4


class LimitError(TemplateRuntimeError):
    """A template used up one of its limits; `limit` is which."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


class Meter:
    """What is left of the limits in one render."""

    __slots__ = ("limits", "output", "steps", "validated")

    def __init__(self, limits: Limits, validated: Collection[int] = ()) -> None:
        self.limits = limits
        # The ids of mappings and lists that were looked through before the render began.
        self.validated = validated
        self.steps = limits.steps
        self.output = limits.output

    def step(self, steps: int) -> None:
        """Use up steps."""
        self.steps -= steps
        if self.steps < 0:
            self.refuse_steps()

    def passes(self, values: Any, steps: int) -> Any:
        """Count the passes of a loop: all at once where their number is known, else one by one."""
        if type(values) is list or isinstance(values, Sized):
            self.steps -= len(values) * steps
            if self.steps < 0:
                self.refuse_steps()
            return values
        return self._counted_passes(values, steps)

    def _counted_passes(self, values: Iterable[Any], steps: int) -> Iterator[Any]:
        for value in values:
            self.step(steps)
            yield value

    def refuse_steps(self) -> NoReturn:
        """Stop a template that has no steps left."""
        raise LimitError("steps", f"template takes more than {self.limits.steps:,} steps")

    def write(self, text: str) -> str:
        """Count a text as output, and give it."""
        self.output -= len(text)
        if self.output < 0:
            self.refuse_output()
        return text

    def refuse_output(self) -> NoReturn:
        """Stop a template that has written all it may."""
        raise LimitError("output", f"template writes more than {self.limits.output:,} characters")


_METER: ContextVar[Meter | None] = ContextVar("promptpack_meter", default=None)
_UNMETERED: Final = Limits()
_SIMPLE: Final = frozenset((str, int, float, bool, type(None)))


def meter() -> Meter | None:
    """Give the meter of the render that is going on; templates run inside of one always."""
    return _METER.get()


class metered:  # noqa: N801 -- used as a function is
    """Count against the limits inside; a render that is part of another counts against the outer one."""

    __slots__ = ("_limits", "_token", "_validated")

    def __init__(self, limits: Limits, validated: Collection[int] = ()) -> None:
        self._limits = limits
        self._validated = validated
        self._token: Token[Meter | None] | None = None

    def __enter__(self) -> None:
        if _METER.get() is None:
            self._token = _METER.set(Meter(self._limits, self._validated))

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _METER.reset(self._token)


def step(steps: int = 1) -> None:
    """Use up steps of the render that is going on."""
    meter = _METER.get()
    if meter is not None:
        meter.steps -= steps
        if meter.steps < 0:
            meter.refuse_steps()


def keep_aside(pieces: Iterable[str]) -> list[str]:
    """Take what an imported template writes: as much as may be written, but nothing is written yet."""
    meter = _METER.get()
    before = meter.output if meter is not None else 0
    gathered = list(pieces)
    if meter is not None:
        meter.output = before
    return gathered


def current() -> Limits:
    """Give the limits that are in force."""
    meter = _METER.get()
    return _UNMETERED if meter is None else meter.limits


def is_validated(value: Any) -> bool:
    """Say whether a mapping or list was looked through before the render began."""
    meter = _METER.get()
    return meter is not None and id(value) in meter.validated


def fits_text(characters: int) -> None:
    """Refuse a text before it is made, and count the work of making it."""
    most = current().text
    if characters > most:
        raise LimitError("value", f"a text is longer than {most:,} characters")
    if characters >= CHARACTERS_A_STEP:
        step(characters // CHARACTERS_A_STEP)


def fits_items(count: int) -> None:
    """Refuse a list before it is made, and count the work of making it."""
    most = current().items
    if count > most:
        raise LimitError("value", f"a list is longer than {most:,} items")
    step(count)


def fits_count(count: int) -> None:
    """Refuse a value that holds too many others."""
    if count > current().items:
        raise LimitError("value", f"a value holds more than {current().items:,} others")


def fits_bits(bits: float) -> None:
    """Refuse a whole number before it is worked out."""
    if bits > current().bits:
        raise LimitError("number", f"a number has more than {current().bits:,} bits")


def measure(value: Any) -> int:
    """Count the values inside of a value as a tree, and refuse one that is too large; the work is counted."""
    if not isinstance(value, (dict, list, tuple)):
        if isinstance(value, str):
            step(len(value) // CHARACTERS_A_STEP)
        elif isinstance(value, range):
            fits_items(len(value))
        return 1
    limit = current().items
    count = 1
    nodes: list[Any] = [value]
    for node in nodes:
        count += len(node)
        if count > limit:
            fits_count(count)
        for child in node.values() if isinstance(node, dict) else node:
            kind = type(child)
            if kind is dict or kind is list or (kind not in _SIMPLE and isinstance(child, (dict, list, tuple))):
                nodes.append(child)
    # To look into a list or mapping takes as long as to pass over a dozen plain values.
    step(_STEPS_A_NODE * len(nodes) + count // _VALUES_A_STEP)
    return count


def charge(values: Iterable[Any], deep: bool) -> None:
    """Count the work of a call by what it is given: all that is inside of the values, or only their own items."""
    steps = 1
    for value in values:
        kind = type(value)
        if kind is str:
            steps += len(value) // CHARACTERS_A_STEP
        elif kind is list and not deep:
            steps += len(value)
        elif kind in _SIMPLE:
            continue
        elif isinstance(value, (dict, list, tuple)):
            steps += 0 if deep and measure(value) else len(value)
        elif kind is range:
            fits_items(len(value))
    step(steps)


def take(values: Iterable[Any]) -> list[Any]:
    """Make a list of a lazy value."""
    items = list(values if type(values) is list else islice(values, current().items + 1))
    fits_items(len(items))
    return items
