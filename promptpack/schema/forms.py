"""Which keywords of JSON Schema can be written as code, by the kind of value they are about and by their own form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from promptpack.schema.keywords import FallbackError

UNSUPPORTED: Final = frozenset(("$dynamicRef", "unevaluatedItems", "unevaluatedProperties"))
"""The keywords that are left to `jsonschema`."""

PLAIN: Final = frozenset((str, dict, list, int, float, bool, NoneType))
KINDS: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_OF_NUMBER: Final = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
KEYWORDS_OF: Final[Mapping[str, frozenset[str]]] = {
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
    "number": _OF_NUMBER,
    "integer": _OF_NUMBER,
    "boolean": frozenset(),
    "null": frozenset(),
}
"""The keywords that are about one kind of value."""

_NUMBER: Final = (int, float)
_SCHEMA: Final = (Mapping, bool)
FORMS: Final[Mapping[str, tuple[type, ...]]] = {
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
"""The keywords that are understood here, and the form each must have to be."""


def refuse(schema: Any) -> None:
    """Refuse a schema that holds a keyword which is not understood."""
    if not isinstance(schema, Mapping) or not UNSUPPORTED.isdisjoint(schema):
        raise FallbackError
    if not all(isinstance(expected, FORMS.get(keyword, object)) for keyword, expected in schema.items()):
        raise FallbackError


def kinds_of(schema: Mapping[str, Any]) -> list[str]:
    """Give the kinds of value that a schema allows; every integer is a number."""
    kinds = schema.get("type", KINDS)
    kinds = dict.fromkeys([kinds] if isinstance(kinds, str) else texts(kinds))
    if not all(kind in KINDS for kind in kinds):
        raise FallbackError
    return [kind for kind in kinds if kind != "integer" or "number" not in kinds]


def only_kind(schema: Any) -> str:
    """Give the kind that a schema asks for where it asks for nothing else, as very many do."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("type"), str):
        return ""
    return schema["type"] if schema.keys() & FORMS.keys() == {"type"} and UNSUPPORTED.isdisjoint(schema) else ""


def texts(values: Iterable[Any]) -> list[str]:
    """Take a list that must hold only text."""
    found = list(values)
    if not all(isinstance(one, str) for one in found):
        raise FallbackError
    return found


def asked_word(branch: Any) -> tuple[str, Sequence[str], Any] | None:
    """Read a branch that says nothing of objects without one of some words under a key: the key, the words, the rest.

    That is `if: {properties: {action: {const: A}}, required: [action]}` with a `then`, which is the rest; with more
    conditions, or an `else` that is about the same words, the rest is the branch itself.
    """
    match branch:
        case {"if": {"properties": {**properties}, "required": [*required], **more_of_if}, **more}:
            if more_of_if or more.keys() - {"then", "else"}:
                return None
            found = ((key, _words(properties.get(key))) for key in required if isinstance(key, str))
            key, words = next(((key, words) for key, words in found if words), ("", ()))
            other = asked_word(more["else"]) if "else" in more else (key, words, True)
            if not words or other is None or other[0] != key or not set(other[1]) <= set(words):
                return None
            is_all = len(properties) == len(required) == 1 and "else" not in more
            # Behind an `anyOf` it is not read so once more.
            return key, words, more.get("then", True) if is_all else {"anyOf": [branch]}
    return None


def _words(asked: Any) -> Sequence[str]:
    """Give the words that a schema of `const` or `enum` alone asks for."""
    if not isinstance(asked, Mapping) or len(asked) != 1:
        return ()
    words = asked.get("enum", [asked.get("const")])
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else ()
