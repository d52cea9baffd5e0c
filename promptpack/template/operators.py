"""The operators that can produce large values; each checks the limits first."""

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from jinja2.runtime import Undefined

from promptpack.template.formatting import interpolate
from promptpack.template.meter import CHARACTERS_A_STEP, check_bits, check_items, check_text, current_meter, measure
from promptpack.template.values import to_text

_CONTAINMENT: Final = ("in", "notin")
# Types that are cheap to compare.
_SMALL: Final = frozenset((int, float, bool, type(None)))

COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "eq": operator.eq,
        "ne": operator.ne,
        "gt": operator.gt,
        "gteq": operator.ge,
        "lt": operator.lt,
        "lteq": operator.le,
        "in": lambda item, values: item in values,
        "notin": lambda item, values: item not in values,
    }
)


def compare(name: str, left: Any, right: Any) -> bool:
    """Compare two values of unknown size; the work is counted."""
    kind, meter = type(left), current_meter()
    if kind not in _SMALL and (kind is not str or len(left) >= CHARACTERS_A_STEP):
        meter.measure(left)
    if type(right) not in _SMALL and (name not in _CONTAINMENT or not isinstance(right, dict)):
        meter.measure(right)  # except a mapping, where `in` is one lookup
    return COMPARISONS[name](left, right)


def add(left: Any, right: Any) -> Any:
    """Join texts or lists, or add numbers."""
    if isinstance(left, str) and isinstance(right, str):
        check_text(len(left) + len(right))
    elif isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        meter = current_meter()
        meter.check_items(meter.measure(left) + meter.measure(right))
    return left + right


def multiply(left: Any, right: Any) -> Any:
    """Repeat a text or a list, or multiply numbers."""
    for values, times in ((left, right), (right, left)):
        if isinstance(times, int):
            if isinstance(values, str):
                check_text(len(values) * max(times, 0))
            elif isinstance(values, (list, tuple)):
                check_items(measure(values) * max(times, 0))
    if isinstance(left, int) and isinstance(right, int):
        check_bits(left.bit_length() + right.bit_length())
    return left * right


def power(left: Any, right: Any) -> Any:
    """Raise a number to a power."""
    if isinstance(left, int) and isinstance(right, int) and right > 0:
        check_bits(left.bit_length() * right)
    return left**right


def modulo(left: Any, right: Any) -> Any:
    """Compute the remainder of a division, or format a text."""
    return interpolate(left, right) if isinstance(left, str) else left % right


def concatenate(values: Sequence[Any]) -> str:
    """Join values as text, as `~` does."""
    texts = [str(value) if isinstance(value, Undefined) else to_text(value) for value in values]
    check_text(sum(len(text) for text in texts))
    return "".join(texts)


def slice_value(value: Any, start: Any, stop: Any, stride: Any) -> Any:
    """Slice a text or a list; the work is counted."""
    measure(value)
    return value[start:stop:stride]


def check_size(value: Any) -> Any:
    """Return a list or mapping that a template builds, unless it is too large."""
    measure(value)
    return value


OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {"+": add, "*": multiply, "**": power, "%": modulo}
)
