"""Jinja's filters, methods and functions within the limits: work is counted, too large results are refused first."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from itertools import filterfalse
from types import MappingProxyType
from typing import Any, Final, NoReturn

from jinja2.exceptions import TemplateRuntimeError
from jinja2.filters import do_dictsort, do_map, do_reject, do_round, do_select, do_sort, ignore_case, make_attrgetter
from jinja2.utils import pass_context, pass_environment

from promptpack.schema.equality import number_key
from promptpack.template.filters import TEXT_FILTERS, check_replacement
from promptpack.template.formatting import format_filter
from promptpack.template.meter import (
    CHARACTERS_A_STEP,
    LimitError,
    check_items,
    check_text,
    current_limits,
    current_meter,
    measure,
    step,
    to_list,
)
from promptpack.template.runtime import FailError
from promptpack.template.values import to_text

_MAX_PRECISION: Final = 100
_LONGEST_MESSAGE: Final = 500
# The steps of an item in filters that count their own work.
_STEPS_OF_AN_ITEM: Final = 6
# Filters that process every item, and the steps for each.
_STEPS_AN_ITEM: Final[Mapping[str, int]] = MappingProxyType(
    {
        "groupby": 8,
        "max": 4,
        "min": 4,
        "rejectattr": 8,
        "selectattr": 8,
    }
)
# Filters that do nothing before their result is iterated over, and turn null, false and 0 into nothing.
_LAZY: Final = frozenset(("rejectattr", "selectattr"))
_STEPS_OF_SORTING_A_KEY: Final = 8
# Filters that process every character, and how many in one step.
_CHARACTERS_A_STEP: Final[Mapping[str, int]] = MappingProxyType(
    {"indent": 16, "int": 16, "title": 2, "wordcount": 3, "wordwrap": 1}
)
# Filters that compare items or their attributes character by character.
_COMPARING: Final = frozenset({"dictsort", "groupby", "max", "min"})
_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_PADDING: Final = ("center", "ljust", "rjust", "zfill")
_STR: Final = frozenset((str,))
_MEASURED: Final = (dict, list, tuple, str, range)


def meter_calls(function: Callable[..., Any], name: str = "", deep: bool = True) -> Callable[..., Any]:
    """Wrap a filter, test or function: count its work by the size of its arguments and of the text it returns."""
    steps_an_item = _STEPS_AN_ITEM.get(name, 0)
    characters_a_step = _CHARACTERS_A_STEP.get(name)
    is_comparing = name in _COMPARING
    # To some functions, Jinja passes the environment or the context before the value.
    first = 1 if hasattr(function, "jinja_pass_arg") else 0

    @wraps(function)
    def metered_call(*values: Any, **options: Any) -> Any:
        meter = current_meter()
        steps = meter.cost((*values[first:], *options.values()) if options else values[first:], deep)
        if steps_an_item and len(values) > first:
            items = meter.collect(values[first])
            steps += len(items) * (1 + steps_an_item)
            values = (*values[:first], items, *values[first + 1 :])
        if is_comparing and len(values) > first:
            steps += _count_characters(values[first]) // CHARACTERS_A_STEP
        if characters_a_step and values and type(values[0]) is str:
            steps += len(values[0]) // characters_a_step
        meter.step(steps)
        try:
            result = function(*values, **options)
        except AttributeError as error:
            # An argument does not have a method that the function calls.
            raise TypeError(f"{name or 'this'!r} cannot use one of its arguments") from error
        if type(result) is str:
            check_text(len(result))
        return result

    @wraps(function)
    def lazy_call(*values: Any, **options: Any) -> Any:
        if len(values) <= first or values[first]:
            yield from metered_call(*values, **options)

    return lazy_call if name in _LAZY else metered_call


def _count_characters(value: Any) -> int:
    """Count the characters of all texts in a value whose size was checked before."""
    if _is_text_list(value):
        return sum(map(len, value))
    count = 0
    pending = [value]
    for item in pending:
        if type(item) is str:
            count += len(item)
        elif isinstance(item, (dict, list, tuple)):
            pending.extend((*item, *item.values()) if isinstance(item, dict) else item)
    return count


def fail(message: Any) -> NoReturn:
    """Stop the render with a message, for values that the template cannot work with."""
    raise FailError(to_text(message)[:_LONGEST_MESSAGE])


def limited_range(*bounds: Any) -> range:
    """Return a range, unless it is too long."""
    numbers = range(*bounds)
    # `len` fails for a huge range, so the length is computed from its ends.
    length = max(0, (numbers.stop - numbers.start + numbers.step - (1 if numbers.step > 0 else -1)) // numbers.step)
    if length > current_limits().items:
        raise LimitError("range", f"a range is longer than {current_limits().items:,}")
    return numbers


def _batch(value: Any, linecount: int, fill_with: Any = None) -> list[list[Any]]:
    rows: list[list[Any]] = []
    row: list[Any] = []
    for item in to_list(value):
        if len(row) == linecount:
            rows.append(row)
            row = []
        row.append(item)
    if row and fill_with is not None and len(row) < linecount:
        check_items(linecount)
        row += [fill_with] * (linecount - len(row))
    return [*rows, row] if row else rows


def _slice(value: Any, slices: int, fill_with: Any = None) -> list[list[Any]]:
    items = to_list(value)
    check_items(slices)
    size, longer = divmod(len(items), slices)
    columns: list[list[Any]] = []
    for number in range(slices):
        start = number * size + min(number, longer)
        column = items[start : start + size + (number < longer)]
        columns.append([*column, fill_with] if fill_with is not None and number >= longer else column)
    return columns


def _dictsort(value: Any, case_sensitive: bool = False, by: Any = "key", reverse: bool = False) -> Any:
    if not isinstance(value, dict):
        raise TemplateRuntimeError("dictsort needs a mapping\nto sort a list use 'sort'")
    step(_STEPS_OF_SORTING_A_KEY * len(value))
    return do_dictsort(value, case_sensitive, by, reverse)


@pass_environment
def _sum(environment: Any, iterable: Any, attribute: Any = None, start: Any = 0) -> Any:
    items = to_list(iterable)
    if attribute is not None:
        items = list(map(make_attrgetter(environment, attribute), items))
    if not all(isinstance(item, (int, float)) for item in [*items, start]):
        raise TemplateRuntimeError("sum adds numbers only\nto merge lists use 'flatten', to join texts use 'join'")
    return sum(items, start)


def _defer(function: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    """Return a filter that does nothing before its result is iterated over; `at_once` runs it immediately."""

    @wraps(function)
    def deferred(*values: Any, **options: Any) -> Iterator[Any]:
        yield from function(*values, **options)

    deferred.at_once = function  # type: ignore[attr-defined]  # called by the generated code, see `output_codegen`
    return deferred


def _make_select(original: Callable[..., Any], choose: Callable[..., Any]) -> Callable[..., Any]:
    """Return `select` or `reject`; `in` on lists of texts is a set lookup, not a search."""

    @_defer
    @pass_context
    def select(context: Any, value: Any, *test: Any, **options: Any) -> Iterable[Any]:
        if not value:
            return ()
        items = _take_items(value, *test, *options.values())
        if len(test) != 2 or test[0] != "in" or options or not _is_text_list(test[1]) or not _is_text_list(items):
            return original(context, items, *test, **options)  # type: ignore[no-any-return]
        return choose(frozenset(test[1]).__contains__, items)  # type: ignore[no-any-return]

    return select


def _take_items(value: Any, *arguments: Any) -> list[Any]:
    """Return the items of a value as a list, and count the work of processing each of them."""
    meter = current_meter()
    items = meter.collect(value, _STEPS_OF_AN_ITEM)
    meter.step(meter.cost(arguments, deep=False) if arguments else 1)
    return items


@_defer
@pass_context
def _map(context: Any, value: Any, *arguments: Any, **options: Any) -> Iterable[Any]:
    if not value:
        return ()
    items = _take_items(value, *arguments, *options.values())
    # A key of mappings is looked up directly, which is much faster.
    key = options.get("attribute")
    try:
        is_key = type(key) is str and len(options) == 1 and not arguments and "." not in key and not key.isdigit()
        return [item[key] for item in items] if is_key else do_map(context, items, *arguments, **options)
    except (KeyError, TypeError):  # a key is missing, or an item is not a mapping
        return do_map(context, items, *arguments, **options)


@pass_environment
def _sort(
    environment: Any, value: Any, reverse: bool = False, case_sensitive: bool = False, attribute: Any = None
) -> Any:
    items, are_texts = _take_comparable(value)
    # Texts are sorted directly; Jinja makes a list for every item.
    if attribute is None and are_texts:
        return sorted(items, key=None if case_sensitive else str.lower, reverse=reverse)
    return do_sort(environment, items, reverse, case_sensitive, attribute)


def _take_comparable(value: Any) -> tuple[list[Any], bool]:
    """Return the items of a value and whether all are texts, and count the work of comparing everything in them."""
    items = _take_items(value)
    are_texts = _is_text_list(items)
    if not are_texts:
        measure(items)
    step((sum(map(len, items)) if are_texts else _count_characters(items)) // CHARACTERS_A_STEP)
    return items, are_texts


@_defer
@pass_environment
def _unique(environment: Any, value: Any, case_sensitive: bool = False, attribute: Any = None) -> Iterable[Any]:
    items, are_texts = _take_comparable(value)
    if are_texts and attribute is None and case_sensitive:
        return dict.fromkeys(items)
    find_key = make_attrgetter(environment, attribute, postprocess=None if case_sensitive else ignore_case)
    return _choose_unique(items, find_key)


def _choose_unique(items: Iterable[Any], find_key: Callable[[Any], Any]) -> Iterator[Any]:
    seen: set[Any] = set()
    for item in items:
        key = find_key(item)
        if isinstance(key, (int, float)):
            key = number_key(key)
        if key not in seen:
            seen.add(key)
            yield item


def _is_text_list(value: Any) -> bool:
    return type(value) is list and _STR.issuperset(map(type, value))


def _round(value: Any, precision: int = 0, method: Any = "common") -> Any:
    if isinstance(precision, int) and not -_MAX_PRECISION <= precision <= _MAX_PRECISION:
        raise LimitError("format", f"precision must be between -{_MAX_PRECISION} and {_MAX_PRECISION}")
    return do_round(value, precision, method)


GUARDED_FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        **TEXT_FILTERS,
        "batch": _batch,
        "dictsort": _dictsort,
        "format": format_filter,
        "list": to_list,
        "map": _map,
        "reject": _make_select(do_reject, filterfalse),
        "round": _round,
        "select": _make_select(do_select, filter),
        "slice": _slice,
        "sort": _sort,
        "sum": _sum,
        "unique": _unique,
    }
)


def check_method(
    owner: Any, name: str, values: tuple[Any, ...], options: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Any, ...]:
    """Count the work of a method, and refuse a result that would be too large; return the arguments for the call."""
    if not isinstance(owner, dict) or name == "copy":  # the other methods of a mapping are a lookup or a view
        measure(owner)
    for value in (*values, *options.values()):
        if isinstance(value, _MEASURED):
            measure(value)
    if not isinstance(owner, str):
        return values
    if name == "join" and len(values) == 1:
        items = to_list(values[0])
        check_text(sum(len(item) for item in items if isinstance(item, str)) + len(owner) * len(items))
        return (items,)
    if name == "replace" and len(values) > 1 and isinstance(values[0], str) and isinstance(values[1], str):
        check_replacement(owner, values[0], values[1])
    elif name in _PADDING and values and isinstance(values[0], int):
        check_text(values[0])
    elif name in ("split", "rsplit"):
        separator = values[0] if values else options.get("sep")
        separator = separator if isinstance(separator, str) else ""
        pieces = owner.count(separator) if separator else len(owner.split(None, current_limits().items))
        check_items(pieces)
    elif name == "splitlines":
        check_items(sum(map(owner.count, _LINE_ENDS)))
    return values
