"""The two packs of a comparison, with the parts that are compared and where they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from promptpack.document import Document
from promptpack.pack.building import CompiledSections, resolve_content
from promptpack.pack.model import Pack
from promptpack.pack.placed import Placed
from promptpack.pack.sections import Sections
from promptpack.problem import Location, Problem, UsageError


class Side(NamedTuple):
    """One of the two packs."""

    pack: Pack
    compiled: CompiledSections
    content: Mapping[str, Any]
    """Everything that the digest covers."""

    @property
    def sections(self) -> Sections:
        """The sections, with inherited ones."""
        return self.compiled.sections

    @property
    def document(self) -> Document:
        """The pack's own file."""
        return self.compiled.sections.document

    def locate(self, *path: str | int) -> Location:
        """Return the location of a key of the pack's own file, or of its nearest parent."""
        return self.document.locate_key(path)


def read_side(pack: Pack) -> Side:
    """Return a pack as a side of a comparison."""
    if pack._compiled is None:
        message = f"{pack.label} cannot be compared, because it does not come from a library"
        raise UsageError(Problem("PP760", message, None, "get the pack from a Library"))
    return Side(pack, pack._compiled, resolve_content(pack._compiled))


def locate_text(placed: Placed, offset: int) -> Location:
    """Return the location of an offset of a text."""
    text: str = placed.value
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return placed.document.locate_inside(placed.path, line, column)


def write_value(value: Any) -> str:
    """Return a value as text that can be compared by words; a text stays as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def short(value: Any, limit: int = 60) -> str:
    """Return a value as JSON on one line, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 3] + "..."
