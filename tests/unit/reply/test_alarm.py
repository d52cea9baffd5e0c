from typing import Any

import pytest

from promptpack.reply.alarm import StreamedWord, find_alarm
from promptpack.reply.shape import Shape


@pytest.mark.parametrize(
    ("schema", "value", "rule"),
    [
        ({"enum": ["low", "high"]}, "medium", "enum"),
        ({"const": 1}, 2, "const"),
        ({"type": "number"}, "many", "type"),
        ({"type": "boolean"}, 1, "type"),
        ({"type": "string"}, ["a"], "type"),
        ({"type": "number", "minimum": 0}, -1, "minimum"),
        ({"type": "number", "maximum": 100}, 100.5, "maximum"),
        ({"type": "number", "exclusiveMaximum": 5}, 5, "exclusiveMaximum"),
        ({"type": "integer", "multipleOf": 5}, 7, "multipleOf"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "A", "pattern"),
        ({"type": "string", "minLength": 1}, "", "minLength"),
        ({"type": "array", "minItems": 1}, [], "minItems"),
        ({"type": "object", "required": ["a"]}, {"b": 1}, "required"),
        ({"anyOf": [{"type": "integer", "maximum": 5}, {"type": "null"}]}, 6, "maximum"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "type"),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"minimum": 2}}}, 1, "minimum"),
    ],
)
def test_a_value_that_the_schema_forbids_raises_an_alarm(schema: dict[str, Any], value: Any, rule: str) -> None:
    found = find_alarm(value, Shape.of(schema))
    assert found is not None
    assert found.keyword == rule


def test_the_path_of_a_missing_key_is_its_own() -> None:
    found = find_alarm({}, Shape.of({"required": ["a/b"]}))
    assert found is not None
    assert (found.pointer, found.message) == ("/a~1b", "'a/b' is missing")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, "anything"),
        ({"type": "number", "minimum": 0}, 5),
        ({"enum": ["low"]}, "low"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, None),
        # The values inside have alarms of their own.
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": 1}),
        ({"type": "array", "items": {"type": "string"}}, [1]),
    ],
)
def test_a_value_that_may_be_valid_raises_no_alarm(schema: dict[str, Any], value: Any) -> None:
    assert find_alarm(value, Shape.of(schema)) is None


LEVELS = {"enum": ["low", "medium", "no_risk"]}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("low", -1), ("LOW.", -1), ("  Medium", -1), ("**low**", -1), ("No-Risk", -1), ("noRisk", -1), ("低风险", -1),
        ("l", -1), ("", -1), ("lo\\u0077", -1), ("x", 0), ("lx", 1), ("lower", 3), ("lo w", -1), ("lo w!", 4), ("no ri sk", 6), ("not low", 2), ("高", 0),
        ("FLY", 0), ("no  risk at all", 9), ("low\n}", -1), ("lx\n}", 1), (" " * 200 + "x", -1),
    ],
)  # fmt: skip
def test_the_first_character_that_fits_no_word_is_found(text: str, place: int) -> None:
    assert StreamedWord(Shape.of(LEVELS)).add(text) == place
    word = StreamedWord(Shape.of(LEVELS))
    assert next((index for index, one in enumerate(text) if word.add(one) >= 0), -1) == place


def test_the_alarm_lists_the_allowed_words() -> None:
    word = StreamedWord(Shape.of(LEVELS))
    word.add("FLY")
    assert word.alarm == ("enum", "none of ['low', 'medium', 'no_risk'] begins with 'F'")


def test_synonyms_of_the_schema_and_words_that_are_not_strings_raise_no_alarm() -> None:
    assert StreamedWord(Shape.of({"enum": ["low"], "x-values": {"tief": "low"}})).add("tief ") == -1
    assert StreamedWord(Shape.of({"enum": [1, 2]})).add("x") == -1
    assert StreamedWord(Shape.of({"type": "array", "enum": [["a"], "b"]})).add("x") == -1
