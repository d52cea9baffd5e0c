"""Shorten a text: trim it, take its first line, or cut it."""

from collections.abc import Mapping

from promptpack.problem import ContextError, Problem
from promptpack.template.history import go_text
from promptpack.template.runtime import describe_kind


def trim_space(value: object) -> str:
    """Strip Unicode White_Space from both ends, but not U+200B, U+FEFF and control characters."""
    return go_text.trim_space(as_text(value))


def first_line(value: object) -> str:
    """Return the first line that is not blank, trimmed; only a line feed ends a line."""
    line, _, _ = trim_space(value).partition("\n")
    return go_text.trim_space(line)


def compact(value: object, limit: int = 120, ellipsis: str = "...") -> str:
    """Return the first line, cut to `limit` code points including the ellipsis, if that fits."""
    line = first_line(value)
    if len(line) <= limit:
        return line
    if limit <= len(ellipsis):
        return line[: max(limit, 0)]
    return line[: limit - len(ellipsis)] + ellipsis


def as_text(value: object) -> str:
    """Return a value as text: empty for None; refuse structured data."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (bool, Mapping, list, tuple)):
        message = f"expected text, not {describe_kind(value)}"
        raise ContextError(Problem("PP432", message, hint="convert it with '| json' first"))
    return str(value)
