"""Whether one schema includes another, keyword by keyword, in both directions."""

from typing import Any

import pytest

from promptpack import schema as schemas
from promptpack.schema.inclusion import includes

STRING, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}
CLOSED = {"type": "object", "additionalProperties": False}
TREE = {
    "$ref": "#/$defs/t",
    "$defs": {"t": {"type": "object", "properties": {"v": NUMBER, "n": {"$ref": "#/$defs/t"}}}},
}
WHOLE_TREE = {
    "$ref": "#/$defs/t",
    "$defs": {"t": {"type": "object", "properties": {"v": INTEGER, "n": {"$ref": "#/$defs/t"}}}},
}
# (wide, narrow, does wide include narrow, does narrow include wide)
CASES: dict[str, list[tuple[Any, Any, str, str]]] = {
    "booleans": [
        (True, False, "yes", "no"),
        (True, {}, "yes", "yes"),
        ({"not": {}}, False, "yes", "yes"),
        (STRING, {"not": {}}, "yes", "no"),
        (True, {"not": False}, "yes", "yes"),
    ],
    "type": [
        (NUMBER, INTEGER, "yes", "no"),
        ({"type": ["string", "null"]}, STRING, "yes", "no"),
        ({"type": ["number", "integer"]}, NUMBER, "yes", "yes"),
        (INTEGER, {"const": 1.0}, "yes", "no"),
        (STRING, {"type": "boolean"}, "no", "no"),
        ({"type": ["null", "boolean", "number", "string", "array", "object"]}, True, "yes", "yes"),
    ],
    "enum and const": [
        ({"enum": ["a", "b"]}, {"enum": ["b"]}, "yes", "no"),
        ({"enum": [1]}, {"const": 1.0}, "yes", "yes"),
        ({"enum": [True]}, {"const": 1}, "no", "no"),
        ({"enum": [None, False, True]}, {"type": ["boolean", "null"]}, "yes", "yes"),
        ({"enum": [1, 2, 3]}, {"type": "integer", "minimum": 1, "maximum": 3}, "yes", "yes"),
        ({"enum": [1, 2]}, {"type": "integer", "minimum": 1, "maximum": 3}, "no", "yes"),
        ({"const": {"a": [1]}}, {"enum": [{"a": [1.0]}]}, "yes", "yes"),
        ({"minLength": 1}, {"enum": ["a", 1]}, "yes", "no"),
        ({"type": "array", "minItems": 2}, {"enum": [[1], [1, 2]], "minItems": 2}, "yes", "no"),
        ({"type": "object", "required": ["a"]}, {"enum": [{"a": 1}, {}], "minProperties": 1}, "yes", "no"),
        ({"enum": [{}, {"a": True}, {"a": False}]}, {**CLOSED, "properties": {"a": {"type": "boolean"}}}, "yes", "yes"),
        ({"enum": [[], [None]]}, {"type": "array", "items": {"type": "null"}, "maxItems": 1}, "yes", "yes"),
        ({"not": {"const": "a"}}, {"type": "number"}, "yes", "no"),
        ({"enum": []}, False, "yes", "yes"),
    ],
    "limits of numbers": [
        ({"minimum": 0}, {"minimum": 1}, "yes", "no"),
        ({"minimum": 0}, {"exclusiveMinimum": 0}, "yes", "no"),
        ({"maximum": 1}, {"exclusiveMaximum": 1}, "yes", "no"),
        ({"exclusiveMinimum": 0}, {**INTEGER, "minimum": 1}, "yes", "no"),
        ({**INTEGER, "exclusiveMinimum": 0}, {**INTEGER, "minimum": 1}, "yes", "yes"),
        ({**INTEGER, "minimum": 0.5}, {**INTEGER, "minimum": 1}, "yes", "yes"),
        ({**INTEGER, "maximum": 2**53}, {**INTEGER, "maximum": 2**53 + 1}, "no", "yes"),
        (NUMBER, {**NUMBER, "minimum": 2, "maximum": 1}, "yes", "no"),
        ({"type": "null"}, {**INTEGER, "exclusiveMinimum": 1, "exclusiveMaximum": 2}, "yes", "no"),
        ({"minimum": -(10**400)}, {"minimum": 10**400}, "yes", "no"),
        ({"maximum": float("inf")}, NUMBER, "yes", "no"),
        ({"maximum": 0.1}, {"maximum": 0.1}, "yes", "yes"),
    ],
    "multipleOf": [
        ({"multipleOf": 2}, {"multipleOf": 4}, "yes", "no"),
        ({"multipleOf": 0.1}, {"multipleOf": 0.3}, "yes", "no"),
        ({"multipleOf": 0.01}, {"const": 4.35}, "yes", "no"),
        (INTEGER, {**NUMBER, "multipleOf": 3}, "yes", "no"),
        ({"multipleOf": 6}, {"allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, "yes", "yes"),
        ({"enum": [0, 5]}, {**NUMBER, "multipleOf": 5, "minimum": 0, "exclusiveMaximum": 10}, "yes", "yes"),
        ({"type": "null"}, {**NUMBER, "multipleOf": 7, "minimum": 1, "maximum": 6}, "yes", "no"),
        ({"multipleOf": 1e-300}, {"multipleOf": 1}, "yes", "no"),
    ],
    "lengths": [
        ({"minLength": 1}, {"minLength": 2}, "yes", "no"),
        ({"maxLength": 2}, {"maxLength": 1}, "yes", "no"),
        ({"const": ""}, {**STRING, "maxLength": 0}, "yes", "yes"),
        (False, {**STRING, "minLength": 2, "maxLength": 1}, "yes", "yes"),
        ({"minLength": 5000}, {"minLength": 5001}, "yes", "no"),
        (STRING, {**STRING, "format": "email"}, "yes", "yes"),
    ],
    "pattern": [
        ({"pattern": "^[a-z]+$"}, {**STRING, "pattern": "^[b-d]{2}$"}, "yes", "no"),
        ({"pattern": "a"}, {"pattern": "^a"}, "yes", "no"),
        ({"pattern": "^(a|b)$"}, {"enum": ["a", "b"]}, "yes", "no"),
        ({"enum": ["a", "b"]}, {**STRING, "pattern": "^(a|b)$"}, "yes", "yes"),
        ({"pattern": r"^\w$"}, {**STRING, "pattern": r"^\d$"}, "yes", "no"),
        ({"pattern": "^[0-9]$"}, {**STRING, "pattern": r"^\d$"}, "no", "no"),
        ({"minLength": 2}, {**STRING, "pattern": "^a.+$"}, "yes", "no"),
        ({"maxLength": 3}, {**STRING, "pattern": "^a?b?c?$"}, "yes", "no"),
        ({"pattern": "^(?!x)"}, {**STRING, "pattern": "^(?!x)", "minLength": 1}, "yes", "no"),
        (False, {**STRING, "allOf": [{"pattern": "^a"}, {"pattern": "^b"}]}, "yes", "yes"),
        ({"pattern": r"\bab\b"}, {**STRING, "pattern": "^ab "}, "yes", "no"),
        ({"pattern": "^.*$"}, STRING, "no", "no"),
        ({"pattern": r"^[\s\S]*$"}, True, "yes", "yes"),
        ({"pattern": "[\ud800-\udfff]"}, {**STRING, "pattern": "^\ud83d"}, "yes", "no"),
    ],
    "keys": [
        ({"required": ["a"]}, {"type": "object", "required": ["a", "b"]}, "yes", "no"),
        ({"properties": {"a": NUMBER}}, {"properties": {"a": INTEGER}}, "yes", "no"),
        ({"type": "object"}, {"type": "object", "properties": {"a": STRING}}, "yes", "no"),
        ({"type": "object"}, CLOSED, "yes", "no"),
        ({**CLOSED, "properties": {"a": STRING}}, {**CLOSED, "properties": {"a": False}}, "yes", "no"),
        ({"properties": {"a": False}}, {**CLOSED, "properties": {"b": {}}}, "yes", "no"),
        ({"additionalProperties": NUMBER}, {"type": "object", "additionalProperties": INTEGER}, "yes", "no"),
        ({"additionalProperties": STRING}, {"properties": {"a": {}}, "additionalProperties": STRING}, "no", "yes"),
        ({"type": "object", "properties": {"a": {}}}, {"type": "object"}, "yes", "yes"),
        (False, {"type": "object", "required": ["a"], "properties": {"a": False}}, "yes", "yes"),
        (False, {**CLOSED, "required": ["a"]}, "yes", "yes"),
    ],
    "patternProperties and propertyNames": [
        ({"patternProperties": {"^a": NUMBER}}, {"patternProperties": {"^a": INTEGER}}, "yes", "no"),
        ({"properties": {"ab": NUMBER}}, {"patternProperties": {"^a": NUMBER}}, "yes", "no"),
        ({"patternProperties": {"^ab": {}}, "additionalProperties": False}, CLOSED, "yes", "no"),
        ({"propertyNames": {"maxLength": 2}}, {**CLOSED, "properties": {"a": {}, "bb": {}}}, "yes", "no"),
        ({"propertyNames": {"pattern": "^a"}}, {"propertyNames": {"pattern": "^ab"}}, "yes", "no"),
        ({"maxProperties": 2}, {"type": "object", "propertyNames": {"enum": ["a", "b"]}}, "yes", "no"),
        ({"const": {}}, {"type": "object", "propertyNames": False}, "yes", "yes"),
        (CLOSED, {"type": "object", "patternProperties": {"": False}}, "yes", "yes"),
        ({"additionalProperties": INTEGER}, {"propertyNames": {"pattern": "^a"}, "patternProperties": {"^a": INTEGER}}, "yes", "no"),
    ],
    "numbers of keys": [
        ({"minProperties": 1}, {"type": "object", "required": ["a"]}, "yes", "no"),
        ({"maxProperties": 1}, {**CLOSED, "properties": {"a": {}}}, "yes", "no"),
        (False, {**CLOSED, "properties": {"a": {}}, "minProperties": 2}, "yes", "yes"),
        (False, {"type": "object", "required": ["a", "b"], "maxProperties": 1}, "yes", "yes"),
        ({"properties": {"b": False}}, {"type": "object", "required": ["a"], "maxProperties": 1}, "yes", "no"),
        ({"minProperties": 3}, {"type": "object", "minProperties": 4}, "yes", "no"),
    ],
    "dependencies": [
        ({"dependentRequired": {"a": ["b"]}}, {"type": "object", "required": ["b"]}, "yes", "no"),
        ({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["b", "c"]}}, "yes", "no"),
        ({"dependentRequired": {"a": ["c"]}}, {"dependentRequired": {"a": ["b"], "b": ["c"]}}, "yes", "no"),
        ({"dependentRequired": {"a": ["b"]}}, {"dependentSchemas": {"a": {"required": ["b"]}}}, "yes", "yes"),
        ({"dependentSchemas": {"a": {"minProperties": 2}}}, {"dependentRequired": {"a": ["b"]}}, "yes", "no"),
        ({"dependentRequired": {"a": ["b"]}}, {"type": "object"}, "no", "no"),
    ],
    "items": [
        ({"items": NUMBER}, {"items": INTEGER}, "yes", "no"),
        ({"items": NUMBER}, {"type": "array", "prefixItems": [INTEGER], "items": False}, "yes", "no"),
        ({"prefixItems": [NUMBER]}, {"items": INTEGER}, "yes", "no"),
        ({"prefixItems": [{}, STRING]}, {"type": "array", "maxItems": 1}, "yes", "no"),
        ({"maxItems": 2}, {"type": "array", "prefixItems": [{}, {}], "items": False}, "yes", "no"),
        ({"maxItems": 1}, {"type": "array", "prefixItems": [{}, False]}, "yes", "no"),
        ({"minItems": 1}, {"type": "array", "minItems": 2}, "yes", "no"),
        (False, {"type": "array", "items": False, "minItems": 1}, "yes", "yes"),
        ({"type": "array", "prefixItems": [STRING], "items": NUMBER}, {"type": "array", "items": NUMBER}, "no", "no"),
        ({"type": "array"}, {"type": "array", "prefixItems": [True], "items": False}, "yes", "no"),
        ({"type": "array", "items": STRING}, {"type": "array", "prefixItems": [STRING, STRING], "items": False}, "yes", "no"),
        ({"type": "array", "items": STRING}, {"type": "array", "prefixItems": [STRING, STRING, STRING], "items": {"const": "a"}}, "yes", "no"),
        ({"items": STRING}, {"prefixItems": [STRING], "allOf": [{"prefixItems": [True, True], "items": {"const": "b"}}], "items": STRING}, "yes", "no"),
    ],
    "contains": [
        ({"contains": {"const": 1}}, {"type": "array", "prefixItems": [{"const": 1}], "minItems": 1}, "yes", "no"),
        ({"contains": NUMBER}, {"contains": INTEGER}, "yes", "no"),
        ({"minItems": 2}, {"type": "array", "contains": STRING, "minContains": 2}, "yes", "no"),
        ({"contains": STRING, "maxContains": 2}, {"contains": STRING, "maxContains": 1}, "yes", "no"),
        ({"contains": STRING, "minContains": 0}, True, "yes", "yes"),
        ({"contains": STRING, "minContains": 0, "maxContains": 1}, {"type": "array", "contains": NUMBER, "maxItems": 2}, "yes", "no"),
        (False, {"type": "array", "contains": STRING, "items": NUMBER}, "yes", "yes"),
        (False, {"type": "array", "contains": STRING, "minContains": 3, "maxItems": 2}, "yes", "yes"),
        (False, {"type": "array", "contains": {"const": 1}, "minContains": 2, "uniqueItems": True}, "yes", "yes"),
        ({"contains": {"type": ["string", "null"]}}, {"allOf": [{"contains": STRING}, {"contains": NUMBER}]}, "yes", "no"),
    ],
    "uniqueItems": [
        ({"uniqueItems": True}, {"type": "array", "maxItems": 1}, "yes", "no"),
        ({"uniqueItems": False}, True, "yes", "yes"),
        ({"maxItems": 2}, {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True}, "yes", "no"),
        ({"uniqueItems": True}, {"type": "array", "prefixItems": [STRING, NUMBER], "items": False}, "yes", "no"),
        (False, {"type": "array", "prefixItems": [{"const": 1}, {"const": 1.0}], "uniqueItems": True, "minItems": 2}, "yes", "yes"),
        ({"uniqueItems": True}, {"type": "array", "prefixItems": [{"enum": [1, 2]}, {"enum": [2, 3]}], "items": False}, "no", "no"),
    ],
    "unevaluatedProperties and unevaluatedItems": [
        ({**CLOSED, "properties": {"a": {}, "b": {}}}, {"type": "object", "allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}], "unevaluatedProperties": False}, "yes", "yes"),
        ({"type": "object"}, {"type": "object", "unevaluatedProperties": False}, "yes", "no"),
        ({"type": "object", "unevaluatedProperties": False}, CLOSED, "yes", "yes"),
        ({"unevaluatedProperties": NUMBER, "anyOf": [{"required": ["a"], "properties": {"a": STRING}}, True]}, {"unevaluatedProperties": INTEGER}, "yes", "no"),
        ({"prefixItems": [STRING], "unevaluatedItems": False}, {"prefixItems": [STRING], "items": False}, "yes", "yes"),
        ({"contains": STRING, "unevaluatedItems": False}, {"type": "array", "items": STRING, "minItems": 1}, "yes", "no"),
        ({"if": {"required": ["a"]}, "then": {"properties": {"a": {}, "b": {}}}, "unevaluatedProperties": False}, {"const": {"a": 1, "b": 1}}, "yes", "no"),
        ({"if": {"required": ["a"]}, "then": {"properties": {"a": {}, "b": {}}}, "unevaluatedProperties": False}, {"const": {"b": 1}}, "no", "no"),
    ],
    "combinations": [
        ({"anyOf": [STRING, NUMBER]}, STRING, "yes", "no"),
        ({"anyOf": [{"minimum": 5}, {"maximum": 5}]}, True, "yes", "yes"),
        ({"oneOf": [{"minimum": 5}, {"maximum": 5}]}, {**NUMBER, "not": {"const": 5}}, "yes", "yes"),
        ({"oneOf": [STRING, NUMBER]}, {"anyOf": [STRING, NUMBER]}, "yes", "yes"),
        ({"oneOf": [NUMBER, INTEGER]}, {**NUMBER, "not": INTEGER}, "yes", "yes"),
        ({"allOf": [{"minimum": 0}, {"maximum": 9}]}, {"minimum": 0, "maximum": 9}, "yes", "yes"),
        ({"not": STRING}, NUMBER, "yes", "no"),
        ({"not": {"not": STRING}}, STRING, "yes", "yes"),
        ({"if": STRING, "then": {"minLength": 1}, "else": {"minimum": 0}}, {"minLength": 1, "minimum": 0}, "yes", "yes"),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"dependentRequired": {"a": ["b"]}}, "yes", "yes"),
        ({"then": False, "else": False}, True, "yes", "yes"),
        ({"anyOf": [{"required": ["a"]}, {"properties": {"a": False}}]}, True, "yes", "yes"),
    ],
    "references": [
        (TREE, WHOLE_TREE, "yes", "no"),
        (TREE, {**TREE, "title": "a tree", "$comment": "x"}, "yes", "yes"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": STRING}}, STRING, "yes", "yes"),
        (False, {"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#"}}}, "yes", "yes"),
        ({"type": "array", "items": {"$ref": "#"}}, {"type": "array", "items": {"type": "array", "items": {"$ref": "#"}}}, "yes", "yes"),
        ({"type": "array", "items": {"$ref": "#"}}, {"type": "array", "items": {"type": "array", "items": {"type": "array", "maxItems": 0}}}, "yes", "no"),
        ({"$ref": "#/$defs/a~1b", "minLength": 1, "$defs": {"a/b": STRING}}, {"$ref": "#/$defs/x", "$defs": {"x": {**STRING, "minLength": 1}}}, "yes", "yes"),
    ],
    "annotations": [
        ({**STRING, "trust": "untrusted", "default": 5}, {**STRING, "secret": True, "examples": [1], "x-more": []}, "yes", "yes"),
    ],
}  # fmt: skip
TABLE = [
    pytest.param(*case, id=f"{name} {number}") for name, cases in CASES.items() for number, case in enumerate(cases)
]


@pytest.mark.parametrize(("wide", "narrow", "forward", "backward"), TABLE)
def test_a_schema_includes_another(wide: Any, narrow: Any, forward: str, backward: str) -> None:
    _expect(wide, narrow, forward)
    _expect(narrow, wide, backward)
    _expect(wide, wide, "yes")


def _expect(wide: Any, narrow: Any, answer: str) -> None:
    found = includes(wide, narrow)
    assert found.answer == answer, found
    if answer == "no":
        assert _accepts(narrow, found.counterexample)
        assert not _accepts(wide, found.counterexample)


def _accepts(schema: Any, value: Any) -> bool:
    return schema if isinstance(schema, bool) else schemas.compile(schema).accepts(value)
