"""Look up facts in a JSON Schema: properties, types, the schema of an inner value."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from promptpack import schema as schemas
from promptpack.pack.placed import Placed
from promptpack.pack.schema_references import resolve
from promptpack.problem import Location, nearest
from promptpack.schema.pointers import SchemaData, find_target

_ANY_KEY = "*"
_BOUNDS: Final = (
    ("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"),
    ("exclusiveMinimum", "exclusiveMaximum"), ("minContains", "maxContains"),
)  # fmt: skip
_MAX_LISTED: Final = 200
_TYPES: Final = frozenset(("string", "number", "integer", "boolean", "object", "array", "null"))
# Quotes that are part of a value (PL027).
_CURLY: Final = ("“", "”", "„", "‘", "’", "«")
_MIN_MISSPELLED_LENGTH = 4


class Contradiction(NamedTuple):
    """A part of a schema that no value can meet, or that has no effect."""

    message: str
    path: tuple[str | int, ...]
    hint: str


def properties_of(schema: SchemaData, root: SchemaData) -> dict[str, SchemaData]:
    """Return the properties of a schema, of the schema that it refers to, and of those in its `allOf`."""
    found: dict[str, SchemaData] = {}
    pending: list[Any] = [schema]
    seen: set[int] = set()
    for current in pending:
        if isinstance(current, Mapping) and id(current) not in seen:
            seen.add(id(current))
            own = current.get("properties", {})
            found = {**{name: value for name, value in own.items() if isinstance(value, Mapping)}, **found}
            pending += (find_target(root, current.get("$ref")), *current.get("allOf", ()))
    return found


def declared_types(schema: SchemaData) -> tuple[str, ...]:
    """Return the values of `type`; an empty tuple if the schema has none."""
    declared = schema.get("type", ())
    return (declared,) if isinstance(declared, str) else tuple(declared)


def misspelled_required(schema: SchemaData) -> dict[str, str]:
    """Return the undeclared names in the `required` of an object, each with the property that it misspells."""
    required, properties = schema.get("required") or (), schema.get("properties") or {}
    if schema.get("type") != "object" or all(name in properties for name in required):
        return {}
    optional = [name for name in properties if name not in required]
    found = {name: nearest(name, optional) for name in required if name not in properties}
    return {name: near for name, near in found.items() if near is not None}


def contradictions(schema: SchemaData) -> Iterator[Contradiction]:
    """Yield the keywords of a schema that contradict each other, and the values that can never occur."""
    for low, high in _BOUNDS:
        if all(type(schema.get(one)) in (int, float) for one in (low, high)) and schema[low] > schema[high]:
            message = f"{low!r} is {schema[low]}, more than {high!r}, which is {schema[high]}: no value is allowed"
            yield Contradiction(message, (low,), "swap them, or change one")
    words = schema.get("enum")
    listed = words[:_MAX_LISTED] if isinstance(words, list) else []
    types = declared_types(schema)
    by_type = schemas.compile({"type": list(types)}) if types and set(types) <= _TYPES else None
    for index, word in enumerate(listed):
        if by_type is not None and not by_type.accepts(word):
            hint = "change 'type', or remove 'enum'"
            yield Contradiction(f"{word!r} is in 'enum', but 'type' excludes it", ("enum", index), hint)
            return
        if any(type(other) is type(word) and other == word for other in listed[:index]):
            yield Contradiction(f"{word!r} is in 'enum' twice", ("enum", index), "remove one of the two")


def is_contradictory(schema: SchemaData) -> bool:
    """Return whether a schema, or a schema in it, was reported, so that values that it rejects may be right."""
    nodes = [node for _, node in schemas.iterate_schemas(schema)]
    return any(
        misspelled_required(node) or next(contradictions(node), None) or str(node.get("pattern", "")).startswith(_CURLY)
        for node in nodes
    )


def is_misspelling(word: str, known: str) -> bool:
    """Return whether a word is a misspelling: equal except for case, `_` and `-`, or one letter off."""
    folded, other = (text.casefold().replace("_", "").replace("-", "") for text in (word, known))
    if folded == other:
        return True
    shorter, longer = sorted((folded, other), key=len)
    if len(shorter) < _MIN_MISSPELLED_LENGTH or len(longer) - len(shorter) > 1:
        return False
    if len(shorter) < len(longer):
        return any(longer[:index] + longer[index + 1 :] == shorter for index in range(len(longer)))
    different = [index for index in range(len(longer)) if longer[index] != shorter[index]]
    swapped = len(different) == 2 and sorted(longer) == sorted(shorter) and different[1] - different[0] == 1
    # Short words that differ in one letter are often different words, such as "date" and "data".
    return (len(different) == 1 and len(shorter) > _MIN_MISSPELLED_LENGTH) or swapped


def place_mismatch(placed: Placed, mismatch: schemas.Mismatch) -> tuple[Location, str]:
    """Return where a mismatch is, and its hint; for a missing key, the key that most likely misspells it."""
    if mismatch.keyword == "required":
        owner = placed.child(*mismatch.path[:-1]).value
        name = str(mismatch.path[-1])
        near = next((key for key in owner if is_misspelling(key, name)), None)
        if near is not None:
            return placed.locate_key(*mismatch.path[:-1], near), f"did you mean {name!r}?"
    at_key = placed.locate_key if mismatch.at_key else placed.locate
    return at_key(*mismatch.path), mismatch.hint


def schema_at(root: SchemaData, keys: tuple[str, ...]) -> SchemaData | None:
    """Return the schema of the value under some keys, with `*` for any item; None if the schema does not declare it."""
    schema = resolve(root, root)
    for key in keys:
        inner = schema.get("items") if key == _ANY_KEY else properties_of(schema, root).get(key)
        if not isinstance(inner, Mapping):
            return None
        schema = resolve(root, inner)
    return schema


def allows_free_text(schema: SchemaData | None) -> bool:
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
