"""How values print: text as it is, everything else as JSON."""

import json
import math
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

from jinja2 import Undefined
from jinja2.exceptions import SecurityError, TemplateRuntimeError

from promptpack.template.limits import measure, take

# Lazy values come from filters such as `map`.
_LAZY: tuple[type[Iterable[Any]], ...] = (
    GeneratorType,
    range,
    type({}.items()),
    type({}.keys()),
    type({}.values()),
    map,
    filter,
    zip,
    reversed,
)


def to_text(value: Any) -> str:
    """Print a value into a prompt."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return str(value)
    if value is None or kind in (bool, float, dict, list, tuple):
        return to_json(value)
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return to_json(tuple(value))
    if isinstance(value, _LAZY):
        return to_json(take(value))
    raise SecurityError(f"a {kind.__name__} cannot be printed")


def to_json(value: Any, indent: int | None = 2) -> str:
    """Print a value as JSON: key order and non-ASCII kept, `NaN` refused."""
    if type(value) is float and not math.isfinite(value):
        raise TemplateRuntimeError("a number that is not finite cannot be printed")
    measure(value)
    return json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)


def plain(value: Any) -> Any:
    """Turn the lazy values of filters into lists, and refuse what is not plain data."""
    kind = type(value)
    if kind in (str, int, bool, float) or value is None:
        return value
    if kind is dict:
        return {key if type(key) is str else to_text(key): plain(item) for key, item in value.items()}
    if kind is list or isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, _LAZY):
        return [plain(item) for item in take(value)]
    raise SecurityError(f"a {kind.__name__} cannot be printed")
