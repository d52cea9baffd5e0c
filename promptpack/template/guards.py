"""Jinja's filters, methods and functions with their work counted; what would be too large is refused beforehand."""

from collections.abc import Callable, Mapping, Sized
from functools import wraps
from types import MappingProxyType
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.filters import make_attrgetter
from jinja2.utils import pass_environment

from promptpack.template.limits import LimitError, current, fits_items, fits_text, measure, step, take
from promptpack.template.values import to_text

_PRECISE: Final = 100


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Count the work of a filter or test by the size of what it is given."""

    @wraps(function)
    def counting(*values: Any, **options: Any) -> Any:
        for value in values:
            if isinstance(value, (dict, list, tuple, str)):
                measure(value)
            elif isinstance(value, range):
                fits_items(len(value))
        step()
        return function(*values, **options)

    return counting


def limited_range(*bounds: Any) -> range:
    """Count from one number to another."""
    numbers = range(*bounds)
    # The length of a huge range does not fit into a machine word, so its size is worked out from its ends.
    length = max(0, (numbers.stop - numbers.start + numbers.step - (1 if numbers.step > 0 else -1)) // numbers.step)
    if length > current().items:
        raise LimitError("range", f"a range is longer than {current().items:,}")
    return numbers


def _narrow(name: str, number: Any, most: int) -> None:
    if isinstance(number, int) and not -most <= number <= most:
        raise LimitError("format", f"{name} must be between -{most:,} and {most:,}")


def _center(original: Callable[..., Any]) -> Callable[..., Any]:
    def center(value: Any, width: int = 80) -> Any:
        fits_text(width if isinstance(width, int) else 0)
        return original(to_text(value), width)

    return center


def _indent(original: Callable[..., Any]) -> Callable[..., Any]:
    def indent(s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> Any:
        text = to_text(s)
        unit = width if isinstance(width, int) else len(width)
        fits_text(len(text) + (text.count("\n") + 1) * max(unit, 0))
        return original(text, width, first, blank)

    return indent


def _join(original: Callable[..., Any]) -> Callable[..., Any]:
    @pass_environment
    def join(environment: Any, value: Any, d: Any = "", attribute: Any = None) -> str:
        items = take(value)
        if attribute is not None:
            items = [make_attrgetter(environment, attribute)(item) for item in items]
        texts = [to_text(item) for item in items]
        separator = to_text(d)
        fits_text(sum(len(text) for text in texts) + len(separator) * max(len(texts) - 1, 0))
        return separator.join(texts)

    join.__doc__ = original.__doc__
    return join


def _replace(original: Callable[..., Any]) -> Callable[..., Any]:
    def replace(s: Any, old: Any, new: Any, count: int | None = None) -> str:
        text = to_text(s)
        _fits_replacement(text, to_text(old), to_text(new))
        return text.replace(to_text(old), to_text(new), -1 if count is None else count)

    replace.__doc__ = original.__doc__
    return replace


def _fits_replacement(text: str, old: str, new: str) -> None:
    places = text.count(old) if old else len(text) + 1
    fits_text(len(text) + places * max(len(new) - len(old), 0))


def _batch(_: Callable[..., Any]) -> Callable[..., Any]:
    def batch(value: Any, linecount: int, fill_with: Any = None) -> list[list[Any]]:
        items = take(value)
        _at_least_one("linecount", linecount)
        rows = [items[start : start + linecount] for start in range(0, len(items), linecount)]
        if rows and fill_with is not None:
            fits_items(linecount)
            rows[-1] += [fill_with] * (linecount - len(rows[-1]))
        return rows

    return batch


def _slice(_: Callable[..., Any]) -> Callable[..., Any]:
    def sliced(value: Any, slices: int, fill_with: Any = None) -> list[list[Any]]:
        items = take(value)
        _at_least_one("slices", slices)
        fits_items(slices)
        size, longer = divmod(len(items), slices)
        columns: list[list[Any]] = []
        for number in range(slices):
            start = number * size + min(number, longer)
            column = items[start : start + size + (number < longer)]
            columns.append([*column, fill_with] if fill_with is not None and number >= longer else column)
        return columns

    return sliced


def _at_least_one(name: str, number: Any) -> None:
    if not isinstance(number, int) or number < 1:
        raise TemplateRuntimeError(f"{name} must be at least 1")


def _sum(_: Callable[..., Any]) -> Callable[..., Any]:
    @pass_environment
    def total(environment: Any, iterable: Any, attribute: Any = None, start: Any = 0) -> Any:
        items = take(iterable)
        if attribute is not None:
            items = [make_attrgetter(environment, attribute)(item) for item in items]
        if not all(isinstance(item, (int, float)) for item in [*items, start]):
            raise TemplateRuntimeError("sum adds numbers only")
        return sum(items, start)

    return total


def _list(_: Callable[..., Any]) -> Callable[..., Any]:
    return take


def _round(original: Callable[..., Any]) -> Callable[..., Any]:
    def rounded(value: Any, precision: int = 0, method: Any = "common") -> Any:
        _narrow("precision", precision, _PRECISE)
        return original(value, precision, method)

    return rounded


def _wordwrap(original: Callable[..., Any]) -> Callable[..., Any]:
    @pass_environment
    def wordwrap(environment: Any, s: Any, width: int = 79, *options: Any, **named: Any) -> Any:
        _at_least_one("width", width)
        return original(environment, to_text(s), width, *options, **named)

    return wordwrap


GUARDED: Final[Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = MappingProxyType(
    {
        "batch": _batch,
        "center": _center,
        "indent": _indent,
        "join": _join,
        "list": _list,
        "replace": _replace,
        "round": _round,
        "slice": _slice,
        "sum": _sum,
        "wordwrap": _wordwrap,
    }
)


def check_method(owner: Any, name: str, values: tuple[Any, ...]) -> None:
    """Count the work of a method, and refuse a result that would be too large."""
    measure(owner)
    for value in values:
        if isinstance(value, (dict, list, tuple, str)):
            measure(value)
    if not isinstance(owner, str):
        return
    if name == "join" and values and isinstance(values[0], Sized):
        items = [item for item in values[0] if isinstance(item, str)] if isinstance(values[0], (list, tuple)) else []
        fits_text(sum(map(len, items)) + len(owner) * len(values[0]))
    elif name == "replace" and len(values) > 1 and isinstance(values[0], str) and isinstance(values[1], str):
        _fits_replacement(owner, values[0], values[1])
    elif name in ("split", "rsplit", "splitlines"):
        fits_items(len(owner) // 8)
