"""A view of a JSON Schema: which schemas apply to a value, given its sibling values."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from promptpack.lazy import cached_property
from promptpack.reply.alternatives import Options, has_type, words_of
from promptpack.reply.fixed_words import FixedWords
from promptpack.reply.synonyms import GROUP_OF, fold
from promptpack.reply.syntax_tree import is_same
from promptpack.schema.equality import equality_key
from promptpack.schema.patterns import PatternError, read_pattern
from promptpack.schema.pointers import SchemaData, find_target
from promptpack.schema.predicates import SubschemaPredicates
from promptpack.schema.supported_keywords import MAX_STEPS, SchemaFallbackError

_T = TypeVar("_T")
_MAX_REFS = 32
# A value is compared with this many conditions and parts of its schema; the contract checks all of them.
_MAX_PARTS = 50
_CONDITIONS = frozenset(("if", "anyOf", "oneOf"))
_NAMING = frozenset(("properties", "patternProperties"))
_CHOICES = frozenset((*_CONDITIONS, "enum", "const", "not"))


class Shape:
    """The schemas that apply to one value; computed results are cached, so that one shape serves many replies."""

    def __init__(self, schemas: tuple[SchemaData, ...], root: SchemaData, cache: "_SchemaCache") -> None:
        self.schemas = schemas
        self.root = root
        conditional = tuple(one for one in schemas if not _CONDITIONS.isdisjoint(one))
        self.conditional: tuple[SchemaData, ...] = conditional[:_MAX_PARTS]
        self._cache = cache
        self._branch_cache: dict[tuple[int, ...], Shape] = {}

    @classmethod
    def of(cls, schema: "SchemaData | Shape") -> "Shape":
        """Return the shape of a whole contract."""
        if isinstance(schema, Shape):
            return schema
        cache = _SchemaCache(schema)
        return cls(cache.flatten(schema), schema, cache)

    def warm(self) -> None:
        """Compile the conditions of all branches now."""
        self._cache.tests.warm()

    @cached_property
    def empty(self) -> "Shape":
        """The shape of a value that the contract does not describe."""
        return Shape((), self.root, self._cache)

    def with_conditions(self, value: Any) -> "Shape":
        """Return the shape with the branches of `if`, `anyOf` and `oneOf` that a value selects."""
        if not self.conditional:
            return self
        chosen = tuple(part for schema in self.conditional for part in self._branches(schema, value))
        if not chosen:
            return self
        name = tuple(map(id, chosen))
        if name not in self._branch_cache:
            self._branch_cache[name] = Shape((*self.schemas, *chosen), self.root, self._cache)
        return self._branch_cache[name]

    def _branches(self, schema: SchemaData, value: Any) -> Iterator[SchemaData]:
        if "if" in schema:
            branch = schema.get("then" if self._meets_condition(schema["if"], value) else "else")
            for part in self._cache.flatten(branch):
                yield part
                yield from self._branches(part, value)
        for word in ("anyOf", "oneOf"):
            options = self._cache.options(schema[word], self._meets_schema).possible(value) if word in schema else []
            if len(options) > 1:
                options = self._without_nulls(options, value)
            if len(options) == 1:
                yield from self._cache.flatten(options[0])

    def _without_nulls(self, options: list[SchemaData], value: Any) -> list[SchemaData]:
        """Return the first option that an object meets once its nulls are left out, as replies to strict schemas do."""
        if not isinstance(value, dict):
            return options
        left = _drop_nulls(value)
        if left == value:
            return options
        return next(([option] for option in options if self._meets_schema(option, left)), options)

    def _meets_condition(self, condition: Any, value: Any) -> bool:
        try:
            return self._cache.tests.accept(condition, value, [MAX_STEPS])
        except SchemaFallbackError:
            return self._meets_schema(condition, value)

    @cached_property
    def properties(self) -> dict[str, "Shape"]:
        """The shape of each named property."""
        found: dict[str, list[SchemaData]] = {}
        for schema in self.schemas:
            for name, inner in schema.get("properties", {}).items():
                found.setdefault(name, []).extend(self._cache.flatten(inner))
        return {name: Shape(tuple(schemas), self.root, self._cache) for name, schemas in found.items()}

    def declares(self, key: str) -> bool:
        """Return whether the contract declares a key: by name, by pattern, as any key, or in a possible branch."""
        if self._accepts_any_key or key in self._names:
            return True
        patterns = (pattern for part in self._branching for pattern in part.get("patternProperties", ()))
        steps = [MAX_STEPS]
        try:
            return any(read_pattern(pattern).is_found_in(key, steps) for pattern in patterns)
        except PatternError:  # the key is too long for the patterns
            return True

    def declares_name(self, name: str) -> bool:
        """Return whether the contract names a key, in any possible branch."""
        return name in self._names

    @cached_property
    def _accepts_any_key(self) -> bool:
        is_free = all(_NAMING.isdisjoint(part) for part in self._branching)
        return is_free or any(part.get("additionalProperties") is True for part in self._branching)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for part in self._branching for name in part.get("properties", ()))

    @cached_property
    def _branching(self) -> tuple[SchemaData, ...]:
        """The schemas and all branches that may apply; references may form a cycle."""
        found: dict[int, SchemaData] = {}
        waiting = list(reversed(self.schemas))
        while waiting:
            schema = waiting.pop()
            if id(schema) not in found:
                found[id(schema)] = schema
                open_branches = [schema.get("if"), *schema.get("dependentSchemas", {}).values()]
                open_branches += [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
                waiting.extend(part for branch in open_branches for part in self._cache.flatten(branch))
        return tuple(found.values())

    @cached_property
    def required(self) -> frozenset[str]:
        """The names of the required properties."""
        return frozenset(name for schema in self.schemas for name in schema.get("required", ()))

    @cached_property
    def discriminators(self) -> frozenset[str]:
        """The names of the properties that conditions test."""
        parts = [part for schema in self.conditional for part in _conditions(schema, self._cache)]
        return frozenset(name for part in parts for name in (*part.get("properties", ()), *part.get("required", ())))

    @cached_property
    def items(self) -> "Shape | None":
        """The shape of the items of a list."""
        return self._inner("items")

    @cached_property
    def extra(self) -> "Shape | None":
        """The shape of properties that the schema does not name."""
        return self._inner("additionalProperties")

    def _inner(self, keyword: str) -> "Shape | None":
        parts = tuple(part for schema in self.schemas for part in self._cache.flatten(schema.get(keyword)))
        return Shape(parts, self.root, self._cache) if parts else None

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that all schemas allow; empty if any type is allowed."""
        found: frozenset[str] | None = None
        for schema in self.schemas:
            kinds = _kinds(schema, self._cache)
            if kinds is not None:
                found = kinds if found is None else found & kinds
        return found or frozenset()

    def has_type(self, value: Any) -> bool:
        """Return whether a value is of an allowed type."""
        return not self.types or has_type(self.types, value)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The types that a value may have, including those that the schema only implies."""
        if self.types:
            return self.types
        if self.properties:
            return frozenset(("object",))
        return frozenset(("array",)) if self.items else frozenset()

    @cached_property
    def words(self) -> tuple[Any, ...] | None:
        """The fixed words (`enum` or `const`); None if the schema has none."""
        for schema in self.schemas:
            if "enum" in schema:
                return tuple(schema["enum"])
            if "const" in schema:
                return (schema["const"],)
        return None

    @cached_property
    def fixed_words(self) -> FixedWords | None:
        """The fixed words, as texts are compared with them; None if the schema has none."""
        return None if self.words is None else FixedWords(self.words, self.first("x-values"))

    @cached_property
    def by_folded_name(self) -> dict[str, list[str]]:
        """The property names, grouped by folded spelling."""
        return self._grouped(lambda name, _: [fold(name)])

    @cached_property
    def by_alias(self) -> dict[str, list[str]]:
        """The property names, grouped by the aliases that the schema lists."""
        return self._grouped(lambda _, inner: [str(one) for one in inner.first("x-aliases") or ()])

    @cached_property
    def by_group(self) -> dict[int | None, list[str]]:
        """The property names, grouped by their group of synonyms."""
        return self._grouped(lambda name, _: [GROUP_OF.get(fold(name))])

    def _grouped(self, keys: "Callable[[str, Shape], Iterable[_T]]") -> dict[_T, list[str]]:
        found: dict[_T, list[str]] = {}
        for name, inner in self.properties.items():
            for key in keys(name, inner):
                found.setdefault(key, []).append(name)
        return found

    def first(self, keyword: str) -> Any:
        """Return the first value of a keyword."""
        return next((schema[keyword] for schema in self.schemas if keyword in schema), None)

    def accepts(self, value: Any) -> bool:
        """Return whether a value meets the part of the schemas that this view supports."""
        if isinstance(value, str) and self.accepts_any_text:
            return True
        whole = self.with_conditions(value)
        return all(self._meets_schema(schema, value) for schema in whole.schemas[:_MAX_PARTS])

    @cached_property
    def accepts_any_text(self) -> bool:
        """Whether any text is valid here."""
        return not any(
            _CHOICES & schema.keys() or "string" not in schema.get("type", "string") for schema in self.schemas
        )

    def _meets_schema(self, schema: Any, value: Any) -> bool:
        """Check one schema; patterns and formats are left to the schema check of the contract."""
        if isinstance(schema, bool):
            return schema
        parts = self._cache.flatten(schema)[:_MAX_PARTS]
        return all(self._meets_plain(part, value) for part in parts) and self._combined(schema, value)

    def _combined(self, schema: SchemaData, value: Any) -> bool:
        for word in ("anyOf", "oneOf"):
            options = schema.get(word, ())
            if 0 < len(options) <= _MAX_PARTS and not any(self._meets_schema(option, value) for option in options):
                return False
        return not ("not" in schema and self._meets_schema(schema["not"], value))

    def _meets_plain(self, schema: SchemaData, value: Any) -> bool:
        if "type" in schema and not has_type(schema["type"], value):
            return False
        if "enum" in schema and not self._cache.has_word(schema, value):
            return False
        if "const" in schema and not is_same(schema["const"], value):
            return False
        if isinstance(value, dict):
            return self._meets_object(schema, value)
        if isinstance(value, list):
            return self._meets_list(schema, value)
        return _in_range(schema, value)

    def _meets_object(self, schema: SchemaData, value: dict[str, Any]) -> bool:
        if any(name not in value for name in schema.get("required", ())):
            return False
        named = schema.get("properties", {})
        return all(self._meets_schema(inner, value[name]) for name, inner in named.items() if name in value)

    def _meets_list(self, schema: SchemaData, value: list[Any]) -> bool:
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return False
        items = schema.get("items", True)
        return all(self._meets_schema(items, item) for item in value)


class _SchemaCache:
    """A cache of the schemas that each schema of one document includes by local references and `allOf`."""

    __slots__ = ("_options", "_parts", "_words", "root", "tests")

    def __init__(self, root: SchemaData) -> None:
        self.root: SchemaData = root
        self.tests: SubschemaPredicates = SubschemaPredicates(root)
        # The schema is stored with its parts, so that no other object can get its id.
        self._parts: dict[int, tuple[Any, tuple[SchemaData, ...]]] = {}
        self._words: dict[int, tuple[SchemaData, frozenset[Any]]] = {}
        self._options: dict[int, tuple[Any, Options]] = {}

    def flatten(self, schema: Any) -> tuple[SchemaData, ...]:
        """Return a schema and all schemas that it includes."""
        cached = self._parts.get(id(schema))
        if cached is None:
            cached = self._parts[id(schema)] = (schema, tuple(_flatten(schema, self.root)))
        return cached[1]

    def options(self, options: Any, meets: Callable[[Any, Any], bool]) -> Options:
        """Return the options of an `anyOf` or `oneOf`."""
        cached = self._options.get(id(options))
        if cached is None:
            cached = self._options[id(options)] = (options, Options(options, self.flatten, meets))
        return cached[1]

    def has_word(self, schema: SchemaData, value: Any) -> bool:
        """Return whether a value is in the `enum` of a schema."""
        cached = self._words.get(id(schema))
        if cached is None:
            words = frozenset(equality_key(word) for word in schema["enum"])
            cached = self._words[id(schema)] = (schema, words)
        return equality_key(value) in cached[1]


def _flatten(schema: Any, root: SchemaData) -> Iterator[SchemaData]:
    """Yield a schema and those it includes by local references and `allOf`, each once; skip missing targets."""
    seen: set[int] = set()
    pending = [(schema, 0)]
    while pending:
        part, depth = pending.pop()
        if not isinstance(part, Mapping) or depth > _MAX_REFS or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        pending.extend((inner, depth + 1) for inner in reversed(part.get("allOf", ())))
        pending.append((find_target(root, part.get("$ref")), depth + 1))


def _conditions(schema: SchemaData, cache: _SchemaCache) -> Iterator[SchemaData]:
    yield from cache.flatten(schema.get("if"))
    for part in cache.flatten(schema.get("else")):
        yield from _conditions(part, cache)
    for word in ("anyOf", "oneOf"):
        for option in schema.get(word, ()):
            for part in cache.flatten(option):
                fixed = {name: one for name, one in part.get("properties", {}).items() if words_of(one) is not None}
                yield {"properties": fixed}


def _kinds(schema: SchemaData, cache: _SchemaCache) -> frozenset[str] | None:
    """Return the kinds that a schema or its options allow, or None; each option is visited once."""
    found: set[str] = set()
    seen: set[int] = set()
    pending = [schema]
    while pending:
        part = pending.pop()
        kind = part.get("type")
        if isinstance(kind, str):
            found.add(kind)
        elif isinstance(kind, Iterable):
            found.update(kind)
        elif id(part) not in seen:
            seen.add(id(part))
            options = part.get("anyOf", part.get("oneOf", ()))
            pending.extend(inner for option in options for inner in cache.flatten(option))
    return frozenset(found) or None


def _drop_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_nulls(item) for key, item in value.items() if item is not None}
    return [_drop_nulls(item) for item in value] if isinstance(value, list) else value


def _in_range(schema: SchemaData, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
    )
