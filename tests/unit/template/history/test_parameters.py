from typing import Any

import pytest

from promptpack.problem import ContextError
from promptpack.template.history import parameter_text, tool_parameters
from promptpack.template.history.parameters import Style

SCHEMA = {
    "type": "object",
    "required": ["day", 5],
    "properties": {
        "task": {"type": "integer"},
        "day": {"type": ["integer", "null"]},
        "mode": {"type": "string", "enum": ["a", None, 1.0]},
        "any": True,
    },
}


def text(tool: dict[str, Any], style: Style = "auto") -> str:
    return parameter_text(tool_parameters(tool, style))


def test_a_flat_description_lists_names_with_types() -> None:
    described = {
        "b": " int ",
        "a": "",
        "c": {"type": " str ", "required": True},
        "d": {"required": 1},
        "e": 5,
        "f": None,
    }
    assert text({"parameters": described}) == (
        "a(required); b(required,int); c(required,str); d(optional); e(optional); f(optional)"
    )


def test_choices_follow_the_type() -> None:
    assert text(
        {"parameters": {"a": {"type": "s", "enum": ["x", "y"]}, "b": {"enum": [1.0, 2.5]}, "c": {"enum": []}}}
    ) == ("a(optional,s:x/y); b(optional,enum:1/2.5); c(optional)")


@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema"])
def test_a_json_schema_lists_its_properties(key: str) -> None:
    assert text({key: SCHEMA}) == (
        "any(optional); day(required,integer|null); mode(optional,string:a/<nil>/1); task(optional,integer)"
    )


def test_an_object_schema_without_properties_has_no_parameters() -> None:
    assert tool_parameters({"parameters": {"type": "object"}}) == []


def test_the_style_can_be_forced() -> None:
    assert text({"parameters": SCHEMA}, "flat") == "properties(optional); required(optional); type(required,object)"
    assert text({"parameters": {"properties": {"a": {}}}}, "json-schema") == "a(optional)"


def test_the_flat_style_ignores_a_list_of_types() -> None:
    assert text({"parameters": {"a": {"type": ["int"]}}}, "flat") == "a(optional)"


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(ContextError) as raised:
        tool_parameters({}, "flatt")  # type: ignore[arg-type]
    assert str(raised.value) == "PP433 unknown style 'flatt' of tool parameters\n  hint: did you mean 'flat'?"


@pytest.mark.parametrize(
    ("schema_text", "expected"),
    [
        ('{"parameters":{"a":"int"}}', "a(required,int)"),
        ('{"PARAMETERſ":{"a":"int"}}', "a(required,int)"),
        (
            '{"parameters":{"a":"int","c":"x"},"Parameters":{"b":"s","c":"y"}}',
            "a(required,int); b(required,s); c(required,y)",
        ),
        ('{"parameters":{"a":"int"},"parameters":null,"parameters":{"b":"s"}}', "b(required,s)"),
        ('{"parameters":{"a":"int"},"parameters":5}', "a(required,int)"),
        ('{"parameters":[1]}', "{}"),
        ('{"name":[],"parameters":{"n":{"enum":[1000000,1e999,"\\ud800"]}}}', "n(optional,enum:1e+06/<nil>/\ufffd)"),
        ('{"parameters":{"a":"int"}', "{}"),
        ('{"parameters":{"a":NaN}}', "{}"),
        ("", "{}"),
        ("[]", "{}"),
    ],
)
def test_a_schema_text_is_read_as_go_reads_it(schema_text: str, expected: str) -> None:
    assert text({"schema_text": schema_text, "parameters": {"ignored": "x"}}) == expected


def test_a_schema_text_may_be_a_json_schema() -> None:
    schema_text = '{"parameters":{"type":"object","properties":{"a":{"type":"int"}},"required":["a"]}}'
    assert text({"schema_text": schema_text}) == "a(required,int)"
