"""The `Document`: plain data, its source text, and the location in that text of every path in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from promptpack.lazy import cached_property
from promptpack.problem import Location, Problem

if TYPE_CHECKING:
    from promptpack.document.line_index import LineIndex
    from promptpack.document.source_map import ScalarMap
    from promptpack.document.source_spans import ScalarSpans
    from promptpack.document.yaml_nodes import YamlNode

Path = Sequence[str | int]


class DocumentLimits(NamedTuple):
    """The limits of one document; real packs stay far below them."""

    size: int = 1_000_000
    depth: int = 64
    nodes: int = 25_000
    key_length: int = 256
    number_length: int = 64


@dataclass(frozen=True)
class Document:
    """A YAML text as plain data; treat the data as read-only."""

    path: str
    text: str
    data: Any
    warnings: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def default_path(self) -> str:
        """The path of the default file that completes a variant with only texts; empty for other documents."""
        return ""

    def owns(self, path: Path) -> bool:  # noqa: ARG002 -- documents of two files use it
        """Return whether the value at a path is in the file of the document."""
        return True

    def locate(self, path: Path = ()) -> Location:
        """Return the location of the value at `path`, or of its nearest parent that exists."""
        return self._walk(path).locate(self.path, self.text)

    def locate_key(self, path: Path) -> Location:
        """Return the location of the key of the value at `path`; a list item has no key and is located itself."""
        key = self._walk(path[:-1]).key(path[-1]) if path else None
        return key.locate(self.path, self.text) if key else self.locate(path)

    def locate_inside(self, path: Path, line: int, column: int) -> Location:
        """Return the location in the file of a line and column of the text at `path`, for every YAML style."""
        from promptpack.document.source_map import ScalarMap

        key = tuple(path)
        if key not in self._scalar_maps:
            self._scalar_maps[key] = ScalarMap(self.text, self._walk(path))
        return self.locate_offset(self._scalar_maps[key].find(line, column))

    def locate_offset(self, offset: int) -> Location:
        """Return the location of an offset of the text."""
        return Location(self.path, *self._line_index.locate(offset))._with_word(self.text, offset)

    def is_comment(self, offset: int) -> bool:
        """Return whether a '#' at this offset of the text starts a comment and is not part of a value."""
        is_preceded = offset and not self.text[offset - 1].isspace()
        return not is_preceded and not self._scalar_spans.contains(offset)

    def block_lines(self, line: int) -> range:
        """Return a line, and the lines of the block scalar (`|` or `>`) that starts on it."""
        block = self._scalar_spans.find_block(line)
        return block.lines if block is not None and block.lines.start == line else range(line, line + 1)

    def block_indent(self, line: int) -> int | None:
        """Return the indentation of the block scalar that contains a line, or None outside a block."""
        block = self._scalar_spans.find_block(line)
        return None if block is None or block.lines.start == line else block.indent

    def plain_end(self, path: Path) -> int | None:
        """Return the offset after the text at `path` if it is written without quotes and without `|` or `>`."""
        node = self._walk(path)
        return None if node.style else node.end

    def entry_span(self, path: Path, *, blocks: bool = False) -> tuple[int, int] | None:
        """Return the offsets of an entry that can be deleted without changing anything else, or None.

        With `blocks`, also of an entry of several lines, with the comments inside it.
        """
        from promptpack.document.source_spans import find_block_span, find_entry_span

        owner = self._walk(path[:-1])
        span = find_entry_span(self.text, owner, path[-1], self._walk(path))
        return span or (find_block_span(self.text, owner, path[-1]) if blocks else None)

    def find_offset(self, line: int, column: int) -> int:
        """Return the offset in the text of a line and column."""
        return self._line_index.find(line, column)

    @cached_property
    def _line_index(self) -> LineIndex:
        from promptpack.document.line_index import LineIndex

        return LineIndex(self.text)

    @cached_property
    def _scalar_spans(self) -> ScalarSpans:
        from promptpack.document.source_spans import ScalarSpans

        return ScalarSpans(self.text, self._root)

    @cached_property
    def _scalar_maps(self) -> dict[tuple[str | int, ...], ScalarMap]:
        return {}

    @cached_property
    def _root(self) -> YamlNode:
        from promptpack.document.yaml_nodes import read_nodes

        return read_nodes(self.text)

    def _walk(self, path: Path) -> YamlNode:
        node = self._root
        for step in path:
            inner = node.child(step)
            if inner is None:
                break
            node = inner
        return node


class MappedDocument(Document):
    """A document with changed data; every value keeps its location in the document that contains it."""

    def origin(self, path: Path) -> tuple[Document, Path]:
        """Return the document that contains the value at a path, and its path there."""
        raise NotImplementedError

    def owns(self, path: Path) -> bool:
        """Return whether the value at a path is in the file of the document."""
        document, inner = self.origin(path)
        return document.path == self.path and document.owns(inner)

    def locate(self, path: Path = ()) -> Location:
        """Return the location of a value in the file that contains it."""
        document, inner = self.origin(path)
        return document.locate(inner)

    def locate_key(self, path: Path) -> Location:
        """Return the location of the key of a value in the file that contains it."""
        document, inner = self.origin(path)
        return document.locate_key(inner)

    def locate_inside(self, path: Path, line: int, column: int) -> Location:
        """Return the location of a line and column of a text in the file that contains it."""
        document, inner = self.origin(path)
        return document.locate_inside(inner, line, column)

    def entry_span(self, path: Path, *, blocks: bool = False) -> tuple[int, int] | None:
        """Return the offsets of an entry in the document's own file, or None."""
        document, inner = self.origin(path)
        return document.entry_span(inner, blocks=blocks) if document.path == self.path else None

    def plain_end(self, path: Path) -> int | None:
        """Return the offset after a plain text in the document's own file, or None."""
        document, inner = self.origin(path)
        return document.plain_end(inner) if document.path == self.path else None
