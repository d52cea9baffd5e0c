from typing import Any

import pytest

from promptpack.reply import Shape, find_extras

CIRCLE: dict[str, Any] = {"anyOf": [{"$ref": "#"}, {"properties": {"a": {}}}, {"properties": {"b": {}}}]}
TOOL: dict[str, Any] = {
    "properties": {"kind": {"enum": ["x", "y"]}, "args": {"type": "object"}},
    "if": {"properties": {"kind": {"const": "x"}}, "required": ["kind"]},
    "then": {"properties": {"args": {"properties": {"path": {}}}}},
}


@pytest.mark.parametrize(
    ("schema", "value", "extras"),
    [
        ({"type": "object"}, {"a": {"b": 1}}, ()),
        ({"properties": {"a": {}}}, {"a": {"b": 1}, "": 2, "c~/d": 3}, ("/", "/c~0~1d")),
        ({"properties": {"a": {"type": "object"}}}, {"a": {"b": 1}}, ()),
        ({"properties": {"a": {}}, "additionalProperties": True}, {"b": 1}, ()),
        ({"properties": {"a": {}}, "patternProperties": {"^x-": {}}}, {"x-b": 1, "b": 2}, ("/b",)),
        ({"additionalProperties": {"properties": {"a": {}}}}, {"b": {"a": 1, "c": 2}}, ("/b/c",)),
        ({"items": {"properties": {"a": {}}}}, [{"a": 1}, {"b": 2}], ("/1/b",)),
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, {"a": 1, "b": 2, "c": 3}, ("/c",)),
        (CIRCLE, {"a": 1, "b": 2, "c": 3}, ("/c",)),
        (TOOL, {"kind": "x", "args": {"path": 1, "why": 2}}, ("/args/why",)),
        (TOOL, {"kind": "y", "args": {"path": 1, "why": 2}}, ()),
        ({"dependentSchemas": {"a": {"properties": {"b": {}}}}, "properties": {"a": {}}}, {"a": 1, "b": 2}, ()),
        ({"properties": {"a": {}}}, ["a"], ()),
    ],
)
def test_keys_that_the_contract_does_not_declare_are_found(
    schema: dict[str, Any], value: Any, extras: tuple[str, ...]
) -> None:
    assert find_extras(value, Shape.of(schema)) == extras


def test_a_key_that_is_too_long_for_a_pattern_is_not_an_extra() -> None:
    schema: dict[str, Any] = {"properties": {"a": {}}, "patternProperties": {"^(?=(x+)+y)": {}}}
    assert find_extras({"x" * 5_000: 1}, Shape.of(schema)) == ()
