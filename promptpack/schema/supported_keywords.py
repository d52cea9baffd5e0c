"""The JSON Schema keywords that predicates support, by the kind of value they apply to and the type they must have."""

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, Final

UNSUPPORTED_KEYWORDS: Final = frozenset(("$dynamicRef", "unevaluatedItems", "unevaluatedProperties"))
"""The keywords that only `jsonschema` validates."""

PLAIN_TYPES: Final = frozenset((str, dict, list, int, float, bool, NoneType))
MAX_DEPTH: Final = 100
MAX_STEPS: Final = 250_000
"""The steps of predicates: a normal value takes a few per node; recursive branches could take exponentially many."""
KINDS: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_NUMBER_KEYWORDS: Final = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
KEYWORDS_BY_KIND: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset(
        (
            "additionalProperties",
            "dependentRequired",
            "dependentSchemas",
            "maxProperties",
            "minProperties",
            "patternProperties",
            "properties",
            "propertyNames",
            "required",
        )
    ),
    "array": frozenset(("contains", "items", "maxItems", "minItems", "prefixItems", "uniqueItems")),
    "string": frozenset(("maxLength", "minLength", "pattern")),
    "number": _NUMBER_KEYWORDS,
    "integer": _NUMBER_KEYWORDS,
    "boolean": frozenset(),
    "null": frozenset(),
}
"""The keywords that apply to one kind of value."""

_NUMBER: Final = (int, float)
_SCHEMA: Final = (Mapping, bool)
KEYWORD_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "$ref": (str,),
    "additionalProperties": _SCHEMA,
    "allOf": (list,),
    "anyOf": (list,),
    "const": (object,),
    "contains": _SCHEMA,
    "dependentRequired": (Mapping,),
    "dependentSchemas": (Mapping,),
    "enum": (list,),
    "exclusiveMaximum": _NUMBER,
    "exclusiveMinimum": _NUMBER,
    "format": (str,),
    "if": _SCHEMA,
    "items": _SCHEMA,
    "maxItems": _NUMBER,
    "maxLength": _NUMBER,
    "maxProperties": _NUMBER,
    "maximum": _NUMBER,
    "minItems": _NUMBER,
    "minLength": _NUMBER,
    "minProperties": _NUMBER,
    "minimum": _NUMBER,
    "multipleOf": _NUMBER,
    "not": _SCHEMA,
    "oneOf": (list,),
    "pattern": (str,),
    "patternProperties": (Mapping,),
    "prefixItems": (list,),
    "properties": (Mapping,),
    "propertyNames": _SCHEMA,
    "required": (list,),
    "type": (str, list),
    "uniqueItems": (bool,),
}
"""The supported keywords, and the Python types that their values must have."""

# The keywords of a branch that applies only to some words, and of its condition.
_BRANCH: Final = frozenset(("if", "then", "else"))
_CONDITION: Final = frozenset(("properties", "required"))


class SchemaFallbackError(Exception):
    """A predicate cannot decide; fall back to `jsonschema`."""


class StepLimitError(Exception):
    """Validating a value takes too many steps; the argument is the outermost key of the value."""


def require_supported(schema: Any) -> None:
    """Raise `SchemaFallbackError` if a schema holds an unsupported keyword."""
    if not isinstance(schema, Mapping) or not UNSUPPORTED_KEYWORDS.isdisjoint(schema):
        raise SchemaFallbackError
    if not all(isinstance(expected, KEYWORD_TYPES.get(keyword, object)) for keyword, expected in schema.items()):
        raise SchemaFallbackError


def read_kinds(schema: Mapping[str, Any]) -> list[str]:
    """Return the kinds of value that a schema allows; "number" includes "integer"."""
    kinds = schema.get("type", KINDS)
    kinds = dict.fromkeys([kinds] if isinstance(kinds, str) else require_texts(kinds))
    if not all(kind in KINDS for kind in kinds):
        raise SchemaFallbackError
    return [kind for kind in kinds if kind != "integer" or "number" not in kinds]


def read_only_kind(schema: Any) -> str:
    """Return the kind of a schema whose only keyword is `type`, otherwise an empty text; such schemas are common."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("type"), str):
        return ""
    has_others = schema.keys() & KEYWORD_TYPES.keys() != {"type"} or not UNSUPPORTED_KEYWORDS.isdisjoint(schema)
    return "" if has_others else schema["type"]


def read_only_reference(schema: Any) -> str:
    """Return the reference of a schema whose only keyword is `$ref`, otherwise an empty text."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str) or "$id" in schema:
        return ""
    has_others = schema.keys() & KEYWORD_TYPES.keys() != {"$ref"} or not UNSUPPORTED_KEYWORDS.isdisjoint(schema)
    return "" if has_others else schema["$ref"]


def require_texts(values: Iterable[Any]) -> list[str]:
    """Return a list of texts, or raise `SchemaFallbackError`."""
    texts = list(values)
    if not all(isinstance(text, str) for text in texts):
        raise SchemaFallbackError
    return texts


def read_discriminator(branch: Any) -> tuple[str, Sequence[str], Any] | None:
    """Return the key, the words and the remaining schema of a branch that applies only if the key holds such a word.

    Such a branch is `if: {properties: {action: {const: A}}, required: [action]}` with a `then`, which is the remaining
    schema; if it has more conditions, or an `else` for the same words, the remaining schema is the branch itself.
    """
    condition = branch.get("if") if isinstance(branch, Mapping) else None
    if not isinstance(condition, Mapping) or condition.keys() != _CONDITION or not branch.keys() <= _BRANCH:
        return None
    properties, required = condition["properties"], condition["required"]
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return None
    found = ((key, _read_words(properties.get(key))) for key in required if isinstance(key, str))
    key, words = next(((key, words) for key, words in found if words), ("", ()))
    other = read_discriminator(branch["else"]) if "else" in branch else (key, words, True)
    if not words or other is None or other[0] != key or not set(other[1]) <= set(words):
        return None
    is_all = len(properties) == len(required) == 1 and "else" not in branch
    # Inside an `anyOf` it is not read as a discriminator again.
    return key, words, branch.get("then", True) if is_all else {"anyOf": [branch]}


def _read_words(schema: Any) -> Sequence[str]:
    """Return the texts that a schema with only `const` or `enum` allows."""
    if not isinstance(schema, Mapping) or len(schema) != 1:
        return ()
    words = schema.get("enum", [schema.get("const")])
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else ()
