import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library, Pack

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "schemas/contracts/execute-decision.schema.json").read_text(encoding="utf-8"))
CALL = {"name": "move", "arguments": {"task_id": 35}}
ABORT = {"code": "no_free_slot", "user_message": "no slot is free", "internal_reason": "find gave nothing"}


@cache
def pack() -> Pack:
    return Library.open(str(ROOT / "packs")).get("smart-executor")


def violations(reply: dict[str, Any]) -> list[str]:
    return sorted(violation.path for violation in pack().check(json.dumps(reply)).violations)


@pytest.mark.parametrize("reply", SCHEMA["examples"], ids=lambda reply: reply["action"])
def test_every_example_of_the_contract_is_valid(reply: dict[str, Any]) -> None:
    verdict: Any = pack().check(json.dumps(reply))
    assert verdict.ok
    assert verdict.output == reply
    assert verdict.repairs == ()


def test_the_examples_show_every_action() -> None:
    assert [example["action"] for example in SCHEMA["examples"]] == SCHEMA["properties"]["action"]["enum"]


@pytest.mark.parametrize(
    ("reply", "paths"),
    [
        ({"speak": "go"}, ["/action"]),
        ({"speak": "go", "action": "wait"}, ["/action"]),
        ({"speak": "", "action": "continue"}, ["/speak"]),
        ({"speak": " \n", "action": "ask_user"}, ["/speak"]),
        ({"action": "confirm", "tool_call": CALL}, ["/speak"]),
        ({"speak": "go", "action": "confirm"}, ["/tool_call"]),
        ({"speak": "go", "action": "ask_user", "tool_call": CALL}, ["/tool_call"]),
        ({"speak": "go", "action": "continue", "tool_call": {"name": " ", "arguments": {}}}, ["/tool_call/name"]),
        ({"speak": "go", "action": "continue", "tool_call": {"arguments": {}}}, ["/tool_call/name"]),
        ({"speak": "go", "action": "continue", "tool_call": 5}, ["/tool_call"]),
        ({"action": "next_plan"}, ["/goal_check"]),
        ({"action": "done", "goal_check": " "}, ["/goal_check"]),
        ({"action": "done", "goal_check": "met", "tool_call": CALL}, ["/tool_call"]),
        ({"action": "abort"}, ["/abort"]),
        ({"action": "abort", "abort": {"code": "x"}}, ["/abort/user_message"]),
        ({"action": "abort", "abort": ABORT, "tool_call": CALL}, ["/tool_call"]),
        ({"speak": "go", "action": "continue", "abort": ABORT}, ["/abort"]),
    ],
)
def test_a_decision_that_contradicts_itself_is_a_violation(reply: dict[str, Any], paths: list[str]) -> None:
    assert violations(reply) == paths


@pytest.mark.parametrize(
    "reply",
    [
        {"speak": "", "action": "done", "goal_check": "met"},
        {"speak": "go", "action": "continue"},
        {"speak": "go", "action": "continue", "tool_call": {"name": "list"}},
        {"action": "abort", "abort": {"user_message": "no slot is free"}},
    ],
)
def test_fields_that_an_action_does_not_need_are_optional(reply: dict[str, Any]) -> None:
    assert violations(reply) == []


def test_parameters_are_read_as_arguments() -> None:
    verdict: Any = pack().check(
        '{"speak": "go", "action": "continue", "tool_call": {"name": "move", "parameters": {"day": 5}}}'
    )
    assert verdict.output == {
        "speak": "go",
        "action": "continue",
        "tool_call": {"name": "move", "arguments": {"day": 5}},
    }
    both = {"name": "move", "parameters": {"day": 5}, "arguments": {"day": 6}}
    assert violations({"speak": "go", "action": "continue", "tool_call": both}) == ["/tool_call"]


def test_an_empty_text_where_an_object_belongs_counts_as_absent() -> None:
    verdict: Any = pack().check('{"action": "done", "goal_check": "met", "tool_call": "", "abort": ""}')
    assert verdict.output == {"action": "done", "goal_check": "met"}
    assert violations({"action": "abort", "abort": ""}) == ["/abort"]
