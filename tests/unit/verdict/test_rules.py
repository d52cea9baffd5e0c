from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from promptpack import Pack
from promptpack.template.bounds import Limits
from promptpack.verdict.rules import find_broken

MakePack = Callable[[str], Pack]
BODY = """\
messages: [{role: user, content: hi}]
reply:
  actions: {PLAN: {}}
  rules:
    - {name: first, when: reply.action == "PLAN", require: reply.tasks | length > 1, message: few}
    - {name: second, require: reply.order | length > 0, message: "{{ reply.order | length }} in order"}
    - {name: third, require: reply.tasks == reply.order, message: "{{ reply.nothing }}"}
"""


def told(make_pack: MakePack, reply: Mapping[str, Any], limits: Limits | None = None) -> list[str]:
    pack = make_pack(BODY)
    assert pack.contract is not None
    found = find_broken(pack.contract.rules, {"reply": reply, "pack": pack.about}, limits or pack.limits)
    return [f"{violation.code} {violation.rule}: {violation.message}" for violation in found]


def test_what_breaks_a_rule_is_told_in_the_order_of_the_rules(make_pack: MakePack) -> None:
    assert told(make_pack, {"action": "PLAN", "tasks": [], "order": []}) == [
        "PP520 first: few",
        "PP520 second: 0 in order",
    ]
    assert told(make_pack, {"action": "ASK", "tasks": ["a"], "order": ["a"]}) == []


def test_a_rule_or_a_message_that_fails_is_told_like_a_broken_rule(make_pack: MakePack) -> None:
    assert told(make_pack, {"action": "PLAN", "tasks": ["a", "b"], "order": ["b"]}) == [
        "PP521 third: rule 'third' cannot be worked out: mapping has no 'nothing'"
    ]
    assert told(make_pack, {"action": "PLAN", "order": ["b"]})[0] == (
        "PP521 first: rule 'first' cannot be worked out: mapping has no 'tasks'"
    )


def test_all_rules_together_keep_to_the_limits(make_pack: MakePack) -> None:
    reply = {"action": "PLAN", "tasks": ["a", "b"], "order": ["a", "b"]}
    assert told(make_pack, reply) == []
    assert told(make_pack, reply, replace(Limits(), steps=100)) == [
        "PP521 third: rule 'third' cannot be worked out: template takes more than 100 steps"
    ]


@pytest.mark.parametrize("steps", [0, 40, 10_000_000])
def test_a_reply_that_keeps_to_the_rules_is_judged_alike_however_that_is_found(steps: int, make_pack: MakePack) -> None:
    pack = replace(make_pack(BODY), limits=Limits(steps=steps))
    text = (
        '{"thought": "t", "action": "PLAN", "params": {}, "expectedOutcome": "o", "confidence": 1, '
        '"risk": {"level": "low", "description": "d"}, "tasks": ["a", "b"], "order": ["a", "b"]}'
    )
    quick, slow = pack.check(text), pack.check(text, strict=True)
    assert (quick.outcome, quick.violations, quick.data) == (slow.outcome, slow.violations, slow.data)
    assert quick.ok is (steps > 40)
