"""Short forms of a text: its first line, and no more than so many characters of it."""

from collections.abc import Mapping

from promptpack.problem import ContextError, Problem
from promptpack.template.history import go_text


def trim_space(value: object) -> str:
    """Take Unicode White_Space off both ends; U+200B, U+FEFF and control characters stay."""
    return go_text.trim_space(as_text(value))


def first_line(value: object) -> str:
    """Give the first line that is not blank, trimmed; only a line feed ends a line."""
    line, _, _ = trim_space(value).partition("\n")
    return go_text.trim_space(line)


def compact(value: object, limit: int = 120, ellipsis: str = "...") -> str:
    """Cut the first line to `limit` code points, the ellipsis included where it fits."""
    line = first_line(value)
    if len(line) <= limit:
        return line
    if limit <= len(ellipsis):
        return line[: max(limit, 0)]
    return line[: limit - len(ellipsis)] + ellipsis


def as_text(value: object) -> str:
    """Take a value as text: nothing is empty, and structured data is refused."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (bool, Mapping, list, tuple)):
        name = type(value).__name__
        raise ContextError(Problem("PP432", f"a text is needed here, not a {name}", hint="print it with | json first"))
    return str(value)
