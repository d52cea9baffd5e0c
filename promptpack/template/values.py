"""How values print: text as it is, everything else as JSON."""

import json
import math
from collections.abc import Callable, Iterable
from functools import cache
from types import GeneratorType
from typing import Any, Final

from jinja2 import Undefined
from jinja2.exceptions import SecurityError, TemplateRuntimeError

from promptpack.template.limits import current, fits_count, fits_text, measure, step, take

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
    type(reversed([])),
    type(reversed({})),
)
# Between these, numbers are written without an exponent by everyone.
_SMALLEST: Final = 1e-4
_LARGEST: Final = 1e16


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
    text = _write_quickly(value, indent) if indent and type(value) in (dict, list) and _is_ordinary(value) else None
    if text is None:
        measure(value)
        text = json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)
    fits_text(len(text))
    return text


def _write_quickly(value: Any, indent: int) -> str | None:
    try:
        return _quick_json()(value, indent=indent).decode()
    except ValueError:
        return None  # half of a surrogate pair, a huge number, deep nesting: these are for `json` to decide


@cache
def _quick_json() -> Callable[..., bytes]:
    from pydantic_core import to_json

    return to_json


def _is_ordinary(value: Any) -> bool:
    """Count a value, and say whether pydantic-core writes it with the same letters as `json`."""
    limits = current()
    count = 1
    nodes: list[Any] = [value]
    texts: list[str] = []
    for node in nodes:
        count += len(node)
        if count > limits.items:
            fits_count(count)
        if type(node) is dict:
            texts += node
            node = node.values()  # noqa: PLW2901 -- the keys have been taken
        for child in node:
            kind = type(child)
            if kind is str:
                texts.append(child)
            elif kind is dict or kind is list:
                nodes.append(child)
            elif kind is float:
                if not (_SMALLEST <= abs(child) < _LARGEST or child == 0):
                    return False
            elif kind is not int and kind is not bool and child is not None:
                return False
    step(count)
    return _are_texts(texts, limits.text)


def _are_texts(texts: list[str], most: int) -> bool:
    """Refuse texts that are too long together; a key can be something else, and then they are not all texts."""
    try:
        characters = sum(map(len, texts))
        if characters > most:
            fits_text(characters)
        "".join(texts)
    except TypeError:
        return False
    return True


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
