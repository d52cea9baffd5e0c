import json
from collections.abc import Mapping
from typing import Any

import pytest

from promptpack import schema


def mismatches(source: Mapping[str, Any], value: Any) -> list[str]:
    return [
        f"{mismatch.pointer} {mismatch.keyword}: {mismatch.message}" for mismatch in schema.compile(source).check(value)
    ]


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        ({"type": "string"}, 1, " type: expected text, not a number"),
        ({"type": ["object", "null"]}, [], " type: expected a mapping or null, not a list"),
        ({"enum": ["low", "high"]}, "lo", " enum: 'lo' is not one of 'low', 'high'"),
        ({"const": 1}, 2, " const: must be 1, not 2"),
        ({"required": ["a"]}, {}, "/a required: 'a' is missing"),
        (
            {"properties": {"a": {}}, "additionalProperties": False},
            {"b": 1},
            "/b additionalProperties: unknown key 'b'",
        ),
        ({"minimum": 0}, -1, " minimum: must be at least 0, not -1"),
        ({"maximum": 100}, 150, " maximum: must be at most 100, not 150"),
        ({"exclusiveMinimum": 0}, 0, " exclusiveMinimum: must be more than 0, not 0"),
        ({"exclusiveMaximum": 1}, 1, " exclusiveMaximum: must be less than 1, not 1"),
        ({"minLength": 1}, "", " minLength: must not be empty"),
        ({"maxLength": 2}, "abc", " maxLength: must have at most 2 characters, not 3"),
        ({"minItems": 2}, [1], " minItems: must have at least 2 items"),
        ({"maxItems": 0}, [1], " maxItems: must have at most 0 items, not 1"),
        ({"maxItems": 1}, [1, 2], " maxItems: must have at most 1 item, not 2"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, " dependentRequired: 'b' is required with 'a'"),
        ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, " oneOf: 3 does not match exactly one of the allowed forms"),
        ({"anyOf": [{"minimum": 5}, {"minimum": 6}]}, 3, " anyOf: 3 does not match any of the allowed forms"),
        ({"uniqueItems": True}, [1, 1], " uniqueItems: must not contain duplicate items"),
        ({"pattern": "^a"}, "b", " pattern: 'b' does not match the pattern ^a"),
        ({"not": {}}, 1, " not: this value is not allowed here"),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, 5, " type: expected text or a list, not a number"),
        ({"pattern": "^a", "x-message": "must start with a"}, "b", " pattern: 'b' must start with a"),
        ({"minProperties": 1}, {}, " minProperties: must not be empty"),
        ({"maxProperties": 1}, {"a": 1, "b": 2}, " maxProperties: must have at most 1 key, not 2"),
    ],
)
def test_a_failed_keyword_is_explained_in_plain_words(source: dict[str, Any], value: Any, expected: str) -> None:
    assert mismatches(source, value) == [expected]


def test_mismatches_are_those_of_the_likely_branch() -> None:
    source = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "object", "required": ["text"]}}]}
    assert mismatches(source, [{"txt": 1}]) == ["/0/text required: 'text' is missing"]


def test_a_misspelled_key_or_word_has_a_hint() -> None:
    source = {"properties": {"locale": {"enum": ["jinja"]}}, "additionalProperties": False}
    assert schema.compile(source).check({"loclae": 1})[0].hint == "did you mean 'locale'?"
    assert schema.compile(source).check({"locale": "jnja"})[0].hint == "did you mean 'jinja'?"


def test_all_mismatches_are_returned_in_order() -> None:
    source = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["c"]}
    assert [line.split()[0] for line in mismatches(source, {"b": 1, "a": 1})] == ["/a", "/b", "/c"]


def test_a_value_that_nests_too_deep_is_a_mismatch() -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    assert mismatches({"type": "array", "items": {"$ref": "#"}}, value) == [
        " depth: is nested more than 100 levels deep"
    ]


def test_schemas_in_files_become_local_definitions() -> None:
    shared = {
        "a.json": {"$id": "x", "type": "object", "properties": {"b": {"$ref": "b.json"}, "me": {"$ref": "#/$defs/n"}},
                   "$defs": {"n": {"type": "null"}}},
        "b.json": {"type": "array", "items": {"$ref": "a.json"}},
    }  # fmt: skip
    bundled = schema.bundle({"$ref": "a.json"}, "root", lambda _, name: (name, shared[name]), schema.SchemaMeter())
    assert "x" not in json.dumps(bundled["$defs"]["a"].get("$id", ""))
    compiled = schema.compile(bundled)
    assert not compiled.check({"b": [{"b": [], "me": None}]})
    assert [mismatch.pointer for mismatch in compiled.check({"b": [{"me": 1}]})] == ["/b/0/me"]


def test_a_moved_schema_keeps_its_own_references() -> None:
    moved = schema.rebase({"$ref": "#/$defs/n", "enum": [{"$ref": "#"}]}, "#/$defs/params")
    assert moved == {"$ref": "#/$defs/params/$defs/n", "enum": [{"$ref": "#"}]}


def test_pointers_escape_their_separators() -> None:
    assert schema.pointer(["a/b", "~", 0]) == "/a~1b/~0/0"


@pytest.mark.parametrize("others", [{}, {"unevaluatedProperties": False}])
@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("#/$defs/a/properties/b", {"$defs": {"a": True}}),
        ("#/$defs/a/0", {"$defs": {"a": [True]}}),
        ("#/anyOf/x", {"anyOf": [True]}),
    ],
)
def test_a_reference_through_something_other_than_a_mapping_does_not_exist(
    others: dict[str, Any], reference: str, target: dict[str, Any]
) -> None:
    [mismatch] = schema.compile({**others, "$ref": reference, **target}).check({"b": 1})
    assert mismatch.message == f"the schema refers to {reference!r}, which does not exist"


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        ("^a$", "a", True),
        ("^a$", "a\n", False),
        ("^(?:a$|b$)+", "b\n", False),
        ("a(?=$)", "a\n", False),
        ("(a)?(?(1)$|b)", "a\n", False),
        ("(?>a$)", "a\n", False),
        ("(?m)^a$", "a\nb", True),
        ("(?m:a$)", "a\nb", True),
    ],
)
def test_a_pattern_ends_at_the_end_of_the_text(pattern: str, text: str, is_found: bool) -> None:
    assert schema.compile({"pattern": pattern}).accepts(text) is is_found
