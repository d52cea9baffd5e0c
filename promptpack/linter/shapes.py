"""What a JSON Schema says about the values it allows, as far as rules need to know."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]

_DEEPEST = 16
_ONE = (
    "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "dependentSchemas", "patternProperties", "properties")
_ANY_KEY = "*"


def walk(schema: Any, path: Path = ()) -> Iterator[tuple[Path, Schema]]:
    """Give a schema and every schema inside of it, with its path."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for key, value in schema.items():
        if key in _ONE:
            yield from walk(value, (*path, key))
        elif key in _LISTS and isinstance(value, list):
            for index, item in enumerate(value):
                yield from walk(item, (*path, key, index))
        elif key in _NAMED and isinstance(value, Mapping):
            for name, item in value.items():
                yield from walk(item, (*path, key, name))


def resolve(schema: Any, root: Schema) -> Schema:
    """Follow the local references of a schema."""
    for _ in range(_DEEPEST):
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        target: Any = root
        for step in reference[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, Mapping) else None
        schema = {**(target or {}), **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema if isinstance(schema, Mapping) else {}


def kinds(schema: Schema) -> tuple[str, ...]:
    """Give the kinds of value that a schema names; none means that it does not say."""
    kind = schema.get("type", ())
    return (kind,) if isinstance(kind, str) else tuple(kind)


def at(root: Schema, keys: tuple[str, ...]) -> Schema | None:
    """Give the schema of what stands below some keys, `*` for any; None when the schema does not say."""
    schema = resolve(root, root)
    for key in keys:
        inner = schema.get("items") if key == _ANY_KEY else schema.get("properties", {}).get(key)
        if not isinstance(inner, Mapping):
            return None
        schema = resolve(inner, root)
    return schema


def holds_free_text(schema: Schema | None) -> bool:
    """Say whether a value may hold any words at all: no number, no fixed word, no text of a given form."""
    if schema is None:
        return True
    if "enum" in schema or "const" in schema:
        return False
    pattern = schema.get("pattern", "")
    if pattern.startswith("^") and pattern.endswith("$") and "." not in pattern.replace("\\.", ""):
        return False
    named = kinds(schema)
    return not named or bool(set(named) & {"string", "array", "object"})
