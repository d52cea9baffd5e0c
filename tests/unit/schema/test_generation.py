import re
from typing import Any

import pytest

from promptpack.schema import Schema
from promptpack.schema.generation import FirstChoices, NoValueError, RandomChoices, ValueGenerator

LEVELS = {"enum": ["low", "high"]}
TREE = {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#"}}, "required": ["value"]}


@pytest.mark.parametrize(
    ("schema", "simplest"),
    [
        ({}, "a"),
        (True, "a"),
        ({"type": "string", "minLength": 3}, "aaa"),
        ({"type": "string", "maxLength": 0}, ""),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"type": "string", "pattern": r"^task-\d+$"}, "task-0"),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "maximum": -5, "multipleOf": 4}, -8),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
        (LEVELS, "low"),
        ({"const": None}, None),
        ({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}, {"b": "a"}),
        (TREE, {"value": 0}),
        ({"type": "array", "minItems": 2, "items": LEVELS, "uniqueItems": True}, ["low", "high"]),
        ({"type": "array", "prefixItems": [LEVELS, {"type": "null"}], "minItems": 2}, ["low", None]),
        ({"type": "array", "contains": {"type": "null"}}, [None]),
        ({"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}}, {"a": "a", "b": "a"}),
        ({"type": "object", "minProperties": 1, "patternProperties": {"^x-": LEVELS}}, {"x-": "low"}),
        ({"allOf": [{"type": "integer"}, {"minimum": 3}, {"not": {"const": 3}}]}, 4),
        ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, None),
    ],
)
def test_the_simplest_choices_make_the_simplest_value(schema: Any, simplest: Any) -> None:
    assert ValueGenerator(schema).generate(FirstChoices()) == simplest


@pytest.mark.parametrize(
    ("schema", "reason", "is_proven"),
    [
        (False, "no value meets the schema", True),
        ({"not": {}}, "no value meets the schema", True),
        ({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}, "no value meets the schema", True),
        ({"type": "array", "minItems": 3, "uniqueItems": True, "items": LEVELS}, "no value meets the schema", True),
        ({"type": "array", "minItems": 10**9}, "no value was found", False),
        ({"type": "array", "contains": {}, "minContains": 10**9}, "no value was found", False),
        ({"type": "object", "minProperties": 10**9}, "no value was found", False),
        ({"type": "string", "minLength": 10**9}, "no value was found", False),
        ({"type": "string", "pattern": "(a{900}){900}"}, "no value was found", False),
        ({"$ref": "#"}, "no value was found", False),
        (
            {"$ref": "https://example.org/schema"},
            "the reference 'https://example.org/schema' has no local target",
            False,
        ),
    ],
    ids=str,
)
def test_a_schema_without_a_value_is_named_as_such(schema: Any, reason: str, is_proven: bool) -> None:
    for choices in (FirstChoices(), RandomChoices(1)):
        with pytest.raises(NoValueError, match=f"^{re.escape(reason)}$") as caught:
            ValueGenerator(schema).generate(choices)
        assert caught.value.is_proven is is_proven


def test_the_same_seed_makes_the_same_values() -> None:
    first, second = ([ValueGenerator({}).generate(RandomChoices(seed)) for seed in range(50)] for _ in range(2))
    assert first == second
    assert len({repr(value) for value in first}) > 20


def test_values_vary_and_reach_the_limits() -> None:
    generator = ValueGenerator({"type": "integer", "minimum": 1, "maximum": 9})
    assert {generator.generate(RandomChoices(seed)) for seed in range(200)} == set(range(1, 10))


def test_free_texts_are_often_samples() -> None:
    generator = ValueGenerator({"type": "string", "maxLength": 8}, ["{{ a }}", "far too long"])
    made = [generator.generate(RandomChoices(seed)) for seed in range(60)]
    assert 15 < made.count("{{ a }}") < 45
    assert "far too long" not in made


def test_each_word_of_a_discriminator_gets_its_own_branch() -> None:
    def branch(word: str, kind: str) -> dict[str, Any]:
        condition = {"properties": {"action": {"const": word}}, "required": ["action"]}
        return {"if": condition, "then": {"properties": {"params": {"type": kind}}}}

    schema = {
        "type": "object",
        "properties": {"action": {"enum": ["A", "B", "C"]}, "params": {}},
        "required": ["action", "params"],
        "allOf": [branch("A", "integer"), branch("B", "boolean")],
    }
    generator = ValueGenerator(schema)
    made = [generator.generate(RandomChoices(seed)) for seed in range(60)]
    assert {one["action"] for one in made} == {"A", "B", "C"}
    assert all(Schema(schema).accepts(one) for one in made)
