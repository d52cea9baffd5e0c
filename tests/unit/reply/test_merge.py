"""The answer to a correction: parts are merged at the failing paths, and nowhere else."""

import json
from typing import Any

import pytest

from promptpack import Pack, Verdict
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version
from promptpack.reply import replay

STEP = {
    "type": "object",
    "required": ["id", "minutes"],
    "properties": {"id": {"type": "string"}, "minutes": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
SHAPE = {
    "type": "object",
    "required": ["title", "level", "steps", "owner"],
    "properties": {
        "title": {"type": "string"},
        "level": {"enum": ["low", "medium", "high"]},
        "steps": {"type": "array", "items": STEP},
        "owner": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        "kind": {"enum": ["new", "old"]},
        "userNote": {"type": "string"},
    },
    "if": {"properties": {"kind": {"const": "old"}}, "required": ["kind"]},
    "then": {"required": ["since"]},
}
OPEN = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
GOOD: dict[str, Any] = {
    "title": "t",
    "level": "low",
    "kind": "new",
    "steps": [{"id": "s1", "minutes": 5}, {"id": "s2", "minutes": 6}, {"id": "s3", "minutes": 7}],
    "owner": {"name": "Ada", "room": 4},
}


def judged(raw: Any, after: Verdict | None = None, shape: Any = SHAPE, **options: Any) -> Verdict:
    text = raw if isinstance(raw, str) else json.dumps(raw)
    pack = Pack("demo", Version(1, 0, 0), "demo.yaml", contract=Contract("demo", shape))
    return pack.check(text, after=after, **options)


def paths(verdict: Verdict) -> list[str]:
    return [found.path for found in verdict.violations]


def steps(*minutes: Any) -> list[dict[str, Any]]:
    return [{"id": f"s{index + 1}", "minutes": value} for index, value in enumerate(minutes)]


BAD = {**GOOD, "level": "huge", "owner": {"name": 7, "room": 4}}
MERGED = {**GOOD, "level": "high", "owner": {"name": "Bo", "room": 4}}


@pytest.mark.parametrize(
    "answer",
    [
        {"level": "high", "owner": {"name": "Bo"}},
        {"/level": "high", "/owner/name": "Bo"},
        {"/level": "high", "/owner": {"name": "Bo"}},
        {"level": "high", "/level": "high", "owner": {"name": "Bo"}},
        {"level": "High", "Owner": {"Name": "Bo"}},
        {"level": "high", "owner": {"name": "Bo", "room": 5}, "title": "other"},
        {**MERGED, "title": ["other"]},
        'Sure:\n```json\n{"level": "high", "owner": {"name": "Bo",},}\n```',
        "<think>{'level': 'low'}</think>{'level': 'high', 'owner': {'name': 'Bo'}}",
    ],
)
def test_the_failing_parts_are_merged_and_nothing_else_changes(answer: Any) -> None:
    first = judged(BAD)
    assert paths(first) == ["/level", "/owner/name"]
    second = judged(answer, first)
    assert second.ok, second.violations
    assert second.data == MERGED
    assert second.outcome == "recovered"
    assert [one.path for one in second.repairs if one.kind == "merged"] == ["/level", "/owner/name"]


def test_a_whole_object_that_meets_the_contract_is_not_merged() -> None:
    whole = {**GOOD, "title": "other", "steps": []}
    second = judged(whole, judged(BAD))
    assert (second.data, second.outcome, second.repairs) == (whole, "valid", ())


def test_the_log_on_the_attempt_rebuilds_the_merged_object() -> None:
    first = judged({**BAD, "userNote": 5})
    raw = 'So: {"Owner": {"name": "Bo"}, "level": "High", "userNote": null,}'
    second = judged(raw, first)
    assert second.ok
    assert first.attempt is not None
    assert second.data == MERGED
    assert replay(raw, second.repairs, first.attempt.value) == MERGED
    spans = {one.path: raw[slice(*one.span)] for one in second.repairs if one.kind == "merged"}
    assert spans == {"/level": '"High"', "/owner/name": '"Bo"', "/userNote": "null"}


def test_parts_that_the_answer_omits_are_requested_again() -> None:
    second = judged({"level": "high"}, judged(BAD))
    assert paths(second) == ["/owner/name"]
    third = judged({"owner": {"name": "Bo"}}, second)
    assert third.data == MERGED


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ('{"level": "high"} {"level": "low"}', "ambiguous"),
        ('{"level": "high", "/level": "low"}', "ambiguous"),
        ('{"level": "high", "owner": {"name": "Bo"', "truncated"),
        ('{"level": "high", "owner": {"name": "B', "truncated"),
        ('{"level": "high", "level": "low", "owner": {"name": "Bo"}}', "invalid"),
        ('{"level": "high", "owner": {...}}', "invalid"),
        ("I am sorry.", "no_answer"),
        ("", "no_answer"),
    ],
)
def test_an_uncertain_answer_is_refused_and_the_next_one_is_still_merged(answer: str, outcome: str) -> None:
    second = judged(answer, judged(BAD))
    assert not second.ok
    assert second.outcome == outcome
    assert judged({"level": "high", "owner": {"name": "Bo"}}, second).data == MERGED


def test_an_answer_that_the_server_cut_off_is_not_merged() -> None:
    answer = {"level": "high", "owner": {"name": "Bo"}}
    assert judged(answer, judged(BAD), finish_reason="length").outcome == "truncated"


def test_an_answer_without_failing_parts_leaves_the_verdict_unchanged() -> None:
    first = judged(BAD)
    assert judged({"note": "done"}, first) is first


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(BAD) + json.dumps({**BAD, "title": "other"}),
        json.dumps(GOOD) + json.dumps({**GOOD, "title": "other"}),
        json.dumps(BAD)[:-9],
        "nothing",
        json.dumps({"some": "object"}),
    ],
)
def test_a_reply_without_a_single_object_has_no_attempt(raw: str) -> None:
    assert judged(raw).attempt is None


def test_an_uncertain_value_stays_uncertain_until_an_answer_replaces_it() -> None:
    first = judged(json.dumps(BAD)[:-1] + ', "title": "second"}')
    assert set(paths(first)) == {"/level", "/owner/name", "/title"}
    second = judged({"level": "high", "owner": {"name": "Bo"}}, first)
    assert paths(second) == ["/title"]
    assert judged({"title": "t"}, second).data == MERGED


@pytest.mark.parametrize(
    ("minutes", "answer", "expected"),
    [
        ((5, 0, 7), steps(5, 9, 7), [5, 9, 7]),
        ((0, 6, 7), [{"minutes": 9}], [9, 6, 7]),
        ((0, 0, 7), [{"id": "s1", "minutes": 8}, {"minutes": 9}], [8, 9, 7]),
        ((5, 0, 7), [{"minutes": 1}, {"minutes": 9}, {"minutes": 1}], None),
        ((5, 0, 0), [{"minutes": 8}, {"minutes": 9}], None),
        ((5, 0, 7), [{"id": "s2", "minutes": 9}], None),
        ((5, 0, 7), [{"id": "s2", "minutes": 9}, {"id": "s1"}, {"id": "s3"}], None),
    ],
)
def test_an_item_is_merged_only_where_its_index_is_certain(
    minutes: tuple[int, ...], answer: Any, expected: list[int] | None
) -> None:
    first = judged({**GOOD, "steps": steps(*minutes)})
    second = judged({"steps": answer}, first)
    if expected is None:
        assert second is first
    else:
        assert second.data == {**GOOD, "steps": steps(*expected)}


@pytest.mark.parametrize(
    "answer",
    [{"/steps/1/extra": None}, {"/steps/1": {"id": "s2", "minutes": 6}}, {"steps": steps(5, 6, 7)}],
)
def test_an_unknown_field_is_removed_when_the_answer_omits_it(answer: Any) -> None:
    wrong = [{**step, "extra": 1} if step["id"] == "s2" else step for step in GOOD["steps"]]
    first = judged({**GOOD, "steps": wrong})
    assert paths(first) == ["/steps/1/extra"]
    second = judged(answer, first)
    assert second.data == GOOD
    assert first.attempt is not None
    assert replay(json.dumps(answer), second.repairs, first.attempt.value) == GOOD


def test_an_answer_with_another_decision_is_another_object() -> None:
    second = judged({**MERGED, "kind": "old"}, judged(BAD))
    assert paths(second) == ["/since"]


def test_parts_that_are_valid_on_their_own_are_still_merged() -> None:
    first = judged({"a": 1, "b": "x"}, shape=OPEN)
    for answer in ({"b": 2}, {"/b": 2}):
        assert judged(answer, first, shape=OPEN).data == {"a": 1, "b": 2}
    assert judged({"a": 3, "b": 2}, first, shape=OPEN).data == {"a": 3, "b": 2}


@pytest.mark.parametrize("options", [{"strict": True}, {"refuse": ["merged"]}, {"refuse": ["low"]}])
def test_merging_is_a_repair_that_can_be_refused(options: dict[str, Any]) -> None:
    second = judged({"level": "high", "owner": {"name": "Bo"}}, judged(BAD), **options)
    assert not second.ok
    assert second.data is None
