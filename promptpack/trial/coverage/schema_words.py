"""The enum words of schemas: where each of them is, and which of them occur in values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack import schema
from promptpack.pack.placed import Placed
from promptpack.pack.schema_references import References
from promptpack.problem import Location
from promptpack.schema.equality import equality_key
from promptpack.schema.pointers import find_target

_SAME: Final = ("then", "else", "allOf")
_ALTERNATIVES: Final = ("anyOf", "oneOf")
_MAX_STEPS: Final = 100_000


def find_words(placed: Placed, references: References) -> Iterator[tuple[list[Any], int, Location]]:
    """Yield the enum lists of a schema and of the files it refers to, with the place of each of their words."""
    for reached in references.reach(placed, set(), shipped=True):
        for path, node in schema.iterate_schemas(reached.value):
            words = node.get("enum")
            if isinstance(words, list):
                for index in range(len(words)):
                    yield words, index, reached.locate(*path, "enum", index)


class WordFinder:
    """Finds the enum words that occur in values of one schema, whose references are bundled."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._steps = _MAX_STEPS
        self._compiled: dict[int, schema.Schema] = {}

    def find(self, value: Any) -> Iterator[tuple[int, int]]:
        """Yield the id of each enum list that a value is checked against, and the number of the word in it."""
        yield from self._visit(self._root, value)

    def _visit(self, node: Any, value: Any) -> Iterator[tuple[int, int]]:
        self._steps -= 1
        if not isinstance(node, Mapping) or self._steps < 0:
            return
        words = node.get("enum")
        if isinstance(words, list):
            wanted = equality_key(value)
            same = (index for index, word in enumerate(words) if equality_key(word) == wanted)
            yield from ((id(words), index) for index in same)
        if "$ref" in node:
            yield from self._visit(find_target(self._root, node["$ref"]), value)
        for keyword in (*_SAME, *_ALTERNATIVES):
            inner = node.get(keyword)
            for one in inner if isinstance(inner, list) else [inner]:
                if keyword == "allOf" or (isinstance(one, Mapping) and self._accepts(one, value)):
                    yield from self._visit(one, value)
        if isinstance(value, Mapping):
            yield from self._visit_members(node, value)
        elif isinstance(value, list):
            prefix = node.get("prefixItems", ())
            for index, item in enumerate(value):
                yield from self._visit(prefix[index] if index < len(prefix) else node.get("items"), item)

    def _visit_members(self, node: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        declared = node.get("properties", {})
        for name, item in value.items():
            yield from self._visit(declared.get(name, node.get("additionalProperties")), item)
            for inner in node.get("patternProperties", {}).values():
                if name not in declared:
                    yield from self._visit(inner, item)

    def _accepts(self, node: Mapping[str, Any], value: Any) -> bool:
        if id(node) not in self._compiled:
            self._compiled[id(node)] = schema.compile({**node, "$defs": self._root.get("$defs", {})})
        return not self._compiled[id(node)].check(value)
