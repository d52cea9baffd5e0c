"""The operators that can make large values, each refused before it does."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Undefined

from promptpack.characters import is_encodable
from promptpack.template.meter import LimitError, fits_bits, fits_items, fits_text, measure
from promptpack.template.values import to_text

# Compiled on first use, since few templates format with `%`.
_WIDTH: Final = r"%(?:\([^)]*\))?[#0\- +]*(\*|\d{4,})|%(?:\([^)]*\))?[#0\- +]*\d*\.(\*|\d{4,})"

_WIDEST: Final = 1_000
# More digits than any number that is left has: those that are worked out are limited in bits.
_LONGEST_NUMBER: Final = 5_000
_CONTAINMENT: Final = ("in", "notin")
# What takes no work worth counting to compare.
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
    """Compare two values whose size is not known beforehand."""
    if type(left) not in _SMALL:
        measure(left)
    if type(right) not in _SMALL and (name not in _CONTAINMENT or not isinstance(right, dict)):
        measure(right)  # but a mapping is looked up by the key
    return COMPARISONS[name](left, right)


def add(left: Any, right: Any) -> Any:
    """Join texts or lists, or add numbers."""
    if isinstance(left, str) and isinstance(right, str):
        fits_text(len(left) + len(right))
    elif isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        fits_items(measure(left) + measure(right))
    return left + right


def multiply(left: Any, right: Any) -> Any:
    """Repeat a text or a list, or multiply numbers."""
    for values, times in ((left, right), (right, left)):
        if isinstance(times, int):
            if isinstance(values, str):
                fits_text(len(values) * max(times, 0))
            elif isinstance(values, (list, tuple)):
                fits_items(measure(values) * max(times, 0))
    if isinstance(left, int) and isinstance(right, int):
        fits_bits(left.bit_length() + right.bit_length())
    return left * right


def power(left: Any, right: Any) -> Any:
    """Raise a number to a power."""
    if isinstance(left, int) and isinstance(right, int) and right > 0:
        fits_bits(left.bit_length() * right)
    return left**right


def modulo(left: Any, right: Any) -> Any:
    """Take the rest of a division, or fill in a text."""
    return _fill_in(left, right) if isinstance(left, str) else left % right


def _fill_in(text: str, right: Any) -> str:
    if re.search(_WIDTH, text):
        raise LimitError("format", "the width of a format has more than three digits")
    measure(right)
    values: Any
    if isinstance(right, dict) and "%(" in text:
        values = {key: _printable(value) for key, value in right.items()}
    else:
        values = tuple(_printable(value) for value in (right if isinstance(right, tuple) else (right,)))
    parts = values.values() if isinstance(values, dict) else values
    longest = max((len(part) if isinstance(part, str) else _LONGEST_NUMBER for part in parts), default=0)
    fits_text(len(text) + text.count("%") * (longest * 4 + _WIDEST))
    made: str = text % values
    if not is_encodable(made):
        raise TemplateRuntimeError("a format makes half of a surrogate pair")
    return made


def _printable(value: Any) -> Any:
    """Keep numbers for their formats; everything else is what a template would print."""
    return value if type(value) in (int, float, str) else to_text(value)


def concatenate(values: Sequence[Any]) -> str:
    """Join values as text, as `~` does."""
    texts = [str(value) if isinstance(value, Undefined) else to_text(value) for value in values]
    fits_text(sum(len(text) for text in texts))
    return "".join(texts)


def cut(value: Any, start: Any, stop: Any, stride: Any) -> Any:
    """Cut a piece out of a text or a list."""
    measure(value)
    return value[start:stop:stride]


def made(value: Any) -> Any:
    """Refuse a list or mapping that a template builds of parts that are too large together."""
    measure(value)
    return value


OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {"+": add, "*": multiply, "**": power, "%": modulo}
)
