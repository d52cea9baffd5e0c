"""Stretches of a document's text: its scalars, and entries of mappings that can be taken out without touching more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptpack.document.marks import MapMarks, SequenceMarks

if TYPE_CHECKING:
    from promptpack.document.marks import Marks


_BLOCKS = ("|", ">")


def scalar_spans(text: str, root: Marks) -> Iterator[tuple[int, int]]:
    """Give where the scalars of a text start and end, as offsets; the line that opens a block may hold a comment."""
    for marks in _scalars(root):
        yield text.find("\n", marks.start) if marks.style in _BLOCKS else marks.start, marks.end


def blocks(root: Marks) -> Iterator[Marks]:
    """Give the scalars that are written as blocks."""
    return (marks for marks in _scalars(root) if marks.style in _BLOCKS)


def _scalars(root: Marks) -> Iterator[Marks]:
    waiting = [root]
    while waiting:
        marks = waiting.pop()
        if isinstance(marks, MapMarks):
            waiting.extend(marks.children.values())
        elif isinstance(marks, SequenceMarks):
            waiting.extend(marks.children)
        else:
            yield marks


def span_of_entry(text: str, owner: Marks, name: str | int, value: Marks) -> tuple[int, int] | None:
    """Give the stretch of one of several keys and its value, on one line, without a comment or an anchor; else None."""
    key = owner.key(name)
    if key is None or not isinstance(owner, MapMarks) or len(owner.keys) == 1:
        return None
    start = key.start
    is_plain = not isinstance(value, (MapMarks, SequenceMarks)) and start < value.start
    if not is_plain or "\n" in text[start : value.end] or text.startswith("&", value.start):
        return None
    if text[owner.start : owner.start + 1] == "{":
        return _in_braces(text, start, value.end)
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", value.end)
    line_end = len(text) - 1 if line_end < 0 else line_end
    alone = not text[line_start:start].strip() and not text[value.end : line_end + 1].strip()
    return (line_start, line_end + 1) if alone else None


def _in_braces(text: str, start: int, end: int) -> tuple[int, int] | None:
    before = len(text[:start].rstrip(" "))
    after = end + len(text[end:]) - len(text[end:].lstrip(" "))
    if text[after : after + 1] == ",":
        line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", after)
        rest = text[after + 1 : line_end] if line_end >= 0 else text[after + 1 :]
        if rest.lstrip().startswith("#"):
            return None  # the comment is about what would go
        if line_end >= 0 and not rest.strip() and not text[line_start:start].strip():
            return line_start, line_end + 1
        return start, after + 1 + len(rest) - len(rest.lstrip(" "))
    if text[after : after + 1] == "}" and text[before - 1 : before] == ",":
        return before - 1, end
    return None
