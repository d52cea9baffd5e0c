"""A piece of a pack together with the place it came from, which for inherited pieces is another file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from promptpack.problem import Problem
from promptpack.template import Source

if TYPE_CHECKING:
    from promptpack.document import Document
    from promptpack.problem import Location
    from promptpack.template.model import Syntax


@dataclass(frozen=True)
class Placed:
    """A value of a document, and the way to its place."""

    value: Any
    document: Document
    path: tuple[str | int, ...]

    def child(self, *steps: str | int) -> Placed:
        """Step into the value."""
        value = self.value
        for step in steps:
            value = value[step]
        return Placed(value, self.document, (*self.path, *steps))

    def locate(self, *steps: str | int) -> Location:
        """Give the place of the value, or of one below it."""
        return self.document.locate((*self.path, *steps))

    def locate_key(self, *steps: str | int) -> Location:
        """Give the place of the key that names the value, or one below it."""
        return self.document.locate_key((*self.path, *steps))

    def source(self, syntax: Syntax = "jinja") -> Source:
        """Take the value as a template's text; in Jinja, the newline that ends a block scalar is not part of it."""
        document, path = self.document, self.path
        text: str = self.value.removesuffix("\n") if syntax == "jinja" else self.value
        return Source(text, lambda line, column: document.locate_inside(path, line, column), syntax)

    def problem(self, code: str, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Make a problem that points here."""
        return Problem(code, message, self.locate_key() if key else self.locate(), hint)


def children_at(root: Placed, *path: str) -> dict[str, Placed]:
    """Give the entries of the mapping at `path`, or none when it is not there."""
    mapping = _at(root, path)
    return {} if mapping is None else {name: mapping.child(name) for name in mapping.value}


def items_at(root: Placed, *path: str) -> Iterator[Placed]:
    """Give the items of the list at `path`, or none when it is not there."""
    listed = _at(root, path)
    return iter(()) if listed is None else (listed.child(index) for index in range(len(listed.value)))


def _at(root: Placed, path: tuple[str, ...]) -> Placed | None:
    for step in path:
        if step not in root.value:
            return None
        root = root.child(step)
    return root
