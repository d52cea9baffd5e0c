import json
from typing import Any

import pytest

from promptpack.template import Expression, Source, compile_expression, default_engine, metered
from promptpack.template.bounds import Limits
from promptpack.template.proving import Proof

REPLY: dict[str, Any] = {
    "action": "PLAN",
    "tasks": [{"id": "a", "dependencies": []}, {"id": "b", "dependencies": ["a"]}],
    "order": ["a", "b"],
    "score": 60,
    "done": True,
    "note": " x ",
    "nothing": None,
    "risk": {"level": "low"},
}
VALUES: dict[str, Any] = {"POOL": {"tools": ["a", "b", "c"]}, "EMPTY": []}
PROVEN = [
    'reply.action == "PLAN"',
    '"PLAN" == reply.action',
    "reply.score >= 60 and reply.score < 61",
    "reply.done",
    "not EMPTY",
    "EMPTY or reply.done",
    "EMPTY and EMPTY.nothing or reply.done",
    "reply.done is true and reply.nothing is none and reply.done is not false",
    "reply.risk is mapping and reply.action is string and reply.note is not mapping",
    "reply.risk.level is defined and reply.risk.nothing is not defined",
    'reply.action in ["PLAN", "ASK"] and reply.action not in ["ERROR"]',
    "reply.action not in POOL.tools",
    "reply.score != POOL.tools and reply.tasks | length == reply.order | length",
    "reply.note | trim | length == 1",
    'reply.tasks | map(attribute="id") | unique(case_sensitive=true) | list | length == 2',
    'reply.tasks | map(attribute="dependencies") | flatten | reject("in", POOL.tools) | list | length == 0',
    'reply.order | select("in", POOL.tools) | list | length == 2',
    '(reply.tasks | map(attribute="id") | sort(case_sensitive=true)) == (reply.order | sort(case_sensitive=true))',
    "not (reply.tasks | out_of_order(reply.order))",
    '(reply.tasks | map(attribute="id") | list) == reply.order',
]
UNPROVEN = [
    'reply.action == "ASK"',
    "reply.missing",
    "reply.missing == 1",
    "reply.action.missing is not defined",
    "reply.score > reply.action",
    'reply.score > "a"',
    "reply.tasks != reply.order",
    'reply.order | map(attribute="id") | list',
    'reply.tasks | map(attribute="rare") | list',
    'reply.tasks | map(attribute="id")',
    'reply.order | reject("in", reply.tasks | map(attribute="id")) | list | length == 0',
    'reply.tasks | map(attribute="id") | reject("in", reply.order) | length == 0',
    'reply.order | unique(case_sensitive=true) | length == 2',
    'reply.tasks | flatten | list',
    "reply.score | trim",
    "reply.note | list",
    "reply.score + 1 == 61",
    "reply.score * 2",
    'reply.note | upper == " X "',
    'pack.name == "a"',
    "reply.order | out_of_order(reply.order)",
    "POOL.tools | out_of_order(reply.order)",
    "reply.done if reply.done else reply.done",
    "1 < reply.score < 100",
]  # fmt: skip


def made(text: str) -> Expression:
    return compile_expression(Source.of_text(text), default_engine())


def proof(*texts: str, limits: Limits | None = None) -> Proof:
    return Proof([(None, made(text)) for text in texts], VALUES, limits or Limits())


def holds(found: Proof, reply: Any = REPLY, values: Any = VALUES) -> bool:
    return found.holds(reply, values, len(json.dumps(reply)))


@pytest.mark.parametrize("text", PROVEN)
def test_an_everyday_condition_is_proven(text: str) -> None:
    assert made(text).evaluate({**VALUES, "reply": REPLY})
    assert holds(proof(text))
    assert not holds(proof(f"not ({text})"))


@pytest.mark.parametrize("text", UNPROVEN)
def test_whatever_is_not_certain_is_not_proven(text: str) -> None:
    assert not holds(proof(text))


def test_conditions_are_proven_together() -> None:
    assert holds(proof(*PROVEN))
    assert not holds(proof(*PROVEN, UNPROVEN[0]))


def test_what_need_not_hold_need_not_be_everyday() -> None:
    odd = made("reply.missing + 1")
    assert holds(Proof([(made('reply.action == "ASK"'), odd), (None, made("reply.done"))], (), Limits()))
    assert not holds(Proof([(made('reply.action == "PLAN"'), odd)], (), Limits()))


def test_what_is_known_on_a_condition_is_not_taken_for_known_elsewhere() -> None:
    tasks = made('reply.tasks | map(attribute="id") | list | length > 0')
    conditions = [(made('reply.action == "PLAN"'), tasks), (made("reply.done"), tasks)]
    found = Proof(conditions, (), Limits())
    assert holds(found)
    assert holds(found, REPLY | {"action": "ASK"})
    assert not holds(found, {"action": "ASK", "done": True})


def test_an_input_that_some_rule_names_must_be_there() -> None:
    assert not holds(proof("reply.done"), values={"POOL": {}})
    assert not holds(proof("reply.done"), values=None)
    assert holds(Proof([(None, made("reply.done"))], ("reply", "pack"), Limits()), values=None)


@pytest.mark.parametrize(
    "limits", [Limits(steps=1_000), Limits(items=5), Limits(items=100), Limits(text=100), Limits(text=10)]
)
def test_nothing_is_proven_that_may_not_keep_to_the_limits(limits: Limits) -> None:
    assert not holds(proof(PROVEN[-6], limits=limits))


def test_nothing_is_proven_inside_of_something_that_is_counted() -> None:
    with metered(Limits()):
        assert not holds(proof("reply.done"))


def test_one_list_in_many_places_is_not_put_together_beyond_the_limits() -> None:
    values = {"POOL": [{"tools": ["a"] * 10_000}] * 10_000, "EMPTY": []}
    found = proof('POOL | map(attribute="tools") | flatten | reject("in", EMPTY) | list | length > 0')
    assert not holds(found, values=values)


def test_conditions_that_nest_deeply_are_left_unproven() -> None:
    assert holds(proof("reply.done and (" * 5 + "reply.done" + ")" * 5))
    assert not holds(proof("reply.done and (" * 50 + "reply.done" + ")" * 50))
