"""The schema of a contract with tools accepts what its JSON Schema accepts, though a part of it is compiled only once."""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from promptpack import Library
from promptpack.pack.contract import Action
from promptpack.schema.validation import compile as compile_schema

PACKS = Library.open(cache=False)
CONTRACTS = [PACKS.get(name, locale="en").contract for name in ("planner", "executor")]
PARAMS: tuple[dict[str, Any] | None, ...] = (
    None,
    {},
    {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}, "additionalProperties": False},
    {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"enum": [1, "x"]}}},
)
NAMES = ("read", "a/b", "a~b", "TASK_PLAN", "ERROR", "")
TOOLS = st.lists(st.builds(Action, st.sampled_from(NAMES[:-1]), params=st.sampled_from(PARAMS)), max_size=4)
REPLIES = st.fixed_dictionaries(
    {},
    optional={
        "thought": st.sampled_from(["x", "", 1]),
        "action": st.sampled_from([*NAMES, None, ["read"]]),
        "params": st.sampled_from([{}, {"a": 1}, {"a": "x"}, {"a": 1, "b": 2}, {"errorType": "e", "message": "m"}, 1]),
        "extra": st.just(1),
    },
)
VALID = {
    "thought": "x",
    "params": {"a": 1},
    "expectedOutcome": "y",
    "risk": {"level": "low", "description": "z"},
    "confidence": 50,
}


@settings(max_examples=150)
@given(st.sampled_from(CONTRACTS), TOOLS, REPLIES, st.booleans())
@example(CONTRACTS[0], [Action("TASK_PLAN", params=PARAMS[2])], {"action": "TASK_PLAN", "params": {"a": 1}}, True)
@example(CONTRACTS[1], [Action("read", params=PARAMS[2])], {"action": "read", "params": {"a": "x"}}, True)
def test_a_contract_with_tools_accepts_the_same_as_its_json_schema(
    contract: Any, tools: list[Action], reply: dict[str, Any], complete: bool
) -> None:
    value = {**VALID, **reply} if complete else reply
    source = contract.json_schema(tools)
    assert contract._schema_with(tools).accepts(value) == compile_schema(source).accepts(value)
