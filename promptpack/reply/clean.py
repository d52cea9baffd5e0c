"""The fast path for clean replies: parse strict JSON with pydantic-core and prove that the parser lost nothing."""

from typing import Any

from pydantic_core import from_json, to_json

from promptpack.reply.candidates import depth_of


def read_clean(text: str, max_depth: int) -> dict[str, Any] | list[Any] | None:
    """Parse clean JSON; return None to fall back to the general reader."""
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # TypeError: the text contains half of a surrogate pair
        return None
    if type(value) is not dict and type(value) is not list:
        return None
    written = to_json(value)
    # The parser drops repeated keys with their quotes; an escaped quote is written as a quote too.
    escaped = text.count("\\u0022") if "\\" in text else 0
    if written.count(b'"') != text.count('"') + escaped:
        return None
    if b"I" in written and b"Infinity" in written:  # a number beyond the range of floats
        return None
    if _may_be_deeper(written, max_depth) and depth_of(value) > max_depth:
        return None
    return value


def _may_be_deeper(written: bytes, max_depth: int) -> bool:
    """Return whether a JSON text has brackets for more than so many levels."""
    # `replace` finds few characters much faster than `count`.
    return len(written) - len(written.replace(b"{", b"").replace(b"[", b"")) > max_depth
