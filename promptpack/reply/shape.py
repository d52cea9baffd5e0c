"""A small view of a JSON Schema: which schemas apply to a value, given the values beside it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from promptpack.lazy import cached_property
from promptpack.reply.tree import same
from promptpack.reply.words import GROUP_OF, fold
from promptpack.schema.keywords import MAX_STEPS
from promptpack.schema.patterns import PatternError, read_pattern
from promptpack.schema.predicates import SubschemaPredicates
from promptpack.schema.supported_keywords import SchemaFallbackError

Schema = Mapping[str, Any]
_T = TypeVar("_T")
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),),
    "integer": (int, float), "number": (int, float),
}  # fmt: skip
_MAX_REFS = 32
_CONDITIONS = frozenset(("if", "anyOf", "oneOf"))
_NAMING = frozenset(("properties", "patternProperties"))
_CHOICES = frozenset((*_CONDITIONS, "enum", "const", "not"))


class Shape:
    """The schemas that hold for one place; what it works out it remembers, so one view serves many replies."""

    def __init__(self, schemas: tuple[Schema, ...], root: Schema, known: "_Known") -> None:
        self.schemas = schemas
        self.root = root
        self.conditional = tuple(one for one in schemas if not _CONDITIONS.isdisjoint(one))
        self._known = known
        self._chosen: dict[tuple[int, ...], Shape] = {}

    @classmethod
    def of(cls, schema: "Schema | Shape") -> "Shape":
        """View a whole contract."""
        if isinstance(schema, Shape):
            return schema
        known = _Known(schema)
        return cls(known.flat(schema), schema, known)

    @cached_property
    def empty(self) -> "Shape":
        """View a place that the contract does not describe."""
        return Shape((), self.root, self._known)

    def with_conditions(self, value: Any) -> "Shape":
        """Add the branches of `if`, `anyOf` and `oneOf` that this value chooses."""
        if not self.conditional:
            return self
        chosen = tuple(part for schema in self.conditional for part in self._branches(schema, value))
        if not chosen:
            return self
        name = tuple(map(id, chosen))
        if name not in self._chosen:
            self._chosen[name] = Shape((*self.schemas, *chosen), self.root, self._known)
        return self._chosen[name]

    def _branches(self, schema: Schema, value: Any) -> Iterator[Schema]:
        if "if" in schema:
            branch = schema.get("then" if self._meets(schema["if"], value) else "else")
            for part in self._known.flat(branch):
                yield part
                yield from self._branches(part, value)
        for word in ("anyOf", "oneOf"):
            options = [option for option in schema.get(word, ()) if self._may_be(option, value)]
            if len(options) == 1:
                yield from self._known.flat(options[0])

    def _meets(self, condition: Any, value: Any) -> bool:
        try:
            return self._known.tests.accept(condition, value, [MAX_STEPS])
        except SchemaFallbackError:
            return self.admits(condition, value)

    def _may_be(self, option: Schema, value: Any) -> bool:
        """Say whether an option is not ruled out by its fixed words (a discriminator)."""
        for part in self._known.flat(option):
            if "type" in part and not _has_type(part["type"], value):
                return False
            for name, inner in part.get("properties", {}).items():
                fixed = "const" in inner or "enum" in inner
                if fixed and isinstance(value, dict) and name in value and not self.admits(inner, value[name]):
                    return False
        return True

    @cached_property
    def properties(self) -> dict[str, "Shape"]:
        """Give the shape of every named property."""
        found: dict[str, list[Schema]] = {}
        for schema in self.schemas:
            for name, inner in schema.get("properties", {}).items():
                found.setdefault(name, []).extend(self._known.flat(inner))
        return {name: Shape(tuple(schemas), self.root, self._known) for name, schemas in found.items()}

    def knows(self, key: str) -> bool:
        """Say whether a key is foreseen: by name, by a pattern, as any key is, or in a branch that may be meant."""
        if self._takes_any_key or key in self._names:
            return True
        patterns = (pattern for part in self._branching for pattern in part.get("patternProperties", ()))
        try:
            return any(read_pattern(pattern).is_found_in(key) for pattern in patterns)
        except PatternError:  # the key is too long for them
            return True

    @cached_property
    def _takes_any_key(self) -> bool:
        is_free = all(_NAMING.isdisjoint(part) for part in self._branching)
        return is_free or any(part.get("additionalProperties") is True for part in self._branching)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for part in self._branching for name in part.get("properties", ()))

    @cached_property
    def _branching(self) -> tuple[Schema, ...]:
        """The schemas with the branches that no value chooses; there may be a circle of them."""
        found: dict[int, Schema] = {}
        waiting = list(reversed(self.schemas))
        while waiting:
            schema = waiting.pop()
            if id(schema) not in found:
                found[id(schema)] = schema
                open_branches = [schema.get("if"), *schema.get("dependentSchemas", {}).values()]
                open_branches += [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
                waiting.extend(part for branch in open_branches for part in self._known.flat(branch))
        return tuple(found.values())

    @cached_property
    def required(self) -> frozenset[str]:
        """Name the properties that must be there."""
        return frozenset(name for schema in self.schemas for name in schema.get("required", ()))

    @cached_property
    def discriminators(self) -> frozenset[str]:
        """Name the properties that conditions ask about."""
        parts = [part for schema in self.conditional for part in _conditions(schema, self._known)]
        return frozenset(name for part in parts for name in (*part.get("properties", ()), *part.get("required", ())))

    @cached_property
    def items(self) -> "Shape | None":
        """Give the shape of a list's items."""
        return self._inner("items")

    @cached_property
    def extra(self) -> "Shape | None":
        """Give the shape of properties without a name of their own."""
        return self._inner("additionalProperties")

    def _inner(self, keyword: str) -> "Shape | None":
        parts = tuple(part for schema in self.schemas for part in self._known.flat(schema.get(keyword)))
        return Shape(parts, self.root, self._known) if parts else None

    @cached_property
    def types(self) -> frozenset[str]:
        """Name the types allowed by all schemas; empty when any is."""
        found: frozenset[str] | None = None
        for schema in self.schemas:
            kinds = _kinds(schema, self._known)
            if kinds is not None:
                found = kinds if found is None else found & kinds
        return found or frozenset()

    def has_type(self, value: Any) -> bool:
        """Say whether a value is of an allowed type."""
        return not self.types or _has_type(self.types, value)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Name the types a value may have, also where the schema only implies them."""
        if self.types:
            return self.types
        if self.properties:
            return frozenset(("object",))
        return frozenset(("array",)) if self.items else frozenset()

    @cached_property
    def words(self) -> tuple[Any, ...] | None:
        """Give the fixed words (`enum` or `const`), or nothing when any value may stand."""
        for schema in self.schemas:
            if "enum" in schema:
                return tuple(schema["enum"])
            if "const" in schema:
                return (schema["const"],)
        return None

    @cached_property
    def folded(self) -> dict[str, list[str]]:
        """Group the property names by the form in which spellings of one name are equal."""
        return self._grouped(lambda name, _: [fold(name)])

    @cached_property
    def aliases(self) -> dict[str, list[str]]:
        """Group the property names by the other names that the schema gives them."""
        return self._grouped(lambda _, inner: [str(one) for one in inner.first("x-aliases") or ()])

    @cached_property
    def ideas(self) -> dict[int | None, list[str]]:
        """Group the property names by the well-known idea they stand for."""
        return self._grouped(lambda name, _: [GROUP_OF.get(fold(name))])

    def _grouped(self, keys: "Callable[[str, Shape], Iterable[_T]]") -> dict[_T, list[str]]:
        found: dict[_T, list[str]] = {}
        for name, inner in self.properties.items():
            for key in keys(name, inner):
                found.setdefault(key, []).append(name)
        return found

    def first(self, keyword: str) -> Any:
        """Give the first value of a keyword."""
        return next((schema[keyword] for schema in self.schemas if keyword in schema), None)

    def holds(self, value: Any) -> bool:
        """Say whether a value meets what this view understands of the schemas."""
        if isinstance(value, str) and self.takes_any_text:
            return True
        whole = self.with_conditions(value)
        return all(self.admits(schema, value) for schema in whole.schemas)

    @cached_property
    def takes_any_text(self) -> bool:
        """Whether nothing can be wrong with a text here."""
        return not any(
            _CHOICES & schema.keys() or "string" not in schema.get("type", "string") for schema in self.schemas
        )

    def admits(self, schema: Any, value: Any) -> bool:
        """Check one schema; patterns and formats are left to the contract's own check."""
        if isinstance(schema, bool):
            return schema
        parts = self._known.flat(schema)
        return all(self._admits_plain(part, value) for part in parts) and self._combined(schema, value)

    def _combined(self, schema: Schema, value: Any) -> bool:
        if "anyOf" in schema and not any(self.admits(option, value) for option in schema["anyOf"]):
            return False
        if "oneOf" in schema and not any(self.admits(option, value) for option in schema["oneOf"]):
            return False
        return not ("not" in schema and self.admits(schema["not"], value))

    def _admits_plain(self, schema: Schema, value: Any) -> bool:
        if "type" in schema and not _has_type(schema["type"], value):
            return False
        if "enum" in schema and not _is_one_of(value, schema["enum"]):
            return False
        if "const" in schema and not same(schema["const"], value):
            return False
        if isinstance(value, dict):
            return self._admits_object(schema, value)
        if isinstance(value, list):
            return self._admits_list(schema, value)
        return _in_range(schema, value)

    def _admits_object(self, schema: Schema, value: dict[str, Any]) -> bool:
        if any(name not in value for name in schema.get("required", ())):
            return False
        named = schema.get("properties", {})
        return all(self.admits(inner, value[name]) for name, inner in named.items() if name in value)

    def _admits_list(self, schema: Schema, value: list[Any]) -> bool:
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return False
        items = schema.get("items", True)
        return all(self.admits(items, item) for item in value)


class _Known:
    """The parts every schema of one document leads to, by local references and `allOf`; worked out once."""

    __slots__ = ("_parts", "root", "tests")

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.tests = SubschemaPredicates(root)
        # The schema itself is kept beside its parts, so that its identity cannot pass to another.
        self._parts: dict[int, tuple[Any, tuple[Schema, ...]]] = {}

    def flat(self, schema: Any) -> tuple[Schema, ...]:
        """List a schema and all it leads to."""
        known = self._parts.get(id(schema))
        if known is None:
            known = self._parts[id(schema)] = (schema, tuple(_flat(schema, self.root)))
        return known[1]


def _flat(schema: Any, root: Schema, depth: int = 0) -> Iterator[Schema]:
    """Follow local references and `allOf`; a reference that leads nowhere asks for nothing."""
    if not isinstance(schema, Mapping) or depth > _MAX_REFS:
        return
    yield schema
    if isinstance(schema.get("$ref"), str):
        yield from _flat(_resolve(schema["$ref"], root), root, depth + 1)
    for part in schema.get("allOf", ()):
        yield from _flat(part, root, depth + 1)


def _resolve(reference: str, root: Schema) -> Any:
    current: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        if not isinstance(current, Mapping):
            return None
        current = current.get(step.replace("~1", "/").replace("~0", "~"))
    return current if reference.startswith("#") else None


def _conditions(schema: Schema, known: _Known) -> Iterator[Schema]:
    yield from known.flat(schema.get("if"))
    for part in known.flat(schema.get("else")):
        yield from _conditions(part, known)
    for word in ("anyOf", "oneOf"):
        for option in schema.get(word, ()):
            for part in known.flat(option):
                fixed = {
                    name: one for name, one in part.get("properties", {}).items() if "const" in one or "enum" in one
                }
                yield {"properties": fixed}


def _kinds(schema: Schema, known: _Known) -> frozenset[str] | None:
    kind = schema.get("type")
    if isinstance(kind, str):
        return frozenset((kind,))
    if isinstance(kind, Iterable):
        return frozenset(kind)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            found = [_kinds(part, known) for option in schema[word] for part in known.flat(option)]
            return frozenset(name for names in found if names for name in names) or None
    return None


def _has_type(kind: Any, value: Any) -> bool:
    names = (kind,) if isinstance(kind, str) else tuple(kind)
    return any(_is_a(name, value) for name in names)


def _is_a(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))


def _is_one_of(value: Any, words: Iterable[Any]) -> bool:
    return value in words if type(value) is str else any(same(word, value) for word in words)


def _in_range(schema: Schema, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
    )
