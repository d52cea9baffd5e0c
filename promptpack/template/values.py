"""How values print: text unchanged, other values as JSON."""

import json
import marshal
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import filterfalse
from types import GeneratorType
from typing import Any, Final

from jinja2 import Undefined
from jinja2.exceptions import SecurityError, TemplateRuntimeError

from promptpack.template.meter import Meter, current_meter, to_list
from promptpack.template.model import DEFAULT_INDENT, Limits

# Lazy values come from filters such as `map`.
_LAZY: tuple[type[Iterable[Any]], ...] = (
    GeneratorType,
    range,
    type({}.items()),
    type({}.keys()),
    type({}.values()),
    type(iter([])),
    map,
    filter,
    filterfalse,
    zip,
    reversed,
    type(reversed([])),
    type(reversed({})),
    type(reversed({}.items())),
    type(reversed({}.values())),
    type(reversed(range(0))),
    type(reversed(range(1 << 64))),
)
MAX_DEPTH: Final = 100
"""How deeply data may be nested; deeper data is not written fast, and not accepted from a caller."""
MAX_TEXTS: Final = 16
"""How many texts of the maximum length a value may contain."""

PACK_INDENT: Final = -1
"""The indent of JSON that the pack of the current render chooses."""

# Every supported Python writes this version.
_MARSHAL_VERSION: Final = 4
_MARSHAL_WITHOUT_SHARING: Final = 2
# Writing JSON takes longer than other work on the same text.
_CHARACTERS_A_STEP_OF_JSON: Final = 16
# Huge and tiny numbers, which JSON writers format differently. In indented JSON, a number ends its line; no text does.
_EXPONENT: Final = re.compile(rb"e[-+0-9][0-9]*,?\n")
_TINY: Final = b".0000"
_CONTAINERS: Final = frozenset((dict, list))
_TEXT: Final = frozenset((str,))


def to_text(value: Any) -> str:
    """Print a value into a prompt."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return str(value)
    if kind in _SCALARS or kind in (dict, list, tuple):
        return to_json(value)
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return to_json(tuple(value))
    if isinstance(value, _LAZY):
        return to_json(to_list(value))
    raise SecurityError(f"a value of type {kind.__name__!r} cannot be printed")


def to_json(value: Any, indent: int | None = PACK_INDENT, *, ensure_ascii: bool = False, **options: Any) -> str:
    """Print a value as JSON; keep key order and non-ASCII characters, refuse `NaN`; `options` are those of `json`."""
    text = None
    meter = current_meter()
    if write_scalar := _SCALARS.get(type(value)):
        text = write_scalar(value)
    else:
        indent = meter.json_indent if indent == PACK_INDENT else indent
        is_default = not (ensure_ascii or options)
        if indent and is_default and type(value) in _CONTAINERS and _can_write_fast(value, meter):
            text = _write_fast(value, indent)
    if text is None:
        meter.measure(value)
        resolved = resolve_lazy(value)
        meter.check_text(_characters_in(resolved))
        text = json.dumps(resolved, ensure_ascii=ensure_ascii, indent=indent, allow_nan=False, **options)
    meter.check_text(len(text))
    meter.step(1 + len(text) // _CHARACTERS_A_STEP_OF_JSON)
    return text


def _write_float(value: float) -> str:
    if not math.isfinite(value):
        raise TemplateRuntimeError("NaN and infinity cannot be printed\npass null instead")
    return repr(value)


# How `json` writes single values, without the time that it takes to start.
_SCALARS: Final[Mapping[type, Callable[[Any], str]]] = {
    int: repr,
    float: _write_float,
    bool: ("false", "true").__getitem__,
    type(None): lambda _: "null",
}


def _can_write_fast(value: Any, meter: Meter) -> bool:
    if id(value) in meter.validated:
        return True
    data = fingerprint(value)
    return data is not None and is_plain(value, data, meter.limits)


def fingerprint(value: Any) -> bytes | None:
    """Return the marshal bytes of a value, which are equal only for identical data; None if it cannot be marshalled."""
    try:
        return marshal.dumps(value, _MARSHAL_VERSION)
    except ValueError:
        return None


def value_key(value: Any) -> bytes:
    """Return bytes that are equal for equal plain data, however it was built.

    Only for validated data: parts that occur many times are written many times.
    """
    return marshal.dumps(value, _MARSHAL_WITHOUT_SHARING)


def is_plain(value: Any, fingerprint: bytes, limits: Limits) -> bool:
    """Return whether a mapping or list with this fingerprint is plain data within the limits of size and depth."""
    level: list[Any] = [value]
    keys: list[Any] = []
    count, most = 1, limits.items
    for _ in range(MAX_DEPTH):
        next_level: list[Any] = []
        for container in level:
            # Counted before the items are collected: a mapping or list may occur many times.
            count += len(container)
            if count > most:
                return False
            if type(container) is dict:
                keys += container
            for item in container.values() if type(container) is dict else container:
                kind = type(item)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    next_level.append(item)
                elif kind not in _SCALARS or (kind is float and not math.isfinite(item)):
                    return False
        if not next_level:
            return _TEXT.issuperset(map(type, keys)) and _is_short(value, count * len(fingerprint), limits)
        level = next_level
    return False


def _is_short(value: Any, estimate: int, limits: Limits) -> bool:
    """Return whether the texts in plain data are short enough together; `estimate` is never below their size.

    No text is longer than the fingerprint, but a text that occurs many times is in it only once.
    """
    longest = MAX_TEXTS * limits.text
    return estimate <= longest or _characters_in(value) <= longest


def _write_fast(value: Any, indent: int) -> str | None:
    """Write plain data; return None for half of a surrogate pair and for huge or tiny numbers, which `json` writes."""
    try:
        is_default = indent == DEFAULT_INDENT and type(indent) is int
        written = _default_writer()(value) if is_default else _indent_writer()(value, indent=indent)
    except ValueError:
        return None
    # Searched backwards: the first character of the needle is rarer in identifiers than the last.
    return None if written.rfind(_TINY) >= 0 or _EXPONENT.search(written) else written.decode()


@cache
def _default_writer() -> Callable[[Any], bytes]:
    """Return a writer for the default indent: orjson, which supports no other, if it is installed."""
    try:
        import orjson
    except ImportError:
        return partial(_indent_writer(), indent=DEFAULT_INDENT)
    dumps, option, refusal = orjson.dumps, orjson.OPT_INDENT_2, orjson.JSONEncodeError

    def write(value: Any) -> bytes:
        try:
            return dumps(value, None, option)
        except refusal as error:
            raise ValueError("orjson cannot write this value") from error

    return write


@cache
def _indent_writer() -> Callable[..., bytes]:
    from pydantic_core import to_json

    return to_json


def _characters_in(value: Any) -> int:
    """Count the characters of all texts in plain data."""
    nodes, characters = [value], 0
    for node in nodes:
        if type(node) is str:
            characters += len(node)
        elif type(node) is dict:
            nodes += node
            nodes += node.values()
        elif type(node) is list:
            nodes += node
    return characters


def resolve_lazy(value: Any) -> Any:
    """Return a value with the lazy values of filters as lists; refuse anything that is not plain data."""
    kind = type(value)
    if kind in (str, int, bool, float) or value is None:
        return value
    if kind is dict:
        return {key if type(key) is str else to_text(key): resolve_lazy(item) for key, item in value.items()}
    if kind is list or isinstance(value, tuple):
        return [resolve_lazy(item) for item in value]
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, _LAZY):
        return [resolve_lazy(item) for item in to_list(value)]
    raise SecurityError(f"a value of type {kind.__name__!r} cannot be printed")
