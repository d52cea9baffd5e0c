from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from promptpack import ContextError, Pack
from promptpack.template import Limits, metered
from promptpack.template.rule_set import RuleSet
from promptpack.verdict.rule_checker import RuleChecker

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


def broken(make_pack: MakePack, reply: Mapping[str, Any], limits: Limits | None = None) -> list[str]:
    pack = make_pack(BODY)
    assert pack.contract is not None
    found, _ = RuleChecker(pack.contract, limits or pack.limits).check({"reply": reply, "pack": pack.about})
    return [f"{violation.code} {violation.rule}: {violation.message}" for violation in found]


def test_violations_are_in_the_order_of_the_rules(make_pack: MakePack) -> None:
    assert broken(make_pack, {"action": "PLAN", "tasks": [], "order": []}) == [
        "PP520 first: few",
        "PP520 second: 0 in order",
    ]
    assert broken(make_pack, {"action": "ASK", "tasks": ["a"], "order": ["a"]}) == []


def test_a_rule_or_message_that_cannot_be_evaluated_is_a_violation(make_pack: MakePack) -> None:
    assert broken(make_pack, {"action": "PLAN", "tasks": ["a", "b"], "order": ["b"]}) == [
        "PP521 third: rule 'third' cannot be evaluated: mapping has no 'nothing'"
    ]
    assert broken(make_pack, {"action": "PLAN", "order": ["b"]})[0] == (
        "PP521 first: rule 'first' cannot be evaluated: mapping has no 'tasks'"
    )


def test_the_limits_apply_to_all_rules_together(make_pack: MakePack) -> None:
    reply = {"action": "PLAN", "tasks": ["a", "b"], "order": ["a", "b"]}
    assert broken(make_pack, reply) == []
    assert broken(make_pack, reply, replace(Limits(), steps=100)) == [
        "PP521 third: rule 'third' cannot be evaluated: template takes more than 100 steps"
    ]


@pytest.mark.parametrize("steps", [0, 40, 10_000_000])
def test_strict_and_lenient_checks_find_the_same_violations(steps: int, make_pack: MakePack) -> None:
    pack = replace(make_pack(BODY), limits=Limits(steps=steps))
    text = (
        '{"thought": "t", "action": "PLAN", "params": {}, "expectedOutcome": "o", "confidence": 1, '
        '"risk": {"level": "low", "description": "d"}, "tasks": ["a", "b"], "order": ["a", "b"]}'
    )
    lenient, strict = pack.check(text), pack.check(text, strict=True)
    assert (lenient.outcome, lenient.violations, lenient.data) == (strict.outcome, strict.violations, strict.data)
    assert lenient.ok is (steps > 40)


def test_an_error_in_a_rule_has_the_location_of_that_rule(make_pack: MakePack) -> None:
    pack = make_pack(BODY)
    assert pack.contract is not None
    clauses = [(rule.when, rule.require, frozenset[str]()) for rule in pack.contract.rules]
    with metered(Limits()):
        failed, skipped = RuleSet(clauses).evaluate({"reply": {"action": "PLAN"}, "pack": {}})
    for rule, failure in zip(pack.contract.rules, failed, strict=True):
        with pytest.raises(ContextError) as alone:
            rule.require.evaluate({"reply": {"action": "PLAN"}})
        assert failure.error is not None
        assert failure.error.problems == alone.value.problems
    assert skipped == []


def test_a_rule_that_reads_a_missing_input_is_skipped(make_pack: MakePack) -> None:
    pack = make_pack(BODY)
    assert pack.contract is not None
    rule = pack.contract.rules[1]
    with metered(Limits()):
        assert RuleSet([(None, rule.require, frozenset(("GOAL",)))]).evaluate({"reply": {}}) == ([], [0])
