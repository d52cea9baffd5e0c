"""Values in the Handlebars syntax: how they are looked up, printed, tested and iterated over."""

import json
from collections.abc import Iterable
from typing import Any

from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.utils import missing

from promptpack.problem import did_you_mean
from promptpack.template.language import FILTERS, FUNCTIONS, READABLE_FILTERS
from promptpack.template.meter import to_list
from promptpack.template.runtime import MissingVariableError, NotAListError
from promptpack.template.values import resolve_lazy, to_text


def look_up(context: Context, name: str) -> Any:
    """Look up a variable by its whole name, or else as a path; `this` in a partial is the item of its includer."""
    value = _resolve(context, name)
    if value is not missing:
        return value
    root, *keys = name.split(".")
    value = _resolve(context, "item" if root == "this" else root) if keys or root == "this" else missing
    return follow(value, *keys)


def follow(value: Any, *keys: str) -> Any:
    """Return the value at a path below a value; a key that is not there makes the whole path missing."""
    for key in keys:
        value = _member(value, key)
    return value


def _resolve(context: Context, name: str) -> Any:
    value = context.resolve_or_missing(name)
    is_jinjas = isinstance(value, LoopContext) or (name in FUNCTIONS and value is FUNCTIONS[name])
    return missing if is_jinjas else value


def _member(owner: Any, key: str) -> Any:
    if isinstance(owner, dict):
        return owner.get(key, missing)
    is_index = isinstance(owner, (list, tuple)) and key.isdecimal() and int(key[:9]) < len(owner)
    return owner[int(key[:9])] if is_index else missing


def text(context: Context, name: str, value: Any) -> str:
    """Print a value: text unchanged, null as an empty text, lists and mappings as compact JSON with sorted keys."""
    if _is_missing(value):
        raise _missing(context, name)
    if value is None:
        return ""
    if not isinstance(value, (list, tuple, dict)):
        return to_text(value)
    if isinstance(value, list) and name in READABLE_FILTERS:
        return str(FILTERS[READABLE_FILTERS[name]](value))
    return json.dumps(resolve_lazy(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def truth(value: Any) -> bool:
    """Return whether a value counts as true: all but missing, null, false, the empty text and the empty list."""
    return not (_is_missing(value) or value is None or value is False or value in ("", [], ()))


def items(context: Context, name: str, value: Any) -> Iterable[Any]:
    """Return the items of a list."""
    if _is_missing(value):
        raise _missing(context, name)
    if not isinstance(value, (list, tuple)):
        raise NotAListError(name, value)
    return value


def numbered(values: Iterable[Any]) -> list[tuple[int, bool, bool, Any]]:
    """Return the items with the values of `@index`, `@first` and `@last`."""
    items = to_list(values)
    return [(index, index == 0, index == len(items) - 1, item) for index, item in enumerate(items)]


def _is_missing(value: Any) -> bool:
    return value is missing or isinstance(value, Undefined)


def _missing(context: Context, name: str) -> MissingVariableError:
    known = (key for key in context.get_all() if look_up(context, key) is not missing)
    hint = did_you_mean(name, known) or "pass it in the context, or test for it with '{{#if}}'"
    return MissingVariableError(name, f"{name!r} is undefined\n{hint}")
