"""Source map: from a character of a scalar's value back to its position in the file, for every YAML style."""

import re
from collections.abc import Iterator

from promptpack.document.yaml_nodes import YamlNode

# Folding and indentation add and remove only these; all other characters are in the same order in value and source.
_FOLDED = frozenset(" \t\n\r")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|\r?\n[ \t]*|(.))", re.DOTALL)
# Safe to skip: no scalar starts with '&', and no quoted or plain scalar starts with a comment.
_ANCHOR = re.compile(r"&[^\s,\[\]{}]+(?:\s+|#[^\n]*)*")
_ESCAPED_SPACE = frozenset(" \tntr")


def locate_in_scalar(text: str, node: YamlNode, line: int, column: int) -> tuple[int, int]:
    """Return the line and column in `text` of a line and column in the scalar's value; all count from 1."""
    if not node.value:
        return node.line, node.column
    index = _find_index(node.value, line, column)
    rank = sum(1 for character in node.value[:index] if character not in _FOLDED)
    anchor = _ANCHOR.match(text, node.start, node.end)
    start, offset = anchor.end() if anchor else node.start, 0
    for position, offset in enumerate(_solid_offsets(text[start : node.end], node.style)):  # noqa: B007
        if position == rank:
            break
    return _to_line_and_column(text, start + offset)


def _find_index(value: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        found = value.find("\n", start)
        if found < 0:
            break
        start = found + 1
    return min(start + column - 1, len(value))


def _solid_offsets(source: str, style: str) -> Iterator[int]:
    if style in ("|", ">"):
        body = source.find("\n") + 1 or len(source)
        return (index for index in range(body, len(source)) if source[index] not in _FOLDED)
    if style == '"':
        return _double_quoted_offsets(source)
    if style == "'":
        return _single_quoted_offsets(source)
    return (index for index, character in enumerate(source) if character not in _FOLDED)


def _single_quoted_offsets(source: str) -> Iterator[int]:
    index = 1
    while index < len(source) - 1:
        if source[index] not in _FOLDED:
            yield index
        index += 2 if source[index] == "'" else 1


def _double_quoted_offsets(source: str) -> Iterator[int]:
    index = 1
    while index < len(source) - 1:
        escape = _ESCAPE.match(source, index)
        if escape is None:
            if source[index] not in _FOLDED:
                yield index
            index += 1
            continue
        if not _is_folded_escape(escape):
            yield index
        index = escape.end()


def _is_folded_escape(escape: re.Match[str]) -> bool:
    digits = escape[1] or escape[2] or escape[3]
    if digits:
        return chr(int(digits, 16)) in _FOLDED
    return escape[4] is None or escape[4] in _ESCAPED_SPACE


def _to_line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
