"""The `Document`: plain data, the text it was read from, and the way from a path in the data to a place in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from promptpack.lazy import cached_property
from promptpack.problem import Location

if TYPE_CHECKING:
    from promptpack.document.marks import Marks
    from promptpack.problem import Problem

    Path = Sequence[str | int]


@dataclass(frozen=True)
class Limits:
    """What a document may be at most; no honest pack comes near."""

    size: int = 1_000_000
    depth: int = 64
    nodes: int = 50_000
    key_length: int = 256
    number_length: int = 64


@dataclass(frozen=True)
class Document:
    """A YAML text as plain data; treat the data as read-only."""

    path: str
    text: str
    data: Any
    warnings: tuple[Problem, ...] = field(default=(), compare=False)

    def locate(self, path: Path = ()) -> Location:
        """Find the place of the value at `path`, or of its nearest parent that is in the file."""
        marks = self._walk(path)
        return Location(self.path, marks.line, marks.column)

    def locate_key(self, path: Path) -> Location:
        """Find the place of the key that names the value at `path`; a list item has none, so its own place is given."""
        key = self._walk(path[:-1]).key(path[-1]) if path else None
        return Location(self.path, key.line, key.column) if key else self.locate(path)

    def locate_inside(self, path: Path, line: int, column: int) -> Location:
        """Find where line `line`, column `column` of the text at `path` stands in the file, whatever its YAML style."""
        from promptpack.document.source_map import place_in_scalar

        marks = self._walk(path)
        found = place_in_scalar(self.text, marks, line, column)
        return Location(self.path, *found)

    def is_comment(self, offset: int) -> bool:
        """Say whether a '#' at this offset of the text starts a comment, and is not part of a value."""
        if offset and not self.text[offset - 1].isspace():
            return False
        from promptpack.document.spans import scalar_spans

        return not any(start <= offset < end for start, end in scalar_spans(self.text, self._marks))

    def block_lines(self, line: int) -> range:
        """Give a line, and those of the block of text (`|` or `>`) that it opens."""
        from promptpack.document.spans import blocks

        opened = (self._last_line(block) for block in blocks(self._marks) if block.line == line)
        return range(line, max(opened, default=line) + 1)

    def block_indent(self, line: int) -> int | None:
        """Give by how much the block of text that a line is part of is indented; None where there is no block."""
        from promptpack.document.spans import blocks

        for block in blocks(self._marks):
            if block.line < line <= self._last_line(block):
                body = self.text[self.text.find("\n", block.start) + 1 : block.end]
                first = next((row for row in body.split("\n") if row.strip()), "")
                return len(first) - len(first.lstrip(" "))
        return None

    def entry_span(self, path: Path) -> tuple[int, int] | None:
        """Give where a key with a plain value starts and ends, so that without it all else stays; None if it cannot."""
        from promptpack.document.spans import span_of_entry

        return span_of_entry(self.text, self._walk(path[:-1]), path[-1], self._walk(path))

    def _last_line(self, marks: Marks) -> int:
        return self.text[: marks.end].removesuffix("\n").count("\n") + 1

    @cached_property
    def _marks(self) -> Marks:
        from promptpack.document.marks import read_marks

        return read_marks(self.text)

    def _walk(self, path: Path) -> Marks:
        marks = self._marks
        for step in path:
            inner = marks.child(step)
            if inner is None:
                break
            marks = inner
        return marks
