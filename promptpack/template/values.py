"""How values print: text as it is, everything else as JSON."""

import json
import math
from collections.abc import Callable, Iterable
from functools import cache, partial
from types import GeneratorType
from typing import Any, Final

from jinja2 import Undefined
from jinja2.exceptions import SecurityError, TemplateRuntimeError

from promptpack.template.bounds import Limits
from promptpack.template.limits import current, fits_text, known_count, measure, step, take

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
DEEPEST: Final = 100
"""How many levels data may nest; what nests deeper is not written quickly, nor taken from a caller at all."""

_USUAL_INDENT: Final = 2
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
    text = _write_quickly(value, indent) if indent and type(value) in (dict, list) and _is_counted(value) else None
    if text is None:
        measure(value)
        text = json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)
    fits_text(len(text))
    return text


def _write_quickly(value: Any, indent: int) -> str | None:
    try:
        if indent == _USUAL_INDENT and type(indent) is int:
            return _usual_writer()(value).decode()
        return _any_writer()(value, indent=indent).decode()
    except ValueError:
        return None  # half of a surrogate pair, a huge number, deep nesting: these are for `json` to decide


@cache
def _usual_writer() -> Callable[[Any], bytes]:
    """Give what writes the usual indent: orjson, which knows no other, where it is installed."""
    try:
        import orjson
    except ImportError:
        return partial(_any_writer(), indent=_USUAL_INDENT)
    dumps, option, refusal = orjson.dumps, orjson.OPT_INDENT_2, orjson.JSONEncodeError

    def write(value: Any) -> bytes:
        try:
            return dumps(value, None, option)
        except refusal as error:
            raise ValueError("orjson does not write it") from error

    return write


@cache
def _any_writer() -> Callable[..., bytes]:
    from pydantic_core import to_json

    return to_json


def _is_counted(value: Any) -> bool:
    """Say whether a value is ordinary, and count what is in it, unless that is known beforehand."""
    count = known_count(value) or count_ordinary(value, current())
    step(count)
    return count > 0


def count_ordinary(value: Any, limits: Limits) -> int:
    """Count what a mapping or list holds; 0 if it is too large or deep, or not JSON data that everyone writes alike."""
    count = 1
    inner: list[Any] = [value]
    texts: list[str] = []
    for _ in range(DEEPEST):
        nodes, inner = inner, []
        for node in nodes:
            count += len(node)
            if count > limits.items:
                return 0
            if type(node) is dict:
                texts += node
                node = node.values()  # noqa: PLW2901 -- the keys have been taken
            for child in node:
                kind = type(child)
                if kind is str:
                    texts.append(child)
                elif kind is dict or kind is list:
                    inner.append(child)
                elif kind is float:
                    if not (_SMALLEST <= abs(child) < _LARGEST or child == 0):
                        return 0
                elif kind is not int and kind is not bool and child is not None:
                    return 0
        if not inner:
            return count if _are_texts(texts, limits.text) else 0
    return 0


def _are_texts(texts: list[str], most: int) -> bool:
    """Say whether texts are not too long together; what was taken for one may be a key of another kind."""
    try:
        return sum(map(len, texts)) <= most and "".join(texts) is not None
    except TypeError:
        return False


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
