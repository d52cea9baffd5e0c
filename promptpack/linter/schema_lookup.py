"""Look up facts in a JSON Schema: subschemas, references, types."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]

_MAX_REFERENCES = 16
_SCHEMA_KEYWORDS = (
    "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
_LIST_KEYWORDS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPPING_KEYWORDS = ("$defs", "dependentSchemas", "patternProperties", "properties")
_ANY_KEY = "*"


def walk(schema: Any, path: Path = ()) -> Iterator[tuple[Path, Schema]]:
    """Iterate over a schema and all its subschemas, each with its path."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for key, value in schema.items():
        if key in _SCHEMA_KEYWORDS:
            yield from walk(value, (*path, key))
        elif key in _LIST_KEYWORDS and isinstance(value, list):
            for index, item in enumerate(value):
                yield from walk(item, (*path, key, index))
        elif key in _MAPPING_KEYWORDS and isinstance(value, Mapping):
            for name, item in value.items():
                yield from walk(item, (*path, key, name))


def find_target(reference: Any, root: Any) -> Any:
    """Return the schema that a local reference points to, or None."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    target = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        target = target.get(name) if isinstance(target, Mapping) else None
    return target


def resolve(schema: Any, root: Schema) -> Schema:
    """Return a schema with its local reference resolved."""
    for _ in range(_MAX_REFERENCES):
        target = find_target(schema.get("$ref"), root) if isinstance(schema, Mapping) else None
        if not isinstance(target, Mapping):
            break
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema if isinstance(schema, Mapping) else {}


def properties_of(schema: Schema, root: Schema) -> dict[str, Schema]:
    """Return the properties of a schema, of the schema that it refers to, and of those in its `allOf`."""
    found: dict[str, Schema] = {}
    pending: list[Any] = [schema]
    seen: set[int] = set()
    for current in pending:
        if isinstance(current, Mapping) and id(current) not in seen:
            seen.add(id(current))
            own = current.get("properties", {})
            found = {**{name: value for name, value in own.items() if isinstance(value, Mapping)}, **found}
            pending += (find_target(current.get("$ref"), root), *current.get("allOf", ()))
    return found


def declared_types(schema: Schema) -> tuple[str, ...]:
    """Return the values of `type`; an empty tuple if the schema has none."""
    declared = schema.get("type", ())
    return (declared,) if isinstance(declared, str) else tuple(declared)


def schema_at(root: Schema, keys: tuple[str, ...]) -> Schema | None:
    """Return the schema of the value under some keys, with `*` for any item; None if the schema does not declare it."""
    schema = resolve(root, root)
    for key in keys:
        inner = schema.get("items") if key == _ANY_KEY else properties_of(schema, root).get(key)
        if not isinstance(inner, Mapping):
            return None
        schema = resolve(inner, root)
    return schema


def allows_free_text(schema: Schema | None) -> bool:
    """Return whether a value may contain free text, unlike a number, an enum or text with a strict pattern."""
    if schema is None:
        return True
    if "enum" in schema or "const" in schema:
        return False
    pattern = schema.get("pattern", "")
    if pattern.startswith("^") and pattern.endswith("$") and "." not in pattern.replace("\\.", ""):
        return False
    types = declared_types(schema)
    return not types or bool(set(types) & {"string", "array", "object"})
