import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from promptpack import schema
from promptpack.schema.forms import FORMS, UNSUPPORTED
from promptpack.schema.quick import FALLBACK, make_test
from promptpack.schema.writer import Writer


def test_every_keyword_is_either_understood_or_left_to_the_reference() -> None:
    assert FORMS.keys() | UNSUPPORTED == Draft202012Validator.VALIDATORS.keys()


@pytest.mark.parametrize(
    "source",
    [
        {"unevaluatedProperties": False},
        {"properties": {"a": {"$dynamicRef": "#node"}}},
        {"$ref": "https://example.com/schema"},
        {"$ref": "#anchor"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#/$defs/a%25b", "$defs": {"a%b": {}}},
        {"properties": {"a": {"$id": "inner", "$ref": "#/$defs/b"}}},
        {"type": "text"},
        {"minLength": "1"},
        {"pattern": "("},
        {"items": [{}]},
    ],
)
def test_what_is_not_understood_is_left_to_the_reference(source: dict[str, Any]) -> None:
    assert make_test(source) is None


def test_a_value_that_is_not_plain_data_is_left_to_the_reference() -> None:
    test = make_test({"type": "object"})
    assert test is not None
    with pytest.raises(FALLBACK):
        test(("a", "tuple"))


def test_a_choice_that_doubles_at_every_level_is_left_to_the_reference() -> None:
    branch = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    test = make_test({"anyOf": [branch, {**branch, "title": "again"}, {"type": "null"}]})
    value: Any = 1
    for _ in range(60):
        value = {"a": value}
    assert test is not None
    with pytest.raises(FALLBACK):
        test(value)


def test_references_that_double_are_left_to_the_reference() -> None:
    levels = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(30)}
    test = make_test({"$ref": "#/$defs/d0", "$defs": {**levels, "d30": {"type": "string"}}})
    assert test is not None
    with pytest.raises(FALLBACK):
        test("text")


def test_a_value_deeper_than_the_reference_goes_is_left_to_it() -> None:
    source = {"type": "array", "items": {"$ref": "#"}}
    value: Any = []
    for _ in range(150):
        value = [value]
    assert [finding.rule for finding in schema.compile(source).check(value)] == ["depth"]


def test_what_a_schema_leaves_open_is_not_looked_into() -> None:
    value: Any = []
    for _ in range(150):
        value = [value]
    assert schema.compile({"type": "object", "required": ["a"]}).accepts({"a": value})


def test_the_word_under_a_key_chooses_the_branch() -> None:
    branches = [
        {"if": {"properties": {"action": {"const": name}}, "required": ["action"]}, "then": {"required": [name]}}
        for name in ("a", "b")
    ]
    accepts = schema.compile({"allOf": branches}).accepts
    assert accepts({"action": "a", "a": 1})
    assert not accepts({"action": "b", "a": 1})
    assert accepts({"action": "c"})
    assert accepts({"action": ["a"]})
    assert accepts({})
    assert accepts("not an object")


def test_a_schema_that_allows_nothing_says_so() -> None:
    assert [finding.message for finding in schema.compile({"oneOf": [False]}).check(1)] == ["nothing is allowed here"]


def test_no_text_of_a_schema_becomes_code() -> None:
    evil = "evil\"'\n'''); __import__('os')  # "
    source = {
        "type": ["object", "string"],
        "properties": {evil: {"const": evil}, "a": {"enum": [evil, 1]}},
        "required": [evil],
        "patternProperties": {re.escape(evil): {"pattern": re.escape(evil)}},
        "additionalProperties": {"$ref": f"#/$defs/{evil}"},
        "dependentRequired": {evil: [evil]},
        "dependentSchemas": {evil: {"not": {"required": [evil + "!"]}}},
        "allOf": [{"if": {"properties": {evil: {"const": evil}}, "required": [evil]}, "then": {"minProperties": 1}}],
        "$defs": {evil: {"minLength": 1}},
        evil: evil,
    }
    names: dict[str, Any] = {}

    def name(value: Any) -> str:
        names[f"n{len(names)}"] = value
        return f"n{len(names) - 1}"

    lines = Writer(name, name, name).write(source)
    assert re.fullmatch(r"[\w\s\[\](),.:+<>=!]*", "\n".join(lines))
    assert "evil" not in "".join(lines)
    assert schema.compile(source).accepts({evil: evil, "b": "c"})
    assert not schema.compile(source).accepts({evil: evil, "b": ""})


def test_a_schema_that_is_too_wide_for_a_function_is_left_to_the_reference() -> None:
    source = {"allOf": [{"type": "number", "maximum": number} for number in range(6_000)]}
    assert make_test(source) is None
    assert schema.compile(source).accepts(0)
    assert not schema.compile(source).accepts(1)


def test_a_schema_may_nest_deeper_than_python_code_can() -> None:
    source: dict[str, Any] = {"type": "string"}
    good: Any = "x"
    bad: Any = 1
    for _ in range(40):
        source, good, bad = {"items": {"properties": {"a": source}}}, [{"a": good}], [{"a": bad}]
    test = make_test(source)
    assert test is not None
    assert test(good)
    assert not test(bad)


def test_many_optional_keys_are_looked_up() -> None:
    source = {"properties": {f"key{n}": {"type": "integer"} if n % 2 else {"minLength": n} for n in range(40)}}
    accepts = schema.compile(source).accepts
    assert accepts({"key1": 1, "key2": "xx", "other": None})
    assert not accepts({"key1": "1"})
    assert not accepts({"key2": "x"})
