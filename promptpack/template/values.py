"""How values print: text as it is, everything else as JSON."""

import json
import marshal
import math
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import filterfalse
from types import GeneratorType
from typing import Any, Final

from jinja2 import Undefined
from jinja2.exceptions import SecurityError, TemplateRuntimeError

from promptpack.template.limits import Limits
from promptpack.template.meter import current, fits_text, is_validated, measure, step, take

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
)
DEEPEST: Final = 100
"""How many levels data may nest; what nests deeper is not written quickly, nor taken from a caller at all."""
MOST_TEXTS: Final = 16
"""How many of the longest texts a value may hold."""

# The one that every supported Python writes.
_MARSHAL_VERSION: Final = 4
_USUAL_INDENT: Final = 2
# Writing JSON takes longer than other work on as much text.
_CHARACTERS_A_STEP_OF_JSON: Final = 16
# What numbers look like that not everyone writes alike: huge ones and tiny ones. Texts may look so too.
_EXPONENT: Final = re.compile(rb"e(?<=[0-9]e)[-0-9]")
_TINY: Final = b"0.0000"
_LEAVES: Final = frozenset((str, int, bool, type(None)))
_NODES: Final = frozenset((dict, list))
_TEXT: Final = frozenset((str,))


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
    text = _write_quickly(value, indent) if indent and type(value) in _NODES and _may_be_quick(value) else None
    if text is None:
        measure(value)
        ordinary = plain(value)
        fits_text(_characters_in(ordinary))
        text = json.dumps(ordinary, ensure_ascii=False, indent=indent, allow_nan=False)
    fits_text(len(text))
    step(len(text) // _CHARACTERS_A_STEP_OF_JSON)
    return text


def _may_be_quick(value: Any) -> bool:
    if is_validated(value):
        return True
    found = fingerprint(value)
    return found is not None and is_plain(value, found, current())


def fingerprint(value: Any) -> bytes | None:
    """Return the marshal bytes of a value, which are equal only for identical data; None if it cannot be marshalled."""
    try:
        return marshal.dumps(value, _MARSHAL_VERSION)
    except ValueError:
        return None


def is_plain(value: Any, fingerprint: bytes, limits: Limits) -> bool:
    """Return whether a mapping or list with this fingerprint is plain data within the limits of size and depth."""
    # Local names, as these lines take most of the time of a render whose inputs are new.
    leaves, containers, most = _LEAVES, _NODES, limits.items
    count = 1
    keys: set[Any] = set()
    inner: list[Any] = [value]
    for _ in range(DEEPEST):
        nodes, inner = inner, []
        for node in nodes:
            count += len(node)
            if count > most:
                return False
            if type(node) is dict:
                keys.update(node)
                node = node.values()  # noqa: PLW2901 -- the keys have been taken
            for child in node:
                kind = type(child)
                if kind not in leaves:
                    if kind in containers:
                        inner.append(child)
                    elif kind is not float or not math.isfinite(child):
                        return False
        if not inner:
            return _TEXT.issuperset(map(type, keys)) and _is_short(value, count * len(fingerprint), limits)
    return False


def _is_short(value: Any, most: int, limits: Limits) -> bool:
    """Return whether all texts in plain data are short enough to be written; `most` is an upper bound of their size.

    No text is longer than the fingerprint, but a text that occurs many times is in it only once.
    """
    longest = MOST_TEXTS * limits.text
    return most <= longest or _characters_in(value) <= longest


def _write_quickly(value: Any, indent: int) -> str | None:
    """Write what is plain; None for half of a surrogate pair, a huge or tiny number: these are for `json` to decide."""
    try:
        usual = indent == _USUAL_INDENT and type(indent) is int
        written = _usual_writer()(value) if usual else _any_writer()(value, indent=indent)
    except ValueError:
        return None
    return None if _TINY in written or _EXPONENT.search(written) else written.decode()


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
