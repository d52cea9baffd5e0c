"""The short way for clean replies: a compiled parser, and a proof that it lost nothing."""

from typing import Any

from pydantic_core import from_json, to_json

from promptpack.reply.candidates import NOT_STRICT, depth_of
from promptpack.reply.size import may_nest_deeper

_I = ord("I")


def quick_value(text: str, max_depth: int) -> Any:
    """Read clean JSON fast, or give `NOT_STRICT` where only the slower way can be sure."""
    try:
        value = from_json(text, allow_inf_nan=False)
        written = to_json(value)
    except ValueError:
        return NOT_STRICT
    # A repeated key, which the parser drops, would leave a colon over; an escape is the only other way to write one.
    colons = text.count(":")
    if colons != written.count(b":") or ("\\" in text and "\\u003" in text):
        return NOT_STRICT
    # A number beyond all bounds has become infinite.
    if (_I in written and b"Infinity" in written) or value.__class__ not in (dict, list):
        return NOT_STRICT
    # An object has a colon before the next one opens, so most values need no closer look.
    is_long = colons + written.count(b"[") >= max_depth
    if is_long and may_nest_deeper(written, max_depth) and depth_of(value) > max_depth:
        return NOT_STRICT
    return value
