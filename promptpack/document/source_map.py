"""Source map: from a character of a scalar's value back to its position in the file, for every YAML style."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from promptpack.document.line_index import LineIndex
from promptpack.document.yaml_nodes import YamlNode
from promptpack.lazy import cached_property

# Folding and indentation add and remove only these; all other characters are in the same order in value and source.
_FOLDED = frozenset(" \t\n\r")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|\r?\n[ \t]*|(.))", re.DOTALL)
# Safe to skip: no scalar starts with '&', and no quoted or plain scalar starts with a comment.
_ANCHOR = re.compile(r"&[^\s,\[\]{}]+(?:\s+|#[^\n]*)*")
_ESCAPED_SPACE = frozenset(" \tntr")


class ScalarMap:
    """Finds the characters of one scalar in the text of the file."""

    def __init__(self, text: str, node: YamlNode) -> None:
        self._text = text
        self._node = node

    def find(self, line: int, column: int) -> int:
        """Return the offset in the text of a line and column in the scalar's value, which count from 1."""
        if not self._offsets:
            return self._node.start
        index = min(self._lines.find(line, column), len(self._node.value))
        rank = index - bisect_left(self._folded, index)
        return self._offsets[min(rank, len(self._offsets) - 1)]

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self._node.value)

    @cached_property
    def _folded(self) -> list[int]:
        return [index for index, character in enumerate(self._node.value) if character in _FOLDED]

    @cached_property
    def _offsets(self) -> list[int]:
        """The offsets in the text of the characters that folding and indentation preserve."""
        if not self._node.value:
            return []
        anchor = _ANCHOR.match(self._text, self._node.start, self._node.end)
        start = anchor.end() if anchor else self._node.start
        return [start + offset for offset in _solid_offsets(self._text[start : self._node.end], self._node.style)]


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
