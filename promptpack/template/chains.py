"""Filters on lists of plain data that follow each other, as in `tasks | map(attribute="id") | unique | list`.

Jinja's are lazy: a chain of them takes longer to set up than to walk through a list of usual length. Here each gives a
list at once, where what takes it cannot tell. The steps are those of the filters themselves, which also do all that is
not usual: another kind of value, an item without the key, a list that is too long.
"""

from collections.abc import Callable, Mapping
from itertools import chain, filterfalse
from types import MappingProxyType
from typing import Any, Final

from jinja2 import nodes

from promptpack.template.limits import CHARACTERS_A_STEP, Meter

Filter = Callable[..., Any]
"""What a filter is where a list is not usual; all are given what they would be without us."""

_LIST: Final = {list}
_MAPPING: Final = {dict}
_TEXT: Final = {str}
_LAZY: Final = ("map", "reject", "select", "unique")
PASSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "map": "context, ",
        "reject": "context, ",
        "select": "context, ",
        "sort": "environment, ",
        "unique": "environment, ",
    }
)
"""What Jinja gives to a filter before the value, as code."""


def is_lazy(node: nodes.Node | None) -> bool:
    """Say whether an expression is a filter of a chain that gives a list in the place of a lazy value."""
    return isinstance(node, nodes.Filter) and node.name in _LAZY and arguments_of(node) is not None


def arguments_of(node: nodes.Filter) -> list[nodes.Expr] | None:
    """Give what a filter of a chain takes besides the list; None for a filter, or a use of one, that is not usual."""
    if node.node is None or node.dyn_args or node.dyn_kwargs:
        return None
    options = {option.key: option.value for option in node.kwargs}
    match node.name, node.args, options:
        case "map", [], {"attribute": nodes.Const() as key, **others}:
            is_key = isinstance(key.value, str) and "." not in key.value and not key.value.isdigit()
            return [key] if is_key and not others else None
        case "unique" | "sort", [], {"case_sensitive": nodes.Const(value=True), **others}:
            return None if others else []
        case "reject" | "select", [nodes.Const(value="in"), texts], {**others}:
            return None if others else [texts]
        case "flatten", [], {**others}:
            return None if others else []
        case "list", [], {**others}:
            return [] if not others and is_lazy(node.node) else None
    return None


def _map(meter: Meter, stock: Filter, context: Any, values: Any, key: str, lazy: bool) -> Any:
    if type(values) is list and len(values) < meter.limits.items and _MAPPING.issuperset(map(type, values)):
        try:
            found = [item[key] for item in values]
        except KeyError:
            return stock(context, values, attribute=key)
        meter.step(2 + len(found) * (5 if lazy else 6))
        return found
    return stock(context, values, attribute=key)


def _unique(meter: Meter, stock: Filter, environment: Any, values: Any, lazy: bool) -> Any:
    if lazy and type(values) is list and _TEXT.issuperset(map(type, values)) and len(values) < meter.limits.items:
        meter.step(2 + len(values) * 5)
        return list(dict.fromkeys(values))
    return stock(environment, values, case_sensitive=True)


def _sort(meter: Meter, stock: Filter, environment: Any, values: Any, lazy: bool) -> Any:
    if type(values) is list and _TEXT.issuperset(map(type, values)) and len(values) < meter.limits.items:
        looked = 0 if lazy else 3 + (1 + len(values)) // 4 + sum(map(len, values)) // CHARACTERS_A_STEP
        meter.step(2 + len(values) * 5 + looked)
        return sorted(values)
    return stock(environment, values, case_sensitive=True)


def _sift(meter: Meter, values: Any, texts: Any, lazy: bool) -> bool:
    """Count the work of looking for texts among texts; nothing is counted, and the answer is no, for other values."""
    if type(values) is not list or type(texts) is not list or len(values) >= meter.limits.items:
        return False
    if not (_TEXT.issuperset(map(type, values)) and _TEXT.issuperset(map(type, texts))):
        return False
    meter.step(1 + len(values) * (5 if lazy else 6) + len(texts))
    return True


def _select(meter: Meter, stock: Filter, context: Any, values: Any, texts: Any, lazy: bool) -> Any:
    if not _sift(meter, values, texts, lazy):
        return stock(context, values, "in", texts)
    return list(filter(frozenset(texts).__contains__, values))


def _reject(meter: Meter, stock: Filter, context: Any, values: Any, texts: Any, lazy: bool) -> Any:
    if not _sift(meter, values, texts, lazy):
        return stock(context, values, "in", texts)
    return list(filterfalse(frozenset(texts).__contains__, values))


def _flatten(meter: Meter, stock: Filter, values: Any, lazy: bool) -> Any:
    if lazy and type(values) is list and _LIST.issuperset(map(type, values)):
        count = 1 + len(values) + sum(map(len, values))
        if count <= meter.limits.items and _TEXT.issuperset(map(type, found := list(chain.from_iterable(values)))):
            meter.step(1 + len(values) + 3 * (1 + len(values)) + count // 4)
            return found
    return stock(values)


def _list(meter: Meter, stock: Filter, values: Any, lazy: bool) -> Any:
    if lazy and type(values) is list and len(values) <= meter.limits.items:
        meter.step(1 + len(values))
        return values
    return stock(values)


CHAINED: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "flatten": _flatten,
        "list": _list,
        "map": _map,
        "reject": _reject,
        "select": _select,
        "sort": _sort,
        "unique": _unique,
    }
)
