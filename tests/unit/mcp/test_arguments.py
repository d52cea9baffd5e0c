"""What users read about arguments, and the values that their text means."""

from typing import Any

import pytest

from promptpack.mcp.arguments import decode, describe, suggest
from promptpack.mcp.served_packs import ServedPacks
from promptpack.pack.model import Input, Pack
from promptpack.problem import ContextError, Location


@pytest.fixture
def trip(packs: ServedPacks) -> Pack:
    return packs.get("plan-trip")


def declared(secret: bool = False, **schema: Any) -> Input:
    return Input("X", schema, lambda: Location("x.yaml"), "What.", secret=secret)


@pytest.mark.parametrize(
    ("schema", "description"),
    [
        ({"type": "string"}, "What."),
        ({"type": "string", "default": "tea"}, "What. (default tea)"),
        ({"type": "integer", "default": 3}, "What. (a whole number; default 3)"),
        ({"type": ["array", "null"], "default": []}, "What. (a JSON array or null)"),
        ({"enum": ["a", 1, None]}, "What. (one of a, 1, null)"),
        ({"anyOf": [{"type": "boolean"}, {"const": "maybe"}]}, "What. (true or false or text)"),
        ({"anyOf": [{"type": "boolean"}, True]}, "What. (text or JSON)"),
        ({}, "What. (text or JSON)"),
    ],
)
def test_a_description_says_what_to_write(schema: dict[str, Any], description: str) -> None:
    assert describe(declared(**schema)) == description


def test_a_long_default_is_cut_and_a_secret_one_is_not_shown() -> None:
    assert describe(declared(type="string", default="a" * 500)) == f"What. (default {'a' * 79}…)"
    assert describe(declared(secret=True, type="string", default="hunter2")) == "What."


def test_enums_and_booleans_have_words_to_complete() -> None:
    assert suggest(declared(enum=["slow", 2])) == ["slow", "2"]
    assert suggest(declared(type="boolean")) == ["true", "false"]
    assert suggest(declared(type="string")) == suggest(declared()) == []


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("CITY", "123", "123"),
        ("DAYS", "5", 5),
        ("BY_TRAIN", " true ", True),
        ("PACE", "fast", "fast"),
        ("PEOPLE", '["Ada"]', ["Ada"]),
        ("NOTES", "[not json", "[not json"),
        ("NOTES", "5", "5"),
        ("NOTES", '{"a": 1}', {"a": 1}),
        ("NOTES", "[1]", "[1]"),
    ],
)
def test_text_means_the_value_that_its_input_accepts(trip: Pack, name: str, text: str, value: object) -> None:
    assert decode(trip, {name: text}) == {name: value}


def test_an_empty_optional_argument_means_the_default(trip: Pack) -> None:
    assert decode(trip, {"DAYS": " ", "PEOPLE": "", "NOTES": "", "PACE": ""}) == {}


def test_an_empty_required_text_is_a_text(trip: Pack) -> None:
    assert decode(trip, {"CITY": ""}) == {"CITY": ""}


def test_every_argument_that_is_not_json_is_reported_with_a_hint(trip: Pack) -> None:
    with pytest.raises(ContextError) as caught:
        decode(trip, {"DAYS": "three", "PEOPLE": "Ada", "BY_TRAIN": "True"})
    assert str(caught.value) == (
        "PP651 argument 'DAYS' is not valid JSON: Expecting value: line 1 column 1 (char 0)\n"
        "  hint: write a whole number\n"
        "PP651 argument 'PEOPLE' is not valid JSON: Expecting value: line 1 column 1 (char 0)\n"
        '  hint: write a JSON array, such as ["Ada", "Bo"]\n'
        "PP651 argument 'BY_TRAIN' is not valid JSON: Expecting value: line 1 column 1 (char 0)\n"
        "  hint: write true or false"
    )


def test_json_that_is_nested_too_deeply_is_refused(trip: Pack) -> None:
    with pytest.raises(ContextError, match="argument 'PEOPLE' is not valid JSON: nested too deeply"):
        decode(trip, {"PEOPLE": "[" * 100_000})


def test_a_secret_is_not_in_its_error(trip: Pack) -> None:
    with pytest.raises(ContextError) as caught:
        decode(trip, {"TOKEN": '{"hunter2": 1, "hunter2": 2}'})
    assert str(caught.value) == "PP651 argument 'TOKEN' is not valid JSON\n  hint: write a whole number"
    assert caught.value.__context__ is None
