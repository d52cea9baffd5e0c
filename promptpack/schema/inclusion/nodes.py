"""The subschemas of two documents as nodes; subschemas with equal texts are one node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from promptpack.schema.equality import equality_key
from promptpack.schema.inclusion.step_meter import StepMeter, UndecidedError
from promptpack.schema.pointers import find_target
from promptpack.schema.predicates import SubschemaPredicates
from promptpack.schema.supported_keywords import KEYWORD_TYPES, SchemaFallbackError, require_supported, require_texts

# The steps to validate one value; one of our steps takes as long as this many of them.
_VALIDATION_STEPS: Final = 50_000
_VALIDATION_STEPS_A_STEP: Final = 20
# So many words of an enum are read in one step.
_WORDS_A_STEP: Final = 8
_ONE: Final = frozenset(("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"))
_SEVERAL: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED: Final = frozenset(("dependentSchemas", "patternProperties", "properties"))
_ASSERTIONS: Final = frozenset((*KEYWORD_TYPES, "then", "else", "minContains", "maxContains")) - {"format"}
_REFUSED: Final = ("$dynamicRef", "$recursiveRef", "$id")


class SchemaNode:
    """One schema, with the document that its references point into."""

    __slots__ = ("allows_only_words", "document", "number", "schema", "words")

    def __init__(self, schema: Mapping[str, Any] | bool, document: SchemaDocument, number: int) -> None:
        self.schema: Mapping[str, Any] | bool = schema
        self.document: SchemaDocument = document
        self.number: int = number
        self.words: frozenset[Any] | None = None
        """The equality keys of the values that its `enum` or `const` lists."""
        self.allows_only_words: bool = False
        if isinstance(schema, Mapping) and ("enum" in schema or "const" in schema):
            values = schema.get("enum", [schema.get("const")])
            self.words = frozenset(equality_key(value) for value in values)
            self.allows_only_words = len(_assertions(schema)) == 1

    def __hash__(self) -> int:
        # Not the address: the order of a set of nodes decides what is tried first, and must be the same in every run.
        return self.number

    def __repr__(self) -> str:
        return f"SchemaNode({self.number}, {self.schema!r})"


class Literal(NamedTuple):
    """A value is valid for a schema, or is not."""

    node: SchemaNode
    holds: bool

    @property
    def opposite(self) -> Literal:
        """The literal that holds exactly if this one does not."""
        return Literal(self.node, not self.holds)


Goal = frozenset[Literal]
"""Literals that one value must meet together."""


class SchemaDocument:
    """A schema with local references only, and without `unevaluatedItems` and `unevaluatedProperties`."""

    def __init__(self, root: Mapping[str, Any], meter: StepMeter) -> None:
        self.root = root
        self._meter = meter
        self._predicates = SubschemaPredicates(root)

    def resolve(self, reference: str) -> Any:
        """Return the schema that a reference points to."""
        is_pointer = reference == "#" or reference.startswith("#/")
        target = find_target(self.root, reference) if is_pointer and "%" not in reference else None
        if not isinstance(target, Mapping | bool):
            raise UndecidedError(f"the reference {reference!r} has no local target")
        return target

    def accepts(self, schema: Any, value: Any) -> bool:
        """Return whether a value is valid for a subschema, or raise `UndecidedError`."""
        if isinstance(schema, bool):
            return schema
        steps = [_VALIDATION_STEPS]
        try:
            return self._predicates.accept(schema, value, steps)
        except SchemaFallbackError:
            raise UndecidedError("a value takes too long to validate") from None
        finally:
            self._meter.spend(1 + (_VALIDATION_STEPS - steps[0]) // _VALIDATION_STEPS_A_STEP)


class SchemaNodes:
    """All nodes of a decision."""

    def __init__(self, meter: StepMeter) -> None:
        self.meter = meter
        self._by_schema: dict[tuple[int, int], SchemaNode | None] = {}
        self._by_key: dict[Any, SchemaNode] = {}
        # Schemas made on the way are kept, so that their ids stay unique.
        self._alive: list[Any] = []

    def make(self, schema: Any, document: SchemaDocument) -> SchemaNode:
        """Return the node of a schema, which may refer into the document."""
        where = (id(schema), id(document))
        known = self._by_schema.get(where)
        if known is not None:
            return known
        self.meter.spend()
        self._alive.append(schema)
        self._by_schema[where] = None  # in progress
        if isinstance(schema, Mapping) and _assertions(schema) == {"$ref"}:
            target = document.resolve(schema["$ref"])
            if self._by_schema.get((id(target), id(document)), target) is not None:
                node = self.make(target, document)
                self._by_schema[where] = node
                return node
        key = self._key(schema, document)
        node = self._by_key.get(key) or SchemaNode(schema, document, len(self._by_key))
        self._by_key[key] = self._by_schema[where] = node
        return node

    def _key(self, schema: Any, document: SchemaDocument) -> Any:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            raise UndecidedError("a schema is neither a mapping nor a boolean")
        for keyword in _REFUSED:
            if keyword in schema and (keyword != "$id" or schema is not document.root):
                raise UndecidedError(f"the keyword {keyword!r} is not supported")
        return frozenset(self._parts(schema, document)) or True

    def _parts(self, schema: Mapping[str, Any], document: SchemaDocument) -> Iterator[tuple[str, Any]]:
        for keyword in _assertions(schema):
            expected = schema[keyword]
            try:
                require_supported({keyword: expected})
                yield keyword, self._part(keyword, expected, document)
            except (SchemaFallbackError, TypeError) as error:
                raise UndecidedError(f"the value of {keyword!r} has a wrong type") from error

    def _part(self, keyword: str, expected: Any, document: SchemaDocument) -> Any:
        if keyword in _ONE:
            return self._child(expected, document)
        if keyword in _SEVERAL:
            return tuple(self._child(one, document) for one in expected)
        if keyword in _NAMED:
            return frozenset((name, self._child(one, document)) for name, one in expected.items())
        if keyword == "$ref":
            return self._child(document.resolve(expected), document)
        if keyword in ("enum", "const"):
            values = expected if keyword == "enum" else [expected]
            self.meter.spend(1 + len(values) // _WORDS_A_STEP)
            return frozenset(map(equality_key, values))
        if keyword == "dependentRequired":
            return frozenset((name, frozenset(require_texts(others))) for name, others in expected.items())
        if keyword in ("required", "type"):
            return frozenset([expected] if isinstance(expected, str) else require_texts(expected))
        if keyword in ("minContains", "maxContains") and not isinstance(expected, int | float):
            raise SchemaFallbackError
        return expected

    def _child(self, schema: Any, document: SchemaDocument) -> Any:
        """Return the number of a child; one that is in progress refers to itself, and is known by its place."""
        where = (id(schema), id(document))
        if self._by_schema.get(where, schema) is None:
            return ("loop", *where)
        return self.make(schema, document).number


def _assertions(schema: Mapping[str, Any]) -> frozenset[str]:
    return _ASSERTIONS & schema.keys()
