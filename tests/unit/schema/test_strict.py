"""Strict schemas of contracts, and the problems of contracts that cannot be strict."""

from collections.abc import Mapping
from typing import Any

import pytest

from promptpack import Library, PackError, UsageError
from promptpack.schema.strict import STRICT_PROVIDERS
from promptpack.schema.strict.writing import build_strict_schema, to_strict_schema

READ = {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
SIX = ("understanding", "router", "planner", "executor", "reviewer", "orchestrator")


def strict(schema: Mapping[str, Any], provider: str = "openai") -> dict[str, Any]:
    return to_strict_schema(schema, provider, "the contract")


def problems(schema: Mapping[str, Any], provider: str = "openai") -> str:
    with pytest.raises(PackError) as caught:
        strict(schema, provider)
    return str(caught.value)


def test_an_object_is_closed_and_its_optional_keys_are_nullable() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}
    assert strict(schema) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }


def test_a_limit_that_a_provider_does_not_support_moves_into_the_description() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1, "description": "A number."}}}
    whole = {**schema, "required": ["a"]}
    assert strict(whole)["properties"]["a"] == {"type": "integer", "minimum": 1, "description": "A number."}
    found = build_strict_schema(whole, "anthropic", "the contract")
    assert found.schema["properties"]["a"] == {"type": "integer", "description": "A number.\n\n{minimum: 1}"}
    assert found.lost == (("/a", "minimum"),)


def test_a_condition_becomes_one_branch_per_word_inside_a_wrapper() -> None:
    schema = {
        "type": "object",
        "required": ["kind", "body"],
        "properties": {"kind": {"enum": ["text", "count"]}, "body": {}},
        "if": {"properties": {"kind": {"const": "text"}}, "required": ["kind"]},
        "then": {"properties": {"body": {"type": "string"}}},
        "else": {"properties": {"body": {"type": "integer"}}},
    }
    found = strict(schema)
    assert list(found["properties"]) == ["reply"]
    branches = [branch["properties"] for branch in found["properties"]["reply"]["anyOf"]]
    assert [(one["kind"]["enum"], one["body"]["type"]) for one in branches] == [
        (["text"], "string"),
        (["count"], "integer"),
    ]


def test_a_list_at_the_root_gets_a_wrapper() -> None:
    found = strict({"type": "array", "items": {"type": "string"}})
    assert found["properties"] == {"reply": {"type": "array", "items": {"type": "string"}}}


def test_a_key_that_a_branch_forbids_is_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "if": {"required": ["a"]},
        "then": {"properties": {"b": False}},
    }
    branches = strict(schema)["properties"]["reply"]["anyOf"]
    assert [list(branch["properties"]) for branch in branches] == [["a"], ["b"]]


def test_recursion_stays_a_reference_where_it_is_supported() -> None:
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    schema = {"$ref": "#/$defs/tree", "$defs": {"tree": tree}}
    assert list(strict(schema)["$defs"])
    assert problems(schema, "anthropic") == (
        "PP643 the contract: '/kids/*/kids' contains itself, and anthropic supports no recursive schemas\n"
        "  hint: write out a fixed number of levels, or ask without a strict schema"
    )


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        (
            {"type": "object"},
            "PP641 the contract: the object '/a' may have any keys, which a strict schema cannot allow\n"
            "  hint: list its 'properties' ({} if it has none), or ask without a strict schema",
        ),
        (
            {"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": {"type": "string"}},
            "PP641 the contract: the object '/a' may have any keys, which a strict schema cannot allow\n"
            "  hint: list its 'properties' and set 'additionalProperties: false', or ask without a strict schema",
        ),
        (
            {},
            "PP642 the contract: '/a' may have any value, which a strict schema cannot allow\n"
            "  hint: give it a 'type', or ask without a strict schema",
        ),
    ],
)
def test_an_open_value_is_named(inner: dict[str, Any], problem: str) -> None:
    assert problems({"type": "object", "properties": {"a": inner}, "required": ["a"]}) == problem


def test_all_open_values_are_reported_together() -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {"type": "array", "items": {"type": "object"}}}}
    found = problems(schema)
    assert "'/a'" in found
    assert "'/b/*'" in found


def test_a_contract_that_accepts_nothing_is_refused() -> None:
    assert problems({"type": "object", "required": ["a"], "properties": {"a": False}}) == (
        "PP645 the contract accepts no reply at all\n  hint: correct its schema, or ask without a strict schema"
    )


def test_an_object_that_must_contain_itself_is_refused() -> None:
    nothing = {"allOf": [{"type": "string"}, {"type": "integer"}]}
    part = {"type": "object", "properties": {"a": {"$ref": "#"}, "b": nothing}}
    assert problems({**part, "required": ["a", "b"]}) == (
        "PP645 the contract: '/a' contains itself endlessly\n"
        "  hint: make the inner one optional, or ask without a strict schema"
    )


def test_a_schema_that_is_too_large_names_the_limit() -> None:
    names = {f"key{number}": {"type": "string"} for number in range(5_001)}
    assert problems({"type": "object", "properties": names, "required": list(names)}) == (
        "PP644 the contract has 5,001 properties in its strict schema; openai allows 5,000\n"
        "  hint: use fewer actions, tools and fields, or ask without a strict schema"
    )
    words = {"type": "object", "required": ["a"], "properties": {"a": {"enum": [f"w{n}" for n in range(1_001)]}}}
    assert "has 1,001 enum values in its strict schema; openai allows 1,000" in problems(words)
    nested: dict[str, Any] = {"type": "string"}
    for _ in range(11):
        nested = {"type": "object", "properties": {"a": nested}, "required": ["a"]}
    assert "has 11 levels of objects in its strict schema; openai allows 10" in problems(nested)
    long = {"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x" * 120_000]}}}
    assert "has 120,001 characters in names and enum values" in problems(long)


def test_references_that_multiply_are_refused() -> None:
    parts: dict[str, Any] = {"p0": {"type": "string"}}
    for number in range(1, 30):
        inner = {"$ref": f"#/$defs/p{number - 1}"}
        parts[f"p{number}"] = {"type": "object", "properties": {"a": inner, "b": dict(inner)}, "required": ["a", "b"]}
    found = problems({"$ref": "#/$defs/p29", "$defs": parts}, "ollama")
    assert "PP644 the contract has more than 50,000 schemas or 60 levels with all references replaced" in found


def test_a_schema_that_is_too_deep_is_refused() -> None:
    nested: dict[str, Any] = {"type": "string"}
    for _ in range(400):
        nested = {"type": "array", "items": nested}
    assert "or 60 levels" in problems({"type": "object", "properties": {"a": nested}})


def test_conditions_that_multiply_are_refused() -> None:
    names = {f"key{number}": {"type": "string"} for number in range(20)}
    conditions = [{"if": {"required": [name]}, "then": {"required": ["key0"]}} for name in names]
    assert problems({"type": "object", "properties": names, "allOf": conditions}) == (
        "PP644 the contract has more than 1,000 alternatives, or refers to itself without an object or a list in between\n"
        "  hint: use fewer conditions, or ask without a strict schema"
    )


def test_anthropic_gets_few_unions_and_few_optional_keys() -> None:
    names = {f"key{number}": {"type": "string"} for number in range(40)}
    found = strict({"type": "object", "properties": names}, "anthropic")
    assert sum("anyOf" in one for one in found["properties"].values()) == 16
    assert len(found["required"]) == 16
    more = {**names, "key40": {"type": "string"}}
    assert "has 25 optional properties in its strict schema; anthropic allows 24" in problems(
        {"type": "object", "properties": more}, "anthropic"
    )


@pytest.mark.parametrize("name", SIX)
@pytest.mark.parametrize("locale", ["en", "zh-CN"])
@pytest.mark.parametrize("provider", STRICT_PROVIDERS)
def test_the_six_agents_have_strict_contracts(name: str, locale: str, provider: Any) -> None:
    contract = Library.open("packs").get(name, locale).contract
    assert contract is not None
    found = contract.strict(provider, [READ] if contract.tools_input else None)
    branches = found["properties"]["reply"]["anyOf"]
    actions = {word for branch in branches for word in branch["properties"]["action"]["enum"]}
    assert actions == set(contract.action_names(()) or ()) | ({"read_file"} if contract.tools_input else set())


def executor_problem(tools: list[dict[str, Any]] | None) -> str:
    contract = Library.open("packs").get("executor").contract
    assert contract is not None
    with pytest.raises((PackError, UsageError)) as caught:
        contract.strict("openai", tools)
    return str(caught.value)


def test_an_open_tool_is_named() -> None:
    assert executor_problem([READ, {"name": "search"}]) == (
        "PP641 the contract of executor@1.0.0: the object '/params' of action 'search' may have any keys, which a strict "
        "schema cannot allow\n  hint: list its 'properties' ({} if it has none), or ask without a strict schema"
    )


def test_the_contract_of_a_pack_with_tools_needs_the_tools() -> None:
    assert executor_problem(None) == (
        "PP641 the contract of executor@1.0.0: '/params' depends on the tools of 'AVAILABLE_TOOLS', which are not given\n"
        "  hint: pass them: contract.strict(provider, tools), or use prompt.to(target, strict=True)"
    )


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        strict({"type": "object", "properties": {}}, "opnai")
    assert str(caught.value) == "PP640 no strict schema for the provider 'opnai'\n  hint: did you mean 'openai'?"
