# ruff: noqa: S311 -- Hypothesis provides the randomness
"""Laws of reading replies, over generated objects, defects and bytes."""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from promptpack import Pack, Verdict
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version
from promptpack.reply import replay
from promptpack.reply.syntax_tree import is_same
from tests.properties.reply_defects import add_defects, lose
from tests.properties.reply_outputs import AGENTS, anything

CONTRACTS = json.loads(Path(__file__, "../../conformance/replies/contract.json").resolve().read_text("utf-8"))
no_deadline = settings(deadline=None)


@cache
def pack_of(agent: str) -> Pack:
    return Pack(agent, Version(1, 0, 0), "contract.json", contract=Contract(agent, CONTRACTS[agent]))


def judged(agent: str, raw: str | bytes, **options: Any) -> Verdict:
    return pack_of(agent).check(raw, **options)


def of_contract(agent: str, value: Any) -> Any:
    return {key: item for key, item in value.items() if key in CONTRACTS[agent]["properties"] and item is not None}


@given(anything, st.integers(0, 2**32))
@settings(no_deadline, max_examples=200)
def test_an_output_with_defects_that_keep_its_meaning_is_read_back(
    given_output: tuple[str, dict[str, Any]], seed: int
) -> None:
    agent, value = given_output
    raw, defects = add_defects(value, Random(seed))
    verdict = judged(agent, raw)
    assert verdict.ok, (defects, raw, [str(one) for one in verdict.violations])
    assert is_same(of_contract(agent, verdict.data), value), (defects, raw)
    assert is_same(replay(raw, verdict.repairs), verdict.data), (defects, raw)


@given(anything, st.integers(0, 2**32))
@settings(no_deadline, max_examples=200)
def test_an_output_that_lost_punctuation_is_read_back(given_output: tuple[str, dict[str, Any]], seed: int) -> None:
    agent, value = given_output
    raw, meant, defects = lose(with_plain_texts(value), Random(seed))
    verdict = judged(agent, raw)
    assert verdict.ok, (defects, raw, [str(one) for one in verdict.violations])
    assert is_same(of_contract(agent, verdict.data), meant), (defects, raw)
    assert is_same(replay(raw, verdict.repairs), verdict.data), (defects, raw)


def with_plain_texts(value: dict[str, Any]) -> dict[str, Any]:
    """Replace texts by plain ones that do not look like structure: without punctuation, others are ambiguous."""
    risk = {name: item if name == "level" else "Fine so far" for name, item in value["risk"].items()}
    plain = {"thought": "The plan is consistent", "expectedOutcome": "Plan can be executed", "risk": risk}
    if value["action"] in ("ROUTE_DECISION", "REVIEW_RESULT"):
        return {**value, **plain, "params": json.loads(PLAIN_PARAMS[value["action"]])} | _options(value)
    return {**value, **plain, "params": {"query": "refunds 2024", "top": 5}} | _options(value)


def _options(value: dict[str, Any]) -> dict[str, Any]:
    plain = {"alternativeActions": ["Roll back"], "userMessage": "Done."}
    return {name: item for name, item in plain.items() if name in value}


PLAIN_PARAMS = {
    "ROUTE_DECISION": '{"route": "new_task", "payload": {"reason": "Another goal", "requiresConfirmation": true}}',
    "REVIEW_RESULT": '{"approved": true, "score": 85, "feedback": "Good", "requiredFixes": ["Name an owner"]}',
}


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)), st.sampled_from(list(AGENTS)), st.booleans())
@settings(no_deadline, max_examples=200)
def test_any_bytes_get_a_verdict(raw: str | bytes, agent: str, strict: bool) -> None:
    verdict = judged(agent, raw, strict=strict)
    assert verdict.ok == (verdict.outcome in ("valid", "recovered")) == (not verdict.violations)
    assert all(one.offset is None or 0 <= one.offset <= len(raw) for one in verdict.violations)


PIECES = ('{"thought": "t"', '"action": "ROUTE_DECISION"', '"params": {"route": "new_task"', '"payload": {"reason": "r"',
          '"requiresConfirmation": false', '"confidence": 80', '"risk": {"level": "low"', '"description": "d"',
          '"expectedOutcome": "o"', "{", "}", "[", "]", ",", ":", '"', "'", "\\", "\n", "```json\n", "<think>", "</think>",
          "// x\n", "...", "NaN", "80", "low", "“", "，", "：", "null", "=", "prose ", "→", "->", ":", "\\n", "**", "<br>", 'u"x"', "f'", '@"', '("a" "b")', "\u00ad")  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join), st.sampled_from(["router", "executor"]))
@settings(no_deadline, max_examples=200)
def test_an_accepted_reply_meets_the_contract_and_its_log_rebuilds_the_data(raw: str, agent: str) -> None:
    verdict = judged(agent, raw)
    if verdict.ok:
        assert list(Draft202012Validator(CONTRACTS[agent]).iter_errors(verdict.data)) == []
        assert is_same(replay(raw, verdict.repairs), verdict.data)


@given(anything, st.integers(0, 2**32), st.integers(0, 2**32))
@settings(no_deadline, max_examples=200)
def test_a_randomly_damaged_reply_is_accepted_only_if_it_meets_its_contract(
    given_output: tuple[str, dict[str, Any]], seed: int, place: int
) -> None:
    agent, value = given_output
    raw, _ = add_defects(value, Random(seed))
    at, until = sorted((place % (len(raw) + 1), (place * 7919) % (len(raw) + 1)))
    damaged = raw[:at] + raw[min(until, at + 3) :]
    verdict = judged(agent, damaged)
    if verdict.ok:
        assert list(Draft202012Validator(CONTRACTS[agent]).iter_errors(verdict.data)) == []
        assert is_same(replay(damaged, verdict.repairs), verdict.data)


@given(anything, st.sampled_from([None, 2]), st.booleans())
@settings(no_deadline, max_examples=200)
def test_reading_dumped_json_changes_nothing(
    given_output: tuple[str, dict[str, Any]], indent: int | None, plain: bool
) -> None:
    agent, value = given_output
    raw = json.dumps(value, ensure_ascii=plain, indent=indent)
    for strict in (False, True):
        verdict = judged(agent, raw, strict=strict)
        assert (verdict.outcome, verdict.repairs) == ("valid", ())
        assert is_same(verdict.data, value)


@given(anything, st.integers(0, 2**32), st.sampled_from([None, 40, -1, -60]))
@settings(no_deadline, max_examples=150)
def test_a_stored_verdict_comes_back_equal(
    given_output: tuple[str, dict[str, Any]], seed: int, cut: int | None
) -> None:
    agent, value = given_output
    verdict = judged(agent, add_defects(value, Random(seed))[0][:cut])
    row = json.loads(json.dumps(verdict.to_dict()))
    again = Verdict.from_dict(row)
    assert (again, again.to_dict()) == (verdict, row)
    assert (again.output, again.extras, again.summary) == (verdict.output, verdict.extras, verdict.summary)
