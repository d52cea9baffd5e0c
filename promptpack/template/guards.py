"""Jinja's filters, methods and functions with their work counted; what would be too large is refused beforehand."""

from collections.abc import Callable, Mapping
from functools import wraps
from itertools import filterfalse
from types import MappingProxyType
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.filters import make_attrgetter
from jinja2.utils import pass_context, pass_environment

from promptpack.template.meter import (
    CHARACTERS_A_STEP,
    LimitError,
    current,
    current_meter,
    fits_items,
    fits_text,
    measure,
    step,
    take,
)
from promptpack.template.text_filters import TEXT_GUARDS, at_least_one, fits_replacement

_PRECISE: Final = 100
# Filters that look at every item, and how many steps that takes.
_STEPS_AN_ITEM: Final[Mapping[str, int]] = MappingProxyType(
    {
        "groupby": 8,
        "map": 4,
        "max": 4,
        "min": 4,
        "reject": 4,
        "rejectattr": 8,
        "select": 4,
        "selectattr": 8,
        "sort": 4,
        "unique": 4,
    }
)
_STEPS_OF_SORTING_A_KEY: Final = 8
# Filters that look at every letter one by one, and how many of them they look at in a step.
_CHARACTERS_A_STEP: Final[Mapping[str, int]] = MappingProxyType(
    {"indent": 16, "int": 16, "title": 2, "wordcount": 3, "wordwrap": 1}
)
# Filters that compare items, or the attributes of them, letter by letter.
_COMPARING: Final = frozenset({"dictsort", "groupby", "max", "min", "sort", "unique"})
_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_DICT: Final = frozenset((dict,))
_STR: Final = frozenset((str,))
_MEASURED: Final = (dict, list, tuple, str, range)


def counted(function: Callable[..., Any], name: str = "", deep: bool = True) -> Callable[..., Any]:
    """Count the work of a filter, test or function by the size of its arguments, and of the text it returns."""
    steps_an_item = _STEPS_AN_ITEM.get(name)
    characters_a_step = _CHARACTERS_A_STEP.get(name)
    is_comparing = name in _COMPARING
    # Jinja passes the environment or the context to some before the value itself.
    first = 1 if hasattr(function, "jinja_pass_arg") else 0

    @wraps(function)
    def counting(*values: Any, **options: Any) -> Any:
        meter = current_meter()
        meter.charge(values[first:], deep)
        if options:
            meter.charge(options.values(), deep)
        if is_comparing and len(values) > first:
            meter.step(_letters(values[first]) // CHARACTERS_A_STEP)
        if steps_an_item and len(values) > first:
            items = meter.take(values[first])
            meter.step(len(items) * steps_an_item)
            values = (*values[:first], items, *values[first + 1 :])
        if characters_a_step and values and type(values[0]) is str:
            meter.step(len(values[0]) // characters_a_step)
        result = function(*values, **options)
        if type(result) is str:
            fits_text(len(result))
        return result

    return counting


def _letters(value: Any) -> int:
    """Count the letters of all texts inside of a value, which was measured before."""
    count = 0
    waiting = [value]
    for found in waiting:
        if type(found) is str:
            count += len(found)
        elif isinstance(found, (dict, list, tuple)):
            waiting.extend((*found, *found.values()) if isinstance(found, dict) else found)
    return count


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


def _batch(_: Callable[..., Any]) -> Callable[..., Any]:
    def batch(value: Any, linecount: int, fill_with: Any = None) -> list[list[Any]]:
        items = take(value)
        at_least_one("linecount", linecount)
        rows = [items[start : start + linecount] for start in range(0, len(items), linecount)]
        if rows and fill_with is not None:
            fits_items(linecount)
            rows[-1] += [fill_with] * (linecount - len(rows[-1]))
        return rows

    return batch


def _slice(_: Callable[..., Any]) -> Callable[..., Any]:
    def sliced(value: Any, slices: int, fill_with: Any = None) -> list[list[Any]]:
        items = take(value)
        at_least_one("slices", slices)
        fits_items(slices)
        size, longer = divmod(len(items), slices)
        columns: list[list[Any]] = []
        for number in range(slices):
            start = number * size + min(number, longer)
            column = items[start : start + size + (number < longer)]
            columns.append([*column, fill_with] if fill_with is not None and number >= longer else column)
        return columns

    return sliced


def _dictsort(original: Callable[..., Any]) -> Callable[..., Any]:
    def dictsort(value: Any, case_sensitive: bool = False, by: str = "key", reverse: bool = False) -> Any:
        if not isinstance(value, dict):
            raise TemplateRuntimeError("dictsort needs a mapping")
        step(_STEPS_OF_SORTING_A_KEY * len(value))
        return original(value, case_sensitive, by, reverse)

    return dictsort


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


def _sifted(keep: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make `select` or `reject`; texts that are looked for among texts are looked up, not compared one by one."""

    def guard(original: Callable[..., Any]) -> Callable[..., Any]:
        @pass_context
        def sift(context: Any, value: Any, *test: Any, **options: Any) -> Any:
            if len(test) != 2 or test[0] != "in" or options or not _are_texts(test[1]) or not _are_texts(value):
                return original(context, value, *test, **options)
            choose = filter if keep else filterfalse
            return choose(frozenset(test[1]).__contains__, value)

        return sift

    return guard


def _map(original: Callable[..., Any]) -> Callable[..., Any]:
    """Make `map`; a key that all mappings have is looked up at once."""

    @pass_context
    def mapped(context: Any, value: Any, *arguments: Any, **options: Any) -> Any:
        key = options.get("attribute")
        is_key = type(key) is str and "." not in key and not key.isdigit()
        if not is_key or arguments or len(options) != 1 or not _DICT.issuperset(map(type, value)):
            return original(context, value, *arguments, **options)
        try:
            return iter([item[key] for item in value])
        except KeyError:
            return original(context, value, *arguments, **options)

    return mapped


def _are_texts(value: Any) -> bool:
    return type(value) is list and _STR.issuperset(map(type, value))


def _list(_: Callable[..., Any]) -> Callable[..., Any]:
    return take


def _round(original: Callable[..., Any]) -> Callable[..., Any]:
    def rounded(value: Any, precision: int = 0, method: Any = "common") -> Any:
        _narrow("precision", precision, _PRECISE)
        return original(value, precision, method)

    return rounded


GUARDED: Final[Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = MappingProxyType(
    {
        **TEXT_GUARDS,
        "batch": _batch,
        "dictsort": _dictsort,
        "list": _list,
        "map": _map,
        "reject": _sifted(keep=False),
        "round": _round,
        "select": _sifted(keep=True),
        "slice": _slice,
        "sum": _sum,
    }
)


def check_method(owner: Any, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Count the work of a method, and refuse a result that would be too large; gives what it is to be called with."""
    if not isinstance(owner, dict):  # which is looked up by a key, or viewed
        measure(owner)
    for value in values:
        if isinstance(value, _MEASURED):
            measure(value)
    if not isinstance(owner, str):
        return values
    if name == "join" and len(values) == 1:
        items = take(values[0])
        fits_text(sum(len(item) for item in items if isinstance(item, str)) + len(owner) * len(items))
        return (items,)
    if name == "replace" and len(values) > 1 and isinstance(values[0], str) and isinstance(values[1], str):
        fits_replacement(owner, values[0], values[1])
    elif name in ("split", "rsplit"):
        separator = values[0] if values and isinstance(values[0], str) else ""
        pieces = owner.count(separator) if separator else len(owner.split(None, current().items))
        fits_items(pieces)
    elif name == "splitlines":
        fits_items(sum(map(owner.count, _LINE_ENDS)))
    return values
