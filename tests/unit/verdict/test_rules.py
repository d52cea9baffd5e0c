from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from promptpack import Pack
from promptpack.pack import Rule
from promptpack.problem import ContextError
from promptpack.template import metered
from promptpack.template.bounds import Limits
from promptpack.verdict.rules import find_broken

MakePack = Callable[[str], Pack]
BODY = """\
messages: [{role: user, content: hi}]
reply:
  actions: {PLAN: {}}
  rules:
    - {name: a-plan, when: reply.action == "PLAN", require: reply.tasks is defined, message: no tasks}
    - name: unique
      when: reply.action == "PLAN"
      require: (reply.tasks | map(attribute="id") | unique(case_sensitive=true) | list | length) == (reply.tasks | length)
      message: "twice: {{ reply.tasks | map(attribute='id') | join(', ') }}"
    - name: known
      when: reply.action == "PLAN"
      require: reply.tasks | map(attribute="needs") | flatten | reject("in", reply.tasks | map(attribute="id") | list) | list | length == 0
      message: unknown
    - name: sorted
      require: (reply.tasks | map(attribute="id") | sort(case_sensitive=true)) == (reply.order | sort(case_sensitive=true))
      message: order
    - name: in-order
      require: not (reply.tasks | out_of_order(reply.order, needs="needs"))
      message: "{{ reply.order }}"
    - {name: confident, require: reply.confidence or reply.surely, message: unsure}
"""
GOOD: dict[str, Any] = {
    "action": "PLAN",
    "tasks": [{"id": "a", "needs": []}, {"id": "b", "needs": ["a"]}, {"id": "c", "needs": ["a", "b"]}],
    "order": ["a", "b", "c"],
    "confidence": 1,
}
REPLIES = {
    "good": GOOD,
    "another action": GOOD | {"action": "ASK"},
    "twice": GOOD | {"tasks": [{"id": "a", "needs": []}, {"id": "a", "needs": []}]},
    "unknown": GOOD | {"tasks": [{"id": "a", "needs": ["z", "a"]}], "order": ["a"]},
    "numbers": GOOD | {"tasks": [{"id": 1, "needs": [2]}, {"id": 2, "needs": []}], "order": [2, 1]},
    "a key is missing": GOOD | {"tasks": [{"id": "a"}, {"needs": []}]},
    "no mappings": GOOD | {"tasks": ["a", None, ["b"]]},
    "no list": GOOD | {"tasks": "abc", "order": {"a": 1}},
    "mixed": GOOD | {"order": ["c", 1, None]},
    "nothing": {},
    "unsure": GOOD | {"confidence": 0},
    "other needs": GOOD | {"tasks": [{"id": "a", "needs": "bc"}, {"id": "b", "needs": [["c"]]}]},
}


def broken_one_by_one(rules: tuple[Rule, ...], scope: Mapping[str, Any], limits: Limits) -> tuple[list[str], int]:
    """Work out each rule by itself, and give what is told, and the steps that are left."""
    told = []
    with metered(limits) as meter:
        for rule in rules:
            try:
                if (rule.when is None or rule.when.evaluate(scope)) and not rule.require.evaluate(scope):
                    told.append(f"PP520 {rule.name}: {rule.message.render(scope)}")
            except ContextError as error:
                told.append(f"PP521 {rule.name}: rule {rule.name!r} cannot be worked out: {error.problems[0].message}")
        return told, meter.steps


@pytest.mark.parametrize("name", REPLIES)
def test_rules_are_told_and_counted_as_if_each_were_alone(name: str, make_pack: MakePack) -> None:
    pack = make_pack(BODY)
    assert pack.contract is not None
    rules, scope = pack.contract.rules, {"reply": REPLIES[name], "pack": pack.about}
    enough = Limits()
    used = enough.steps - broken_one_by_one(rules, scope, enough)[1]
    for steps in (*range(0, used + 1, 7), used - 1, used, enough.steps):
        limits = replace(enough, steps=steps)
        told, left = broken_one_by_one(rules, scope, limits)
        with metered(limits) as meter:
            found = find_broken(rules, scope, limits)
            assert meter.steps == left
        assert [f"{violation.code} {violation.rule}: {violation.message}" for violation in found] == told


def test_rules_stop_at_the_limits_of_the_pack(make_pack: MakePack) -> None:
    pack = make_pack(BODY)
    assert pack.contract is not None
    scope = {"reply": GOOD, "pack": pack.about}
    assert find_broken(pack.contract.rules, scope, pack.limits) == []
    last = find_broken(pack.contract.rules, scope, Limits(steps=300))[-1]
    assert str(last) == "PP521 (reply): rule 'confident' cannot be worked out: template takes more than 300 steps"
