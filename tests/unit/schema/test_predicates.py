import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from promptpack import schema
from promptpack.schema.predicate_writer import PredicateWriter
from promptpack.schema.predicates import FALLBACK_ERRORS, PredicateCompiler, compile_predicate
from promptpack.schema.supported_keywords import KEYWORD_TYPES, UNSUPPORTED_KEYWORDS


def test_every_keyword_is_supported_or_left_to_jsonschema() -> None:
    assert KEYWORD_TYPES.keys() | UNSUPPORTED_KEYWORDS == Draft202012Validator.VALIDATORS.keys()


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
def test_an_unsupported_schema_is_left_to_jsonschema(source: dict[str, Any]) -> None:
    assert compile_predicate(source) is None


def test_a_value_that_is_not_plain_data_is_left_to_jsonschema() -> None:
    predicate = compile_predicate({"type": "object"})
    assert predicate is not None
    with pytest.raises(FALLBACK_ERRORS):
        predicate(("a", "tuple"))


def test_a_choice_that_doubles_at_every_level_is_left_to_jsonschema() -> None:
    branch = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    predicate = compile_predicate({"anyOf": [branch, {**branch, "title": "again"}, {"type": "null"}]})
    value: Any = 1
    for _ in range(60):
        value = {"a": value}
    assert predicate is not None
    with pytest.raises(FALLBACK_ERRORS):
        predicate(value)


def test_references_that_double_are_left_to_jsonschema() -> None:
    levels = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(30)}
    predicate = compile_predicate({"$ref": "#/$defs/d0", "$defs": {**levels, "d30": {"type": "string"}}})
    assert predicate is not None
    with pytest.raises(FALLBACK_ERRORS):
        predicate("text")


def test_a_value_that_is_too_deep_is_a_mismatch() -> None:
    source = {"type": "array", "items": {"$ref": "#"}}
    value: Any = []
    for _ in range(150):
        value = [value]
    assert [mismatch.keyword for mismatch in schema.compile(source).check(value)] == ["depth"]


def test_values_without_a_schema_are_not_limited_in_depth() -> None:
    value: Any = []
    for _ in range(150):
        value = [value]
    assert schema.compile({"type": "object", "required": ["a"]}).accepts({"a": value})


def test_a_discriminator_selects_the_branch() -> None:
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


def test_a_schema_that_allows_no_value_says_so() -> None:
    assert [mismatch.message for mismatch in schema.compile({"oneOf": [False]}).check(1)] == [
        "no value is allowed here"
    ]


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

    lines = PredicateWriter(name, name, name).write(source)
    assert re.fullmatch(r"[\w\s\[\](),.:+*<>=!/-]*", "\n".join(lines))
    assert "evil" not in "".join(lines)
    assert schema.compile(source).accepts({evil: evil, "b": "c"})
    assert not schema.compile(source).accepts({evil: evil, "b": ""})


def test_a_schema_that_is_too_wide_for_a_function_is_left_to_jsonschema() -> None:
    source = {"allOf": [{"type": "number", "maximum": number} for number in range(6_000)]}
    assert compile_predicate(source) is None
    compiled = schema.compile(source)
    assert compiled.accepts(0)
    assert not compiled.accepts(1)


def test_a_schema_may_nest_deeper_than_python_code_can() -> None:
    source: dict[str, Any] = {"type": "string"}
    good: Any = "x"
    bad: Any = 1
    for _ in range(40):
        source, good, bad = {"items": {"properties": {"a": source}}}, [{"a": good}], [{"a": bad}]
    predicate = compile_predicate(source)
    assert predicate is not None
    assert predicate(good)
    assert not predicate(bad)


def test_many_optional_keys_are_looked_up() -> None:
    source = {"properties": {f"key{n}": {"type": "integer"} if n % 2 else {"minLength": n} for n in range(40)}}
    accepts = schema.compile(source).accepts
    assert accepts({"key1": 1, "key2": "xx", "other": None})
    assert not accepts({"key1": "1"})
    assert not accepts({"key2": "x"})


def test_threads_that_compile_one_schema_get_different_names() -> None:
    compiler = PredicateCompiler({"type": "object"})
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(compiler._constant, range(2_000)))
    assert [compiler._names[name] for name in names] == list(range(2_000))
