"""The fast path for clean replies: parse strict JSON with pydantic-core and prove that the parser lost nothing."""

from typing import Any, Final

from pydantic_core import from_json

from promptpack.reply.candidates import depth_of
from promptpack.reply.size import may_nest_deeper

_INFINITE: Final = (float("inf"), float("-inf"))


def read_clean(text: str, max_depth: int) -> dict[str, Any] | list[Any] | None:
    """Parse clean JSON; return None to fall back to the general reader."""
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # TypeError: the text contains half of a surrogate pair
        return None
    if type(value) is not dict and type(value) is not list:
        return None
    colons = text.count(":")
    containers: list[Any] = [value]
    for items in containers:
        if type(items) is dict:
            colons -= len(items)
            items = items.values()  # noqa: PLW2901 -- the keys have been counted
        for item in items:
            kind = type(item)
            if kind is str:
                continue
            if kind is dict or kind is list:
                containers.append(item)
            elif kind is float and item in _INFINITE:
                return None
    # The parser drops repeated keys, so their colons are in no string; only an escaped colon could hide that.
    if colons and (colons != _count_colons(containers) or "\\u003" in text):
        return None
    is_long = len(containers) > max_depth
    if is_long and may_nest_deeper(text.encode(), max_depth) and depth_of(value) > max_depth:
        return None
    return value


def _count_colons(containers: list[Any]) -> int:
    count = 0
    for items in containers:
        for item in items.values() if type(items) is dict else items:
            if type(item) is str and ":" in item:
                count += item.count(":")
    return count
