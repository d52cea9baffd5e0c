"""Predicates agree with `jsonschema` on random schemas and values."""

import json
from typing import Any

from hypothesis import HealthCheck, assume, example, given, reject, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from promptpack.schema.explain import NearWords, explain_errors
from promptpack.schema.keywords import build_validator_class, limit_steps
from promptpack.schema.pointers import Mismatch
from promptpack.schema.predicates import FALLBACK_ERRORS, compile_predicate
from promptpack.schema.supported_keywords import MAX_STEPS, StepLimitError
from promptpack.schema.validation import compile as compile_schema

NAMES = st.sampled_from(["a", "b", "action", "x-1", ""])
TEXTS = st.sampled_from(["", "a", "ab", "abc", "action", "日本", "😀", "\ud800", "x-1", "1"])
NUMBERS = st.one_of(
    st.integers(-3, 5),
    st.sampled_from([0.0, -0.0, 1.0, 1.5, 2.5, 0.1, 4.35, 1e308, 2**53, 2**53 + 1, 10**400, float(2**53)]),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=10
)
KINDS = ["object", "array", "string", "number", "integer", "boolean", "null"]
COUNTS = st.integers(0, 3) | st.sampled_from([1.0, 2.0])
PATTERNS = st.sampled_from(["^a", "b$", "^x-", ".", "^$", "^[a-z]+$", "(a|b)*c", "日"])
REFERENCES = st.sampled_from(["#", "#/$defs/one", "#/$defs/two", "#/$defs/missing", "#/$defs/one/properties/a"])
DISPATCHES = st.fixed_dictionaries(
    {
        "if": st.builds(
            lambda word: {"properties": {"action": word}, "required": ["action"]},
            st.one_of(
                st.builds(lambda text: {"const": text}, TEXTS),
                st.builds(lambda texts: {"enum": texts}, st.lists(TEXTS, max_size=3)),
            ),
        )
    },
    optional={"then": st.sampled_from([{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}}, False])},
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner | DISPATCHES, min_size=1, max_size=3)
    keywords = {
        "type": st.sampled_from(KINDS) | st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": st.sampled_from([1, 2, 0.5, 0.01, 3]),
        "minLength": COUNTS,
        "maxLength": COUNTS,
        "pattern": PATTERNS,
        "minItems": COUNTS,
        "maxItems": COUNTS,
        "uniqueItems": st.booleans(),
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "contains": inner,
        "minContains": COUNTS,
        "maxContains": COUNTS,
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "additionalProperties": inner,
        "propertyNames": inner,
        "required": st.lists(NAMES, max_size=2),
        "minProperties": COUNTS,
        "maxProperties": COUNTS,
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2), max_size=2),
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=2),
        "allOf": several,
        "anyOf": several,
        "oneOf": several,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": REFERENCES,
        "format": st.just("email"),
        "x-unknown": VALUES,
    }
    # Few keywords per schema, or hardly any value would be valid.
    one = st.one_of([st.tuples(st.just(name), made) for name, made in keywords.items()])
    return st.lists(one, max_size=3).map(dict)


SCHEMAS = st.recursive(st.booleans() | nested(st.booleans()), nested, max_leaves=4)
ROOTS = st.builds(
    lambda root, one, two: {**(root if isinstance(root, dict) else {"not": not root}), "$defs": {"one": one, "two": two}},
    SCHEMAS, SCHEMAS, SCHEMAS,
)  # fmt: skip


def find_with_jsonschema_alone(source: dict[str, Any], value: Any) -> set[Mismatch]:
    validator = build_validator_class()(source, registry=Registry())
    try:
        with limit_steps(lambda _, __: False, [MAX_STEPS]):
            return set(explain_errors(validator.iter_errors(value), NearWords()))
    except (StepLimitError, RecursionError):
        reject()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(ROOTS, st.lists(VALUES, min_size=1, max_size=5))
@example({"type": "integer"}, [1.0, 1.5, True, 2**60, 10**400])
@example({"enum": [1, True, [0], {"a": 1.0}]}, [1.0, True, 0, [False], [0.0], {"a": True}, {"a": 1}])
@example({"uniqueItems": True}, [[True, 1], [True, ["fixed", 1]], [1, 1.0], [{"a": 1}, {"a": 1.0}]])
@example({"multipleOf": 3}, [10**400, 3 * 10**400, 1e308])
@example({"maximum": 2**53}, [2**53 + 1, float(2**53)])
@example({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}, [{"a": {"a": 1}}, {"a": {}}])
@example({"allOf": [{"if": {"properties": {"a": {"const": "b"}}, "required": ["a"]}, "then": False}]}, [1, {"a": "b"}])
@example(
    {
        "type": "object",
        "allOf": [
            {
                "if": {"properties": {"a": {"enum": ["b", "c"]}, "d": {"type": "null"}}, "required": ["d", "a"]},
                "then": {"required": ["e"]},
                "else": {"if": {"properties": {"a": {"const": "b"}}, "required": ["a"]}, "then": {"maxProperties": 2}},
            }
        ],
    },
    [
        {},
        {"a": "x"},
        {"a": 1},
        {"a": "b"},
        {"a": "b", "d": None},
        {"a": "b", "d": None, "e": 1},
        {"a": "b", "d": 1, "e": 1},
        {"a": "c", "d": 1, "e": 1},
        {"a": "c", "d": None},
    ],
)
@example(
    {"allOf": [{"if": {"properties": {"a": {"const": "b"}}, "required": ["a"]}, "else": {"required": ["c"]}}]},
    [{}, {"a": "b"}, {"a": "x"}, {"a": "x", "c": 1}, 1],
)
def test_a_predicate_agrees_with_jsonschema(source: dict[str, Any], values: list[Any]) -> None:
    predicate = compile_predicate(source)
    assume(predicate is not None)
    assert predicate is not None
    for value in values:
        mismatches = compile_schema(source).explain(value)
        assume(not any(mismatch.keyword in ("limit", "$ref", "depth") for mismatch in mismatches))
        assert set(mismatches) == find_with_jsonschema_alone(source, value)
        try:
            is_valid = predicate(value)
        except FALLBACK_ERRORS:
            continue
        assert is_valid is (not mismatches), (mismatches, value)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(ROOTS, st.dictionaries(st.sampled_from(["unevaluatedItems", "unevaluatedProperties"]), SCHEMAS), VALUES)
@example({"contains": {"const": 1}}, {"unevaluatedItems": False}, [1, 2])
@example({"prefixItems": [True], "if": {"contains": {"const": 2}}}, {"unevaluatedItems": False}, [1, 2])
@example({"patternProperties": {"^a": True}}, {"unevaluatedProperties": {"type": "null"}}, {"a": 1, "b": 2})
@example(
    {"dependentSchemas": {"a": {"properties": {"b": True}}}, "properties": {"a": True}},
    {"unevaluatedProperties": False},
    {"a": 1, "b": 2},
)
def test_bounded_keywords_accept_what_stock_keywords_accept(
    source: dict[str, Any], unevaluated: dict[str, Any], value: Any
) -> None:
    # The only intended difference: 4.35 is a multiple of 0.01.
    assume("multipleOf" not in json.dumps(source))
    schema = {**source, **unevaluated}
    try:
        expected = Draft202012Validator(schema, registry=Registry()).is_valid(value)
    except (RecursionError, Unresolvable, TypeError):  # TypeError: a pointer below `true` or `false`
        reject()
    try:
        with limit_steps(lambda _, __: False, [MAX_STEPS]):
            found = build_validator_class()(schema, registry=Registry()).is_valid(value)
    except (StepLimitError, RecursionError, Unresolvable):
        reject()
    assert found is expected
