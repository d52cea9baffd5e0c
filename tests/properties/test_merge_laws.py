"""Laws of corrections: an answer fixes the failing parts and never changes the valid ones."""

import json
from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from promptpack import Verdict
from promptpack.reply import replay
from promptpack.reply.repair import set_at
from promptpack.reply.syntax_tree import is_same
from promptpack.schema.pointers import MISSING, find_at
from tests.properties.reply_outputs import anything
from tests.properties.test_reply_laws import CONTRACTS, PIECES, judged, no_deadline

BREAKS: dict[str, Any] = {
    "/confidence": 500,
    "/risk/level": "enormous",
    "/risk/description": 7,
    "/thought": ["not text"],
    "/expectedOutcome": {},
    "/userMessage": 5,
}
breaks = st.lists(st.sampled_from(list(BREAKS)), min_size=1, max_size=3, unique=True)
answers = st.one_of(
    st.lists(st.sampled_from([*PIECES, '{"confidence": 90}', '{"/risk/level": "low"', '"risk": {']), max_size=12).map(" ".join),
    st.dictionaries(
        st.sampled_from(["confidence", "/confidence", "risk", "/risk/level", "thought", "action", "x"]),
        st.sampled_from([90, "90%", "low", {"level": "High"}, {"level": "low", "description": "d"}, None, "new", []]),
    ).map(json.dumps),
)  # fmt: skip


def broken(value: dict[str, Any], paths: list[str]) -> dict[str, Any]:
    result = deepcopy(value)
    for path in paths:
        result = set_at(result, path, BREAKS[path])
    return result


def refused(agent: str, value: dict[str, Any], paths: list[str]) -> Verdict:
    raw = json.dumps(broken(value, paths))
    verdict = judged(agent, raw)
    assert {found.path for found in verdict.violations} == set(paths)
    assert verdict.attempt is not None
    assert is_same(replay(raw, verdict.attempt.repairs), verdict.attempt.value)
    return verdict


@given(anything, breaks, st.booleans())
@settings(no_deadline, max_examples=200)
def test_the_failing_parts_restore_the_meant_object(
    given_output: tuple[str, dict[str, Any]], paths: list[str], pointers: bool
) -> None:
    agent, value = given_output
    meant = {"userMessage": "u", **value}
    first = refused(agent, meant, paths)
    answer: dict[str, Any] = {}
    for path in paths:
        top, _, inner = path[1:].partition("/")
        part = find_at(meant, path)
        if pointers:
            answer[path] = part
        else:
            answer[top] = {**answer.get(top, {}), inner: part} if inner else part
    second = judged(agent, json.dumps(answer), after=first)
    assert second.ok, [str(one) for one in second.violations]
    assert is_same(second.data, meant)
    assert {one.path for one in second.repairs if one.kind == "merged"} == set(paths)


@given(anything, breaks, answers)
@settings(no_deadline, max_examples=200)
def test_no_answer_changes_valid_parts(given_output: tuple[str, dict[str, Any]], paths: list[str], raw: str) -> None:
    agent, value = given_output
    first = refused(agent, value, paths)
    second = judged(agent, raw, after=first)
    assert second.ok == (not second.violations)
    if not second.ok:
        return
    assert first.attempt is not None
    assert list(Draft202012Validator(CONTRACTS[agent]).iter_errors(second.data)) == []
    assert is_same(replay(raw, second.repairs, first.attempt.value), second.data)
    if any(one.kind == "merged" for one in second.repairs):
        unbroken = set(BREAKS) - set(paths)
        data: Any = second.data
        assert all(
            is_same(find_at(value, path), find_at(data, path))
            for path in unbroken
            if find_at(value, path) is not MISSING
        )
        assert (data["action"], data["params"]) == (value["action"], value["params"])
