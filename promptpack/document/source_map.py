"""Source map: from a character of a scalar's value back to its position in the file, for every YAML style."""

import re
from collections.abc import Iterator
from itertools import islice

from promptpack.document.line_index import LineIndex
from promptpack.document.yaml_nodes import YamlNode

# Folding and indentation add and remove only these; all other characters are in the same order in value and source.
_FOLDED = frozenset(" \t\n\r")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|\r?\n[ \t]*|(.))", re.DOTALL)
# Safe to skip: no scalar starts with '&', and no quoted or plain scalar starts with a comment.
_ANCHOR = re.compile(r"&[^\s,\[\]{}]+(?:\s+|#[^\n]*)*")
_ESCAPED_SPACE = frozenset(" \tntr")


class ScalarMap:
    """Finds the characters of one scalar in the text of the file."""

    def __init__(self, text: str, node: YamlNode) -> None:
        self._value = node.value
        self._lines = LineIndex(node.value)
        # Computed as far as needed: most problems of a long text are at its start.
        self._rest = _find_offsets(text, node)
        self._offsets: list[int] = []

    def find(self, line: int, column: int) -> int:
        """Return the offset in the text of a line and column in the scalar's value, which count from 1."""
        index = min(self._lines.find(line, column), len(self._value))
        self._offsets += islice(self._rest, max(index + 1 - len(self._offsets), 0))
        return self._offsets[index]


def _find_offsets(text: str, node: YamlNode) -> Iterator[int]:
    """Yield the offset in the text of each character of a value, and of its end; of a folded one, that of the next."""
    anchor = _ANCHOR.match(text, node.start, node.end) if node.value else None
    start = anchor.end() if anchor else node.start
    solid = _solid_offsets(text[start : node.end], node.style) if node.value else iter(())
    current = start + next(solid, 0)
    for character in node.value:
        yield current
        if character not in _FOLDED:
            current = start + next(solid, current - start)
    yield current


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
