"""JSON Schema -> type: what a schema says about every value that it accepts; what it leaves open stays open."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.linter.types.lattice import (
    ANY,
    NEVER,
    WHOLE,
    Anything,
    Boolean,
    Field,
    ListOf,
    MappingOf,
    Meeting,
    Null,
    Number,
    Text,
    Type,
    join,
    members,
    type_of,
)

_DEEPEST: Final = 24
_ABOUT_MAPPINGS: Final = ("properties", "required", "additionalProperties", "patternProperties")
_MOST_WORDS: Final = 64


def from_schema(schema: Any) -> Type:
    """Give the type of the values that a schema accepts; its references are all local."""
    return _Reader(schema).read(schema, 0)


class _Reader:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[str, Type] = {}
        self._meet = Meeting()

    def read(self, schema: Any, depth: int) -> Type:
        if schema is False:
            return NEVER
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return ANY
        found = self._own(schema, depth)
        for part in self._parts(schema, depth):
            found = self._meet(found, part)
        return self._split(found, schema, depth)

    def _parts(self, schema: Mapping[str, Any], depth: int) -> Iterator[Type]:
        if "$ref" in schema:
            yield self._follow(schema["$ref"], depth)
        if "const" in schema:
            yield type_of(schema["const"])
        if isinstance(schema.get("enum"), list):
            yield join(type_of(value) for value in schema["enum"])
        for inner in schema.get("allOf") or ():
            yield self.read(inner, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if schema.get(keyword):
                yield join(self.read(inner, depth + 1) for inner in schema[keyword])

    def _follow(self, reference: Any, depth: int) -> Type:
        if not isinstance(reference, str) or not reference.startswith("#"):
            return ANY
        if reference not in self._known:
            self._known[reference] = ANY  # what refers to itself is not followed round and round
            target = self._root
            for step in reference[1:].split("/")[1:]:
                name = step.replace("~1", "/").replace("~0", "~")
                target = target.get(name, True) if isinstance(target, Mapping) else True
            self._known[reference] = self.read(target, depth + 1)
        return self._known[reference]

    def _own(self, schema: Mapping[str, Any], depth: int) -> Type:
        declared = schema.get("type")
        if declared is None:
            about = any(keyword in schema for keyword in _ABOUT_MAPPINGS)
            return Anything(self._mapping(schema, depth)) if about else ANY
        kinds = declared if isinstance(declared, list) else [declared]
        return join(self._kind(kind, schema, depth) for kind in kinds)

    def _kind(self, kind: Any, schema: Mapping[str, Any], depth: int) -> Type:
        match kind:
            case "null":
                return Null()
            case "boolean":
                return Boolean()
            case "integer":
                return WHOLE
            case "number":
                return Number()
            case "string":
                return Text(None, frozenset(("",)) if _at_least_one(schema.get("minLength")) else frozenset())
            case "array":
                return ListOf(ANY if "prefixItems" in schema else self.read(schema.get("items", True), depth + 1))
            case "object":
                return self._mapping(schema, depth)
        return ANY

    def _mapping(self, schema: Mapping[str, Any], depth: int) -> MappingOf:
        required = schema.get("required") or ()
        fields = {
            name: Field(self.read(inner, depth + 1), name in required)
            for name, inner in (schema.get("properties") or {}).items()
        }
        patterns = [self.read(inner, depth + 1) for inner in (schema.get("patternProperties") or {}).values()]
        if schema.get("additionalProperties") is False:
            rest = join(patterns) if patterns else None
        else:
            rest = join((self.read(schema.get("additionalProperties", True), depth + 1), *patterns))
        undeclared = {name: Field(ANY if rest is None else rest, True) for name in required if name not in fields}
        return MappingOf({**fields, **undeclared}, rest)

    def _split(self, found: Type, schema: Mapping[str, Any], depth: int) -> Type:
        """Tell the variants apart that `if`/`then` makes by one word, as a contract does by its `action`."""
        conditions = [
            condition
            for inner in (schema, *(schema.get("allOf") or ()))
            if (condition := _condition(inner)) is not None
        ]
        for key in dict.fromkeys(key for key, _, _ in conditions):
            cases = [(words, then) for other, words, then in conditions if other == key]
            if sum(len(words) for words, _ in cases) <= _MOST_WORDS:
                found = join(self._variants(one, key, cases, depth) for one in members(found))
        return found

    def _variants(self, one: Type, key: str, cases: list[tuple[tuple[str, ...], Any]], depth: int) -> Type:
        if not isinstance(one, MappingOf) or key not in one.fields or not one.fields[key].required:
            return one
        decided = list(dict.fromkeys(word for words, _ in cases for word in words))
        variants = [
            self._variant(one, key, Text(frozenset((word,))), [then for words, then in cases if word in words], depth)
            for word in decided
        ]
        return join((*variants, self._variant(one, key, Text(None, frozenset(decided)), [], depth)))

    def _variant(self, one: MappingOf, key: str, word: Type, also: list[Any], depth: int) -> Type:
        narrowed = self._meet(one, MappingOf({key: Field(word, required=True)}))
        for then in also:
            narrowed = self._meet(narrowed, self.read(then, depth + 1))
        return narrowed


def _condition(schema: Any) -> tuple[str, tuple[str, ...], Any] | None:
    """Read `if: {properties: {key: {const: word}}, required: [key]}, then: ...`; any other form is left alone."""
    if not isinstance(schema, Mapping) or "then" not in schema or not isinstance(schema.get("if"), Mapping):
        return None
    test: Mapping[str, Any] = schema["if"]
    properties = test.get("properties")
    if set(test) - {"properties", "required", "type"} or not isinstance(properties, Mapping) or len(properties) != 1:
        return None
    ((key, inner),) = properties.items()
    if not isinstance(inner, Mapping) or len(inner) != 1:
        return None
    words = inner.get("enum", [inner["const"]] if "const" in inner else None)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return None
    return key, tuple(words), schema["then"]


def _at_least_one(number: Any) -> bool:
    return isinstance(number, (int, float)) and number >= 1
