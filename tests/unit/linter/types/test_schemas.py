"""JSON Schema -> type."""

from typing import Any

import pytest

from promptpack.linter.types.lattice import (
    ANY,
    NEVER,
    WHOLE,
    Anything,
    Boolean,
    Either,
    Field,
    ListOf,
    MappingOf,
    Null,
    Number,
    Text,
    Type,
)
from promptpack.linter.types.schemas import from_schema


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, ANY),
        (True, ANY),
        (False, NEVER),
        ({"type": "string"}, Text()),
        ({"type": "string", "minLength": 1}, Text(None, frozenset(("",)))),
        ({"enum": ["a", "b"]}, Text(frozenset(("a", "b")))),
        ({"type": "string", "enum": ["a", 1]}, Text(frozenset(("a",)))),
        ({"const": True}, Boolean(frozenset((True,)))),
        ({"type": ["integer", "null"]}, Either((WHOLE, Null()))),
        ({"type": ["integer", "number"]}, Number()),
        ({"type": "array", "items": {"type": "number"}}, ListOf(Number())),
        ({"type": "array", "prefixItems": [{"type": "number"}]}, ListOf(ANY)),
        ({"type": "object"}, MappingOf()),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
            MappingOf({"a": Field(Text())}, None),
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, MappingOf({}, Text())),
        (
            {"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False},
            MappingOf({}, Text()),
        ),
        ({"type": "object", "required": ["a"]}, MappingOf({"a": Field(ANY, required=True)})),
        ({"required": ["a"]}, Anything(MappingOf({"a": Field(ANY, required=True)}))),
        (
            {"allOf": [{"type": "object"}, {"required": ["a"]}, {"properties": {"a": {"type": "string"}}}]},
            MappingOf({"a": Field(Text(), required=True)}),
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, Either((Text(), Null()))),
        ({"type": "string", "oneOf": [{"const": "a"}, {"const": "b"}]}, Text(frozenset(("a", "b")))),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, NEVER),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, Text()),
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
    ) == (MappingOf({"child": Field(ANY)}))


def test_if_and_then_by_a_word_give_variants() -> None:
    case = {"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": {"required": ["more"]}}
    schema = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["a", "b"]}}, "allOf": [case]}
    assert from_schema(schema) == Either(
        (
            MappingOf({"kind": Field(Text(frozenset("a")), required=True), "more": Field(ANY, required=True)}),
            MappingOf({"kind": Field(Text(frozenset("b")), required=True)}),
        )
    )


def test_references_that_multiply_do_not_take_for_ever() -> None:
    def level(number: int, letter: str) -> dict[str, Any]:
        reference = {"$ref": f"#/$defs/{letter}{number + 1}"}
        return {"type": "object", "properties": dict.fromkeys("xyz", reference)}

    definitions = {f"{letter}{number}": level(number, letter) for letter in "ab" for number in range(20)}
    both = {"allOf": [{"$ref": "#/$defs/a0"}, {"$ref": "#/$defs/b0"}], "$defs": definitions}
    assert isinstance(from_schema(both), MappingOf)
