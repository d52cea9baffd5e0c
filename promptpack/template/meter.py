"""The meter of a render: counts steps, output and the size of values, so that limits hold on every platform.

Iterations of loops, and calls of macros and blocks, count as many steps as the work in them.
"""

from collections.abc import Collection, Iterable, Iterator, Sized
from contextvars import ContextVar, Token
from itertools import islice
from typing import Any, Final, NoReturn

from jinja2 import nodes
from jinja2.exceptions import TemplateRuntimeError

from promptpack.template.model import DEFAULT_INDENT, Limits
from promptpack.template.tree import children

CHARACTERS_A_STEP: Final = 64
"""The characters that a machine copies in the time of one step."""
_STEPS_A_NODE: Final = 3
_VALUES_A_STEP: Final = 4
_SIMPLE: Final = frozenset((str, int, float, bool, type(None)))
_UNMETERED_STEPS: Final = 1 << 62
STEPS_OF_A_CALL: Final = 25
"""Entering a template, macro or block takes as long as this many iterations of a loop."""
_CALLED: Final = (nodes.Template, nodes.Macro, nodes.CallBlock, nodes.Block)
_COUNTED: Final = (nodes.For, *_CALLED)
# Fields of a loop or macro that are computed before its body is entered.
_OUTSIDE: Final = ("iter", "else_", "call", "defaults")
# Nodes that take longer than a lookup or an operator, in quarters of a step.
_QUARTERS: Final[dict[type[nodes.Node], int]] = {
    nodes.For: 16,
    nodes.Macro: 16,
    nodes.CallBlock: 16,
    nodes.Block: 16,
    nodes.Call: 8,
    nodes.Include: 40,
    nodes.Import: 40,
    nodes.FromImport: 40,
    nodes.FilterBlock: 8,
    nodes.AssignBlock: 8,
    nodes.With: 4,
    nodes.Filter: 4,
    nodes.Test: 4,
}


class LimitError(TemplateRuntimeError):
    """A template exceeds one of its limits; `limit` names it."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


class Meter:
    """The steps and the output that one render may still use."""

    __slots__ = ("json_indent", "limits", "output", "steps", "validated")

    def __init__(
        self,
        limits: Limits,
        validated: Collection[int] = (),
        steps: int | None = None,
        json_indent: int | None = DEFAULT_INDENT,
    ) -> None:
        self.limits: Limits = limits
        self.json_indent: int | None = json_indent
        # The ids of mappings and lists that were validated before the render began.
        self.validated: Collection[int] = validated
        self.steps: int = limits.steps if steps is None else steps
        self.output: int = limits.output

    def step(self, steps: int) -> None:
        """Use steps."""
        self.steps -= steps
        if self.steps < 0:
            self.refuse_steps()

    def iterations(self, values: Any, steps: int) -> Any:
        """Count the iterations of a loop: all of them first if their number is known, else one by one."""
        if type(values) is list or isinstance(values, Sized):
            self.step(len(values) * steps)
            return values
        return self._counted_iterations(values, steps)

    def _counted_iterations(self, values: Iterable[Any], steps: int) -> Iterator[Any]:
        for value in values:
            self.step(steps)
            yield value

    def refuse_steps(self) -> NoReturn:
        """Stop a template that has used all steps."""
        raise LimitError("steps", f"template takes more than {self.limits.steps:,} steps")

    def write(self, text: str) -> str:
        """Count a text as output, and return it."""
        self.output -= len(text)
        if self.output < 0:
            self.refuse_output()
        return text

    def refuse_output(self) -> NoReturn:
        """Stop a template that has written too much."""
        raise LimitError("output", f"template writes more than {self.limits.output:,} characters")

    def check_text(self, characters: int) -> None:
        """Refuse a text before it is built, and count the work of building it."""
        if characters > self.limits.text:
            raise LimitError("value", f"a text is longer than {self.limits.text:,} characters")
        if characters >= CHARACTERS_A_STEP:
            self.step(characters // CHARACTERS_A_STEP)

    def check_items(self, count: int) -> None:
        """Refuse a list before it is built, and count the work of building it."""
        if count > self.limits.items:
            self._refuse_items()
        self.step(count)

    def _refuse_items(self) -> NoReturn:
        raise LimitError("value", f"a list is longer than {self.limits.items:,} items")

    def collect(self, values: Iterable[Any], steps_an_item: int = 0) -> list[Any]:
        """Return a list unchanged, and the items of a lazy value as a list; the work for each item is counted."""
        limit = self.limits.items
        items = values if type(values) is list else list(islice(values, limit + 1))
        if len(items) > limit:
            self._refuse_items()
        self.steps -= steps_an_item * len(items)
        if self.steps < 0:
            self.refuse_steps()
        return items

    def measure(self, value: Any) -> int:
        """Count the values in a value as a tree, and refuse one that is too large; the work is counted."""
        if not isinstance(value, (dict, list, tuple)):
            if isinstance(value, str):
                self.step(len(value) // CHARACTERS_A_STEP)
            elif isinstance(value, range):
                self.check_items(len(value))
            return 1
        limit = self.limits.items
        count = 1
        containers: list[Any] = [value]
        for node in containers:
            count += len(node)
            if count > limit:
                raise LimitError("value", f"a value contains more than {limit:,} values")
            items = node.values() if isinstance(node, dict) else node
            if _SIMPLE.issuperset(map(type, items)):
                continue
            for child in items:
                kind = type(child)
                if kind is dict or kind is list or (kind not in _SIMPLE and isinstance(child, (dict, list, tuple))):
                    containers.append(child)
        # A list or mapping takes as long as a dozen plain values.
        self.step(_STEPS_A_NODE * len(containers) + count // _VALUES_A_STEP)
        return count

    def cost(self, values: Iterable[Any], deep: bool) -> int:
        """Return the steps of a call by its arguments: everything in them, or only their own items."""
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
                steps += 0 if deep and self.measure(value) else len(value)
            elif kind is range:
                self.check_items(len(value))
        return steps


_METER: ContextVar[Meter | None] = ContextVar("promptpack_meter", default=None)
_DEFAULT_LIMITS: Final = Limits()


def meter() -> Meter | None:
    """Return the meter of the current render; templates always run inside one."""
    return _METER.get()


def current_meter() -> Meter:
    """Return the meter of the current render; outside a render, a meter that only limits the size of values."""
    return _METER.get() or Meter(_DEFAULT_LIMITS, steps=_UNMETERED_STEPS)


class metered:  # noqa: N801 -- used like a function
    """Count against the limits within the block; a nested render counts against the outer meter."""

    __slots__ = ("_json_indent", "_limits", "_token", "_validated")

    def __init__(
        self, limits: Limits, validated: Collection[int] = (), json_indent: int | None = DEFAULT_INDENT
    ) -> None:
        self._limits = limits
        self._json_indent = json_indent
        self._validated = validated
        self._token: Token[Meter | None] | None = None

    def __enter__(self) -> None:
        if _METER.get() is None:
            self._token = _METER.set(Meter(self._limits, self._validated, None, self._json_indent))

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _METER.reset(self._token)


def step(steps: int = 1) -> None:
    """Use steps of the current render."""
    meter = _METER.get()
    if meter is not None:
        meter.step(steps)


def collect_import(pieces: Iterable[str]) -> list[str]:
    """Collect the output of an imported template: within the limit, but not counted, because it is not written yet."""
    meter = _METER.get()
    before = meter.output if meter is not None else 0
    gathered = list(pieces)
    if meter is not None:
        meter.output = before
    return gathered


def current_limits() -> Limits:
    """Return the limits of the current render."""
    return current_meter().limits


def check_text(characters: int) -> None:
    """Refuse a text before it is built, and count the work of building it."""
    current_meter().check_text(characters)


def check_items(count: int) -> None:
    """Refuse a list before it is built, and count the work of building it."""
    current_meter().check_items(count)


def check_bits(bits: float) -> None:
    """Refuse a whole number before it is computed."""
    if bits > current_limits().bits:
        raise LimitError("number", f"a number has more than {current_limits().bits:,} bits")


def measure(value: Any) -> int:
    """Count the values in a value as a tree, and refuse one that is too large; the work is counted."""
    return current_meter().measure(value)


def to_list(values: Iterable[Any]) -> list[Any]:
    """Return the items of a value as a list."""
    return current_meter().collect(values, 1)


def insert_step_counts(tree: Iterable[nodes.Node]) -> None:
    """Insert a count of steps into the template and each of its macros and blocks; loops count their iterations."""
    for node in tree:
        if isinstance(node, _CALLED):
            body: list[nodes.Node] = node.body
            steps = nodes.Const(steps_per_call(node))
            position = 1 if body and isinstance(body[0], nodes.Extends) else 0
            body.insert(position, nodes.ExprStmt(steps, lineno=node.lineno))


def steps_per_call(node: nodes.Node) -> int:
    """Return the steps of running a template, macro or block once; loops in it count their own."""
    return STEPS_OF_A_CALL + _quarters(node) // 4


def steps_per_iteration(loop: nodes.For) -> int:
    """Return the steps of one iteration of a loop; inner loops count their own."""
    return 1 + _quarters(loop) // 4


def _quarters(node: nodes.Node) -> int:
    """Return the work of running a body once, in quarters of a step."""
    pending = _inside(node)
    total = 0
    while pending:
        inner = pending.pop()
        total += _QUARTERS.get(type(inner), 1)
        pending += _outside(inner) if isinstance(inner, _COUNTED) else children(inner)
    return total


def _inside(node: nodes.Node) -> list[nodes.Node]:
    return [child for name in node.fields if name not in _OUTSIDE for child in children(node, name)]


def _outside(node: nodes.Node) -> list[nodes.Node]:
    return [child for name in node.fields if name in _OUTSIDE for child in children(node, name)]
