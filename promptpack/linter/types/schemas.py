"""JSON Schema -> the type of the values that it accepts; a value that it does not restrict stays unknown."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.linter.analysis_meter import count_steps
from promptpack.linter.schema_lookup import misspelled_required
from promptpack.linter.types.lattice import (
    ANY,
    INTEGER,
    NEVER,
    AnyType,
    BooleanType,
    ListType,
    MappingType,
    NullType,
    NumberType,
    Property,
    TextType,
    Type,
    intersect,
    members,
    type_of,
    union,
)
from promptpack.schema.pointers import find_target

_MAX_DEPTH: Final = 24
_MAPPING_KEYWORDS: Final = ("properties", "required", "additionalProperties", "patternProperties")
_MAX_WORDS: Final = 64


def from_schema(schema: Any) -> Type:
    """Return the type of the values that a schema accepts; all its references are local."""
    return _SchemaReader(schema).read(schema, 0)


class _SchemaReader:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._cache: dict[str, Type] = {}

    def read(self, schema: Any, depth: int) -> Type:
        count_steps()
        if schema is False:
            return NEVER
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            return ANY
        found = self._own(schema, depth)
        for part in self._parts(schema, depth):
            found = intersect(found, part)
        return self._split(found, schema, depth)

    def _parts(self, schema: Mapping[str, Any], depth: int) -> Iterator[Type]:
        if "$ref" in schema:
            yield self._follow(schema["$ref"], depth)
        if "const" in schema:
            yield type_of(schema["const"])
        if isinstance(schema.get("enum"), list):
            yield union(type_of(value) for value in schema["enum"])
        for inner in schema.get("allOf") or ():
            yield self.read(inner, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if schema.get(keyword):
                yield union(self.read(inner, depth + 1) for inner in schema[keyword])

    def _follow(self, reference: Any, depth: int) -> Type:
        if not isinstance(reference, str) or not reference.startswith("#"):
            return ANY
        if reference not in self._cache:
            self._cache[reference] = ANY  # stops references that refer to themselves
            self._cache[reference] = self.read(find_target(self._root, reference), depth + 1)
        return self._cache[reference]

    def _own(self, schema: Mapping[str, Any], depth: int) -> Type:
        declared = schema.get("type")
        if declared is None:
            describes_mapping = any(keyword in schema for keyword in _MAPPING_KEYWORDS)
            return AnyType(self._mapping(schema, depth)) if describes_mapping else ANY
        kinds = declared if isinstance(declared, list) else [declared]
        return union(self._kind(kind, schema, depth) for kind in kinds)

    def _kind(self, kind: Any, schema: Mapping[str, Any], depth: int) -> Type:
        match kind:
            case "null":
                return NullType()
            case "boolean":
                return BooleanType()
            case "integer":
                return INTEGER
            case "number":
                return NumberType()
            case "string":
                return TextType(None, frozenset(("",)) if schema.get("minLength", 0) >= 1 else frozenset())
            case "array":
                return ListType(ANY if "prefixItems" in schema else self.read(schema.get("items", True), depth + 1))
            case "object":
                return self._mapping(schema, depth)
        return ANY

    def _mapping(self, schema: Mapping[str, Any], depth: int) -> MappingType:
        # PP220 and PL025 report a misspelled name; the property it means is required.
        meant = misspelled_required(schema)
        required = [meant.get(name, name) for name in schema.get("required") or ()]
        properties = {
            name: Property(self.read(inner, depth + 1), name in required)
            for name, inner in (schema.get("properties") or {}).items()
        }
        patterns = [self.read(inner, depth + 1) for inner in (schema.get("patternProperties") or {}).values()]
        if schema.get("additionalProperties") is False:
            rest = union(patterns) if patterns else None
        else:
            rest = union((self.read(schema.get("additionalProperties", True), depth + 1), *patterns))
        undeclared = {name: Property(rest or ANY, required=True) for name in required if name not in properties}
        return MappingType({**properties, **undeclared}, rest)

    def _split(self, found: Type, schema: Mapping[str, Any], depth: int) -> Type:
        """Split a type into the variants of `if`/`then` on one word, such as the `action` of a contract."""
        conditions = [
            condition
            for inner in (schema, *(schema.get("allOf") or ()))
            if (condition := _condition(inner)) is not None
        ]
        for key in dict.fromkeys(key for key, _, _ in conditions):
            cases = [(words, then) for other, words, then in conditions if other == key]
            if sum(len(words) for words, _ in cases) <= _MAX_WORDS:
                found = union(self._variants(one, key, cases, depth) for one in members(found))
        return found

    def _variants(self, one: Type, key: str, cases: list[tuple[tuple[str, ...], Any]], depth: int) -> Type:
        if not isinstance(one, MappingType) or key not in one.properties or not one.properties[key].required:
            return one
        decided = list(dict.fromkeys(word for words, _ in cases for word in words))
        variants = [
            self._variant(one, key, type_of(word), [then for words, then in cases if word in words], depth)
            for word in decided
        ]
        return union((*variants, self._variant(one, key, TextType(None, frozenset(decided)), [], depth)))

    def _variant(self, one: MappingType, key: str, word: Type, also: list[Any], depth: int) -> Type:
        narrowed = intersect(one, MappingType({key: Property(word, required=True)}))
        for then in also:
            narrowed = intersect(narrowed, self.read(then, depth + 1))
        return narrowed


def _condition(schema: Any) -> tuple[str, tuple[str, ...], Any] | None:
    """Read `if: {properties: {key: {const: word}}, required: [key]}, then: ...`; return None for any other form."""
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
