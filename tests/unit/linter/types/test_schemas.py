"""JSON Schema -> type."""

from typing import Any

import pytest

from promptpack.linter.analysis_meter import limit_analysis
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
    UnionType,
)
from promptpack.linter.types.schemas import from_schema


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, ANY),
        (True, ANY),
        (False, NEVER),
        ({"type": "string"}, TextType()),
        ({"type": "string", "minLength": 1}, TextType(None, frozenset(("",)))),
        ({"enum": ["a", "b"]}, TextType(frozenset(("a", "b")))),
        ({"type": "string", "enum": ["a", 1]}, TextType(frozenset(("a",)))),
        ({"const": True}, BooleanType(frozenset((True,)))),
        ({"type": ["integer", "null"]}, UnionType((INTEGER, NullType()))),
        ({"type": ["integer", "number"]}, NumberType()),
        ({"type": "array", "items": {"type": "number"}}, ListType(NumberType())),
        ({"type": "array", "prefixItems": [{"type": "number"}]}, ListType(ANY)),
        ({"type": "object"}, MappingType()),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
            MappingType({"a": Property(TextType())}, None),
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, MappingType({}, TextType())),
        (
            {"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False},
            MappingType({}, TextType()),
        ),
        ({"type": "object", "required": ["a"]}, MappingType({"a": Property(ANY, required=True)})),
        ({"required": ["a"]}, AnyType(MappingType({"a": Property(ANY, required=True)}))),
        (
            {"allOf": [{"type": "object"}, {"required": ["a"]}, {"properties": {"a": {"type": "string"}}}]},
            MappingType({"a": Property(TextType(), required=True)}),
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, UnionType((TextType(), NullType()))),
        ({"type": "string", "oneOf": [{"const": "a"}, {"const": "b"}]}, TextType(frozenset(("a", "b")))),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, NEVER),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, TextType()),
        ({"$ref": "https://example.org/a"}, ANY),
        ({"not": {"type": "string"}}, ANY),
    ],
)
def test_a_schema_gives_a_type(schema: Any, expected: Type) -> None:
    assert from_schema(schema) == expected


def test_a_schema_that_refers_to_itself_is_followed_once() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#"}}}
    assert from_schema(
        {"$ref": "#/$defs/tree", "$defs": {"tree": {**tree, "properties": {"child": {"$ref": "#/$defs/tree"}}}}}
    ) == (MappingType({"child": Property(ANY)}))


def test_if_and_then_by_a_word_give_variants() -> None:
    case = {"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": {"required": ["more"]}}
    schema = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["a", "b"]}}, "allOf": [case]}
    assert from_schema(schema) == UnionType(
        (
            MappingType(
                {"kind": Property(TextType(frozenset("a")), required=True), "more": Property(ANY, required=True)}
            ),
            MappingType({"kind": Property(TextType(frozenset("b")), required=True)}),
        )
    )


def test_references_that_multiply_stop_at_the_limit() -> None:
    def level(number: int, letter: str) -> dict[str, Any]:
        reference = {"$ref": f"#/$defs/{letter}{number + 1}"}
        return {"type": "object", "properties": dict.fromkeys("xyz", reference)}

    definitions = {f"{letter}{number}": level(number, letter) for letter in "ab" for number in range(20)}
    both = {"allOf": [{"$ref": "#/$defs/a0"}, {"$ref": "#/$defs/b0"}], "$defs": definitions}
    with limit_analysis() as counter:
        from_schema(both)
    assert counter.is_exceeded
