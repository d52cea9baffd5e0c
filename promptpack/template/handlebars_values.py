"""What values mean to the Handlebars syntax: how they are found, printed, tested and walked through."""

import json
from collections.abc import Iterable
from typing import Any

from jinja2.runtime import Context, LoopContext
from jinja2.utils import missing

from promptpack.problem import did_you_mean
from promptpack.template.language import FILTERS, FUNCTIONS, PRINTED_BY
from promptpack.template.undefined import MissingVariableError, NotAListError
from promptpack.template.values import plain, to_text


def look_up(context: Context, name: str) -> Any:
    """Find a variable by its whole name; what Jinja itself puts into its scopes is not there."""
    value = context.resolve_or_missing(name)
    of_jinja = isinstance(value, LoopContext) or (name in FUNCTIONS and value is FUNCTIONS[name])
    return missing if of_jinja else value


def text(context: Context, name: str, value: Any) -> str:
    """Print a value: text as it is, null as nothing, lists and mappings as compact JSON with sorted keys."""
    if value is missing:
        raise _missing(context, name)
    if value is None:
        return ""
    if not isinstance(value, (list, tuple, dict)):
        return to_text(value)
    if isinstance(value, list) and name in PRINTED_BY:
        return str(FILTERS[PRINTED_BY[name]](value))
    return json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def truth(value: Any) -> bool:
    """Say whether a value counts as true: everything but missing, null, false, empty text and the empty list."""
    return not (value is missing or value is None or value is False or value in ("", [], ()))


def items(context: Context, name: str, value: Any) -> Iterable[Any]:
    """Give the items of a list."""
    if value is missing:
        raise _missing(context, name)
    if not isinstance(value, (list, tuple)):
        raise NotAListError(name, value)
    return value


def _missing(context: Context, name: str) -> MissingVariableError:
    known = (key for key in context.get_all() if look_up(context, key) is not missing)
    hint = did_you_mean(name, known) or "give it in the context, or guard it with '{{#if}}'"
    return MissingVariableError(name, f"{name!r} is undefined\n{hint}")
