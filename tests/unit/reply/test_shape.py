from typing import Any

import pytest

from promptpack.reply.shape import Shape

AGENT: dict[str, Any] = {
    "type": "object",
    "required": ["action"],
    "properties": {"action": {"enum": ["GO", "STOP"]}, "params": {"type": "object"}, "userMessage": {"type": "string"}},
    "allOf": [
        {
            "if": {"properties": {"action": {"const": "GO"}}, "required": ["action"]},
            "then": {"properties": {"params": {"$ref": "#/$defs/go"}}},
        }
    ],
    "$defs": {"go": {"properties": {"speed": {"type": "integer"}}, "required": ["speed"]}},
}


def test_the_members_select_the_branches() -> None:
    shape = Shape.of(AGENT)
    assert shape.discriminators == {"action"}
    assert "speed" not in shape.with_conditions({"action": "STOP"}).properties["params"].properties
    params = shape.with_conditions({"action": "GO"}).properties["params"]
    assert params.required == {"speed"}
    assert params.properties["speed"].types == {"integer"}


def test_an_optional_null_rules_no_branch_out_and_a_required_one_does() -> None:
    colours = {"enum": ["red", "green", "blue"]}
    first = {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}
    second: dict[str, Any] = {"properties": {"kind": {"const": "b"}, "colour": colours}, "required": ["kind"]}
    shape = Shape.of({"anyOf": [first, second]})
    assert set(shape.with_conditions({"kind": "b", "colour": None}).properties) == {"kind", "colour"}
    second["required"].append("colour")
    assert Shape.of({"anyOf": [first, second]}).with_conditions({"kind": "b", "colour": None}).properties == {}


def test_one_shape_serves_many_replies() -> None:
    shape = Shape.of(AGENT)
    assert Shape.of(shape) is shape
    assert shape.with_conditions({"action": "GO"}) is shape.with_conditions({"action": "GO", "x": 1})
    assert shape.properties is shape.properties


def test_names_are_grouped_by_spelling_alias_and_synonyms() -> None:
    named = {"userMessage": {}, "params": {"x-aliases": ["Eingabe"]}}
    shape = Shape.of({"properties": named})
    assert shape.by_folded_name["usermessage"] == ["userMessage"]
    assert shape.by_alias == {"Eingabe": ["params"]}
    assert sorted(name for names in shape.by_group.values() for name in names) == ["params", "userMessage"]


@pytest.mark.parametrize(
    ("schema", "value", "holds"),
    [
        ({"type": "integer"}, 5.0, True),
        ({"type": "integer"}, 5.5, False),
        ({"type": "number"}, True, False),
        ({"type": ["string", "null"]}, None, True),
        ({"enum": [1, "a"]}, True, False),
        ({"const": {"a": 1}}, {"a": 1.0}, True),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1}, [], False),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["a", "b"], False),
        ({"exclusiveMinimum": 0}, 0, False),
        ({"exclusiveMaximum": 1}, 0.5, True),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, [], False),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, 1, True),
        ({"not": {"type": "string"}}, "a", False),
        ({"required": ["a"]}, {}, False),
        ({"properties": {"a": {"type": "string"}}}, {"a": 1}, False),
        ({"allOf": [{"type": "string"}, {"enum": ["a"]}]}, "b", False),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}}}, 1, False),
        ({"$ref": "#/$defs/missing"}, 1, True),
        (False, 1, False),
    ],
)
def test_a_value_is_checked_against_the_supported_keywords(schema: Any, value: Any, holds: bool) -> None:
    assert (
        Shape.of({"properties": {"it": schema}, "$defs": schema.get("$defs", {}) if schema else {}}).accepts(
            {"it": value}
        )
        is holds
    )


def test_types_are_those_that_all_schemas_allow() -> None:
    assert Shape.of({"type": ["string", "null"], "allOf": [{"type": "string"}]}).types == {"string"}
    assert Shape.of({"anyOf": [{"type": "string"}, {"type": "array"}]}).types == {"string", "array"}
    assert Shape.of({"properties": {}}).types == frozenset()
    assert Shape.of({"properties": {"a": {}}}).kinds == {"object"}
    assert Shape.of({"items": {"type": "string"}}).kinds == {"array"}


def test_a_reference_to_itself_ends() -> None:
    shape = Shape.of(
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a", "properties": {"x": {"type": "string"}}}}}
    )
    assert set(shape.properties) == {"x"}
