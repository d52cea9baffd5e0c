"""Output schema -> the text a model reads: JSON-like, with types in angle brackets and comments."""

from typing import Any, Final

_INDENT: Final = "  "


def print_schema(schema: Any, level: int = 0) -> str:
    """Print a sanitized schema; `level` indents its closing bracket."""
    if isinstance(schema, dict):
        return _mapping(schema, level)
    if isinstance(schema, list | set):
        return _array(schema, level)
    if isinstance(schema, tuple) and schema:
        return _described(schema[0], level)
    return f"<{schema}>"


def _mapping(schema: dict[str, Any], level: int) -> str:
    if not schema:
        return "{}"
    pad, last = _INDENT * (level + 1), len(schema) - 1
    lines = [
        f'{pad}"{key}": {print_schema(item, level + 1)}{"," if index < last else ""}{_comment(item, " //")}'
        for index, (key, item) in enumerate(schema.items())
    ]
    return "\n".join(["{", *lines, _INDENT * level + "}"])


def _array(schema: list[Any] | set[Any], level: int) -> str:
    if not schema:
        return "[]"
    pad = _INDENT * (level + 1)
    lines = [f"{pad}{print_schema(item, level + 1)},{_comment(item)}" for item in schema]
    return "\n".join(["[", *lines, pad + "...", _INDENT * level + "]"])


def _described(head: Any, level: int) -> str:
    # [tupledict] a structure inside a tuple is one level deeper than plain nesting, its closing bracket too
    return print_schema(head, level + 1) if isinstance(head, dict | list | set) else f"<{head}>"


def _comment(item: Any, without_text: str = "") -> str:
    # [emptydesc] in a mapping, an empty description still prints the comment sign
    if not isinstance(item, tuple) or len(item) < 2:
        return ""
    return f" // {item[1]}" if item[1] else without_text
