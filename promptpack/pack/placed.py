"""A value of a pack with its location, which is in another file if the value is inherited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from promptpack.problem import Location, Problem
from promptpack.template.model import Source, Syntax

if TYPE_CHECKING:
    from promptpack.document import Document


class Placed(NamedTuple):
    """A value of a document, and its path."""

    value: Any
    document: Document
    path: tuple[str | int, ...]

    def child(self, *steps: str | int) -> Placed:
        """Return a value below this one."""
        value = self.value
        for step in steps:
            value = value[step]
        return Placed(value, self.document, (*self.path, *steps))

    def convert_texts(self, convert: Callable[[Placed], Any]) -> Any:
        """Return the value, frozen, with every text in it converted; keys stay as they are."""
        match self.value:
            case str():
                return convert(self)
            case dict() as mapping:
                return MappingProxyType({key: self.child(key).convert_texts(convert) for key in mapping})
            case list() as items:
                return tuple(self.child(index).convert_texts(convert) for index in range(len(items)))
            case value:
                return value

    def strings(self) -> Iterator[Placed]:
        """Iterate over all strings in the value; keys do not count."""
        match self.value:
            case str():
                yield self
            case dict() | list() as values:
                for step in values if isinstance(values, dict) else range(len(values)):
                    yield from self.child(step).strings()

    def locate(self, *steps: str | int) -> Location:
        """Return the location of the value, or of a value below it."""
        return self.document.locate((*self.path, *steps))

    def locate_key(self, *steps: str | int) -> Location:
        """Return the location of the key of the value, or of a key below it."""
        return self.document.locate_key((*self.path, *steps))

    def source(self, syntax: Syntax = "jinja") -> Source:
        """Return the value as the source of a template; for Jinja, without the newline that ends a block scalar."""
        document, path = self.document, self.path
        text: str = self.value.removesuffix("\n") if syntax == "jinja" else self.value
        return Source(text, lambda line, column: document.locate_inside(path, line, column), syntax)

    def problem(self, code: str, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Return a problem with the location of this value, or of its key."""
        return Problem(code, message, self.locate_key() if key else self.locate(), hint)


def children_at(root: Placed, *path: str) -> dict[str, Placed]:
    """Return the entries of the mapping at `path`; empty if it does not exist."""
    mapping = _find(root, path)
    return {} if mapping is None else {name: mapping.child(name) for name in mapping.value}


def items_at(root: Placed, *path: str) -> Iterator[Placed]:
    """Iterate over the items of the list at `path`; empty if it does not exist."""
    listed = _find(root, path)
    return iter(()) if listed is None else (listed.child(index) for index in range(len(listed.value)))


def _find(root: Placed, path: tuple[str, ...]) -> Placed | None:
    for step in path:
        if step not in root.value:
            return None
        root = root.child(step)
    return root
