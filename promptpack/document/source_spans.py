"""Spans (start and end offsets) in a document's text: of its scalars, and of mapping entries that can be deleted."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from promptpack.document.yaml_nodes import BLOCKS, YamlMapping, YamlNode, YamlSequence


class BlockScalar(NamedTuple):
    """The lines of a block scalar (`|` or `>`), from the line that opens it, and the indentation of its text."""

    lines: range
    indent: int


class ScalarSpans:
    """The spans of all scalars of a document."""

    def __init__(self, text: str, root: YamlNode) -> None:
        scalars = sorted(_iterate_scalars(root), key=lambda node: node.start)
        # A block starts after its first line, which may hold a comment.
        self._spans = [
            (text.find("\n", node.start) if node.style in BLOCKS else node.start, node.end) for node in scalars
        ]
        self._blocks = [_read_block(text, node) for node in scalars if node.style in BLOCKS]

    def contains(self, offset: int) -> bool:
        """Return whether an offset is in a scalar."""
        index = bisect_right(self._spans, offset, key=lambda span: span[0]) - 1
        return index >= 0 and offset < self._spans[index][1]

    def find_block(self, line: int) -> BlockScalar | None:
        """Return the block that a line opens or belongs to."""
        index = bisect_right(self._blocks, line, key=lambda block: block.lines.start) - 1
        return self._blocks[index] if index >= 0 and line in self._blocks[index].lines else None


def _read_block(text: str, node: YamlNode) -> BlockScalar:
    lines = text[node.start : node.end].removesuffix("\n").split("\n")
    first = next((line for line in lines[1:] if line.strip()), "")
    return BlockScalar(range(node.line, node.line + len(lines)), len(first) - len(first.lstrip(" ")))


def _iterate_scalars(root: YamlNode) -> Iterator[YamlNode]:
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, YamlMapping):
            pending.extend(node.children.values())
        elif isinstance(node, YamlSequence):
            pending.extend(node.children)
        else:
            yield node


def find_entry_span(text: str, owner: YamlNode, name: str | int, value: YamlNode) -> tuple[int, int] | None:
    """Return the span of an entry on one line that has siblings, but no comment and no anchor; otherwise None."""
    key = owner.key(name)
    if key is None or not isinstance(owner, YamlMapping) or len(owner.keys) == 1:
        return None
    start = key.start
    is_plain = not isinstance(value, (YamlMapping, YamlSequence)) and start < value.start
    if not is_plain or "\n" in text[start : value.end] or text.startswith("&", value.start):
        return None
    if text[owner.start : owner.start + 1] == "{":
        return _find_span_in_braces(text, start, value.end)
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", value.end)
    line_end = len(text) - 1 if line_end < 0 else line_end
    is_alone = not text[line_start:start].strip() and not text[value.end : line_end + 1].strip()
    return (line_start, line_end + 1) if is_alone else None


def find_block_span(text: str, owner: YamlNode, name: str | int) -> tuple[int, int] | None:
    """Return the span of the lines of an entry of a block mapping that has siblings, but no anchor; otherwise None."""
    key = owner.key(name)
    if key is None or not isinstance(owner, YamlMapping) or len(owner.keys) == 1:
        return None
    start = text.rfind("\n", 0, key.start) + 1
    inside = re.compile(
        rf"[^\n]*\n?(?:[ \t]*\n|[ \t]{{{key.column},}}[^\n]*\n?|[ \t]{{{key.column - 1}}}[}}\]-][^\n]*\n?)*"
    )
    found = inside.match(text, start)
    if found is None or text[start : key.start].strip() or re.search(r"[:-] +&", found[0]):
        return None
    return start, start + len(found[0].rstrip()) + (len(found[0].rstrip()) < len(found[0]))


def _find_span_in_braces(text: str, start: int, end: int) -> tuple[int, int] | None:
    before = len(text[:start].rstrip(" "))
    after = end + len(text[end:]) - len(text[end:].lstrip(" "))
    if text[after : after + 1] == ",":
        line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", after)
        rest = text[after + 1 : line_end] if line_end >= 0 else text[after + 1 :]
        if rest.lstrip().startswith("#"):
            return None  # the comment describes the deleted entry
        if line_end >= 0 and not rest.strip() and not text[line_start:start].strip():
            return line_start, line_end + 1
        return start, after + 1 + len(rest) - len(rest.lstrip(" "))
    if text[after : after + 1] == "}" and text[before - 1 : before] == ",":
        return before - 1, end
    return None
