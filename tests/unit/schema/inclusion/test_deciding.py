"""What an answer says, and that no schema makes a decision long, wrong or fail."""

from collections.abc import Callable
from typing import Any

import pytest

from promptpack import Library
from promptpack.schema.inclusion import Inclusion, StepMeter, includes

STRING: dict[str, Any] = {"type": "string"}


def test_an_answer_names_the_keyword_and_the_value_that_decide() -> None:
    wide = {"type": "object", "properties": {"mode": {"enum": ["on", "off"]}}, "required": ["mode"]}
    narrow = {**wide, "properties": {"mode": {"enum": ["on", "off", "auto"]}}}
    assert includes(wide, narrow) == Inclusion(
        "no",
        "the wide schema refuses a value of the narrow one: '/mode' 'auto' is not one of 'on', 'off'",
        "/properties/mode/enum",
        {"mode": "auto"},
    )
    assert includes(narrow, wide) == Inclusion("yes", "every value of the narrow schema is valid for the wide one")
    assert includes(STRING, {}).reason == "the wide schema refuses a value of the narrow one: expected text, not null"


def test_a_path_leaves_out_references() -> None:
    wide = {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"minLength": 2}}}
    assert includes(wide, {"properties": {"a": {"minLength": 1}}}).path == "/properties/a/minLength"


def test_contracts_of_shipped_packs_are_compared() -> None:
    library = Library.open("packs")
    contracts = {name: library.get(name).contract for name in ("planner", "executor", "router")}
    schemas = {name: contract.json_schema() for name, contract in contracts.items() if contract is not None}
    assert includes(schemas["executor"], schemas["planner"]).answer == "yes"
    assert includes(schemas["planner"], schemas["router"]).path == "/properties/action/enum"
    assert all(includes(schema, schema).answer == "yes" for schema in schemas.values())


def test_many_actions_are_decided() -> None:
    assert includes(_contract(80), _contract(80, last=1)).answer == "yes"
    found = includes(_contract(80, last=1), _contract(80))
    assert found.counterexample == {"action": "A79", "params": {"x": "a" * 79}}


def _contract(count: int, last: int = 0) -> dict[str, Any]:
    branches = []
    for number in range(count):
        text = {"type": "string", "minLength": number + (last if number == count - 1 else 0)}
        params = {"type": "object", "required": ["x"], "properties": {"x": text}}
        condition = {"properties": {"action": {"const": f"A{number}"}}, "required": ["action"]}
        branches.append({"if": condition, "then": {"properties": {"params": params}}})
    properties = {"action": {"enum": [f"A{number}" for number in range(count)]}}
    return {"type": "object", "required": ["action", "params"], "properties": properties, "allOf": branches}


def _nest(levels: int, wrap: Callable[[Any], Any], inner: Any = STRING) -> Any:
    for _ in range(levels):
        inner = wrap(inner)
    return inner


def _chain(keyword: str, count: int = 60) -> dict[str, Any]:
    """Return definitions that each refer twice to the next, so that there are 2^60 paths to the last."""
    definitions: dict[str, Any] = {f"d{count}": STRING}
    for number in range(count):
        after = {"$ref": f"#/$defs/d{number + 1}"}
        definitions[f"d{number}"] = {keyword: [after, after]}
    return {"$ref": "#/$defs/d0", "$defs": definitions}


_CHOICES = {"allOf": [{"anyOf": [{"required": [f"a{one}"]}, {"required": [f"b{one}"]}]} for one in range(30)]}
_WORDS = [f"w{number}" for number in range(20_000)]
_COMPLEX = "the schemas are too complex to decide"
_UNSURE = "neither a proof nor a counterexample was found"


@pytest.mark.parametrize(
    ("wide", "narrow", "answer"),
    [
        (STRING, _chain("allOf"), "yes"),
        (_chain("anyOf"), STRING, "yes"),
        (_CHOICES, {**_CHOICES, "title": "x"}, "yes"),
        ({"enum": _WORDS}, {"enum": _WORDS[::-1]}, "yes"),
        ({"enum": _WORDS[1:]}, {"enum": _WORDS}, "no"),
        ({"maximum": 10**400}, {"type": "integer", "maximum": 10**400 + 1}, "no"),
        ({"multipleOf": 10**300}, {"type": "integer", "multipleOf": 10**301}, "yes"),
        ({"const": 10**23}, {"const": 1e23}, "no"),
        (_nest(60, lambda inner: {"required": ["a"], "properties": {"a": inner}}), {"not": STRING}, "no"),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 1.0000000000000002}, {"const": 1}, "no"),
        ({"minItems": 10**9}, {"type": "array", "minItems": 10**9 + 1}, "yes"),
        (False, {"type": "array", "uniqueItems": True, "minItems": 51, "items": {"enum": list(range(50))}}, "yes"),
        ({"required": [f"k{one}" for one in range(500)]}, {"required": [f"k{one}" for one in range(499)]}, "no"),
        ({"dependentRequired": {"k0": ["k50"]}}, {"dependentRequired": {f"k{one}": [f"k{one + 1}"] for one in range(50)}}, "yes"),
    ],
)  # fmt: skip
def test_a_large_schema_is_decided(wide: Any, narrow: Any, answer: str) -> None:
    assert includes(wide, narrow).answer == answer


@pytest.mark.parametrize(
    ("wide", "narrow", "reason"),
    [
        ({"minProperties": 30}, {"type": "object", **_CHOICES}, _COMPLEX),
        ({"pattern": "^[ab]*a[ab]{14}$"}, {"type": "string", "pattern": "^[ab]*a[ab]{14}$|c{500}"}, _COMPLEX),
        (_nest(400, lambda inner: {"allOf": [inner]}), STRING, _COMPLEX),
        (_nest(30, lambda inner: {"anyOf": [inner, {"not": inner}]}), {}, "the schema has more than 20,000 subschemas"),
        ({"maximum": 1}, {"exclusiveMinimum": 1, "exclusiveMaximum": 1.0000000000000002}, _UNSURE),
        ({"$ref": "#"}, {}, "reference '#' refers to itself"),
        ({"$ref": "#/nothing"}, {}, "the reference '#/nothing' has no local target"),
        ({"$ref": "other.json"}, {}, "the reference 'other.json' has no local target"),
        ({"items": {"$id": "x"}}, {}, "'$id' changes the target of references"),
        ({"$dynamicRef": "#x"}, {}, "the keyword '$dynamicRef' is not supported"),
        ({"multipleOf": 0}, {"type": "number"}, "'multipleOf' is not a positive number"),
        ({"required": [1]}, {}, "the value of 'required' has a wrong type"),
        ({"allOf": [5]}, {}, "a schema is neither a mapping nor a boolean"),
        ({"enum": [object()]}, {}, "the value of 'enum' has a wrong type"),
        ({"pattern": "("}, {}, "pattern '(' is not a valid regular expression: missing ), unterminated subpattern at position 0"),
        ({"unevaluatedProperties": False, "anyOf": [{"properties": {f"k{one}": {}}} for one in range(20)]}, {}, "'unevaluatedProperties' depends on too many alternatives"),
    ],
)  # fmt: skip
def test_a_question_that_takes_too_long_or_is_malformed_is_unknown(wide: Any, narrow: Any, reason: str) -> None:
    assert includes(wide, narrow) == Inclusion("unknown", reason)


def test_words_that_are_lists_are_decided_inside_alternatives() -> None:
    wide = {"properties": {"a": {"anyOf": [{"oneOf": [True], "enum": [[]]}]}}}
    narrow = {"properties": {"a": {"anyOf": [{"enum": [[{"b": 1}]]}, {"type": "array", "maxItems": 1}]}}}
    assert includes(wide, narrow).answer == "no"
    assert includes(narrow, wide).answer == "yes"


def test_several_decisions_share_their_steps() -> None:
    shared = StepMeter(2_000)
    hard = {"type": "string", "pattern": "^[ab]*a[ab]{14}$"}, {"type": "string", "pattern": "[ab]{30}$"}
    assert includes(*hard, shared) == Inclusion("unknown", _COMPLEX)
    assert 900 < shared.remaining <= 1_000
    assert includes(STRING, {"const": "a"}, shared).answer == "yes"
    shared.remaining = 50
    assert includes(STRING, {"const": "a"}, shared) == Inclusion("unknown", _COMPLEX)
    assert includes(STRING, {"const": "a"}).answer == "yes"
