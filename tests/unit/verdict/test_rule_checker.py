from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from promptpack import ContextError, Pack, PackError
from promptpack.template.meter import metered
from promptpack.template.model import Limits
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
    found, _ = RuleChecker(pack.contract, limits or pack.limits).check({"reply": reply, "pack": pack._about})
    return [f"{violation.code} {violation.rule}: {violation.message}" for violation in found]


def test_violations_are_in_the_order_of_the_rules(make_pack: MakePack) -> None:
    assert broken(make_pack, {"action": "PLAN", "tasks": [], "order": []}) == [
        "PP520 first: few",
        "PP520 second: 0 in order",
    ]
    assert broken(make_pack, {"action": "ASK", "tasks": ["a"], "order": ["a"]}) == []


def test_a_rule_or_message_that_cannot_be_evaluated_is_a_violation(make_pack: MakePack) -> None:
    assert broken(make_pack, {"action": "PLAN", "tasks": ["a", "b"], "order": ["b"]}) == [
        "PP521 third: rule 'third' cannot be evaluated: a mapping has no key 'nothing'"
    ]
    assert broken(make_pack, {"action": "PLAN", "order": ["b"]})[0] == (
        "PP521 first: rule 'first' cannot be evaluated: a mapping has no key 'tasks'"
    )


def test_the_limits_apply_to_all_rules_together(make_pack: MakePack) -> None:
    reply = {"action": "PLAN", "tasks": ["a", "b"], "order": ["a", "b"]}
    assert broken(make_pack, reply) == []
    assert broken(make_pack, reply, replace(Limits(), steps=100)) == [
        "PP521 third: rule 'third' cannot be evaluated: template takes more than 100 steps"
    ]


def test_a_failed_rule_keeps_its_violation_when_a_later_rule_uses_up_the_steps(make_pack: MakePack) -> None:
    pack = make_pack(
        "messages: [{role: user, content: hi}]\nreply:\n  actions: {PLAN: {}}\n  rules:\n"
        "    - {name: first, require: reply.order, message: '{{ reply.order | length }} in order'}\n"
        "    - {name: second, require: 'reply.tasks | sort', message: unsorted}\n"
    )
    assert pack.contract is not None
    checker = RuleChecker(pack.contract, Limits(steps=1_000))
    found, _ = checker.check({"reply": {"order": [], "tasks": [1] * 1_000}, "pack": pack._about})
    assert [f"{violation.code} {violation.rule}: {violation.message}" for violation in found] == [
        "PP520 first: 0 in order",
        "PP521 second: rule 'second' cannot be evaluated: template takes more than 1,000 steps",
    ]


@pytest.mark.parametrize(
    ("start", "more"), [("reply.n", f" {word} reply.n") for word in ("and", "or", "+")] + [("reply", ".n")]
)
@pytest.mark.parametrize("count", [60, 66, 67, 126, 127, 196, 197, 1_000])
def test_a_long_rule_can_be_checked_or_its_pack_cannot_be_built(
    make_pack: MakePack, start: str, more: str, count: int
) -> None:
    body = BODY.replace("reply.order | length > 0", start + more * count)
    try:
        pack = make_pack(body)
    except PackError as error:
        (problem,) = error.problems
        assert (problem.code, str(problem.location).split(":")[:2]) == ("PP309", ["packs/demo/1.0.0.yaml", "9"])
        assert count > 125 or more == ".n"
        assert count < 128 or problem.message == "template is nested more than 128 levels deep"
        return
    reply: dict[str, Any] = {"action": "ASK", "tasks": [], "order": []}
    reply["n"] = reply if more == ".n" else 1
    assert pack.contract is not None
    assert RuleChecker(pack.contract, pack.limits).check({"reply": reply, "pack": pack._about}) == ([], ())


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
