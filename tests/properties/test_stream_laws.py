# ruff: noqa: S311 -- Hypothesis provides the randomness
"""Laws of streamed replies: chunk boundaries change nothing, and a shown value is never withdrawn."""

import json
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.reply_defects import add_defects, lose
from tests.properties.test_reply_laws import CONTRACTS, PIECES, anything, judged, outputs, pack_of, with_plain_texts

no_deadline = settings(deadline=None, max_examples=150)
cuts = st.lists(st.integers(0, 400), max_size=12)
framed = st.sampled_from(["{}", "```json\n{}\n```", "Here it is:\n{}", '<think>{{"action": "NO"}}</think>{}'])

ANSWER = {
    "thought": "@",
    "action": "web_search",
    "params": {},
    "expectedOutcome": "x",
    "risk": {"level": "low", "description": "x"},
    "confidence": 5,
}


def chunks(raw: str, places: list[int]) -> list[str]:
    edges = sorted({0, len(raw), *(place % (len(raw) + 1) for place in places)})
    return [raw[start:end] for start, end in pairwise(edges)]


def shown(agent: str, pieces: list[str]) -> list[Any]:
    stream = pack_of(agent).stream()
    return [json.loads(json.dumps(stream.feed(piece).value)) for piece in pieces]


def grows(early: Any, late: Any) -> bool:
    if isinstance(early, dict) and isinstance(late, dict):
        return all(key in late and grows(item, late[key]) for key, item in early.items())
    if isinstance(early, list) and isinstance(late, list):
        return len(early) <= len(late) and all(map(grows, early, late))
    if isinstance(early, str) and isinstance(late, str):
        return late.startswith(early)
    return bool(early == late)


@given(anything, framed, cuts)
@no_deadline
def test_partial_outputs_only_grow_into_the_output(
    given_output: tuple[str, dict[str, Any]], frame: str, places: list[int]
) -> None:
    agent, value = given_output
    states = shown(agent, chunks(frame.format(json.dumps(value)), places))
    for early, late in zip(states, [*states[1:], value], strict=True):
        assert grows(early, late), (early, late)


@given(outputs("router"), framed)
@no_deadline
def test_an_incomplete_number_or_word_is_never_shown(given_output: tuple[str, dict[str, Any]], frame: str) -> None:
    agent, value = given_output
    for state in shown(agent, list(frame.format(json.dumps(value)))):
        assert state.get("action", value["action"]) == value["action"]
        assert state.get("confidence", value["confidence"]) == value["confidence"]
        assert state.get("risk", {}).get("level", value["risk"]["level"]) == value["risk"]["level"]
        assert state.get("params", {}).get("route", value["params"]["route"]) == value["params"]["route"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join), cuts, st.sampled_from(sorted(CONTRACTS)))
@no_deadline
def test_chunk_ends_change_neither_the_last_state_nor_the_verdict(raw: str, places: list[int], agent: str) -> None:
    whole, chunked = pack_of(agent).stream(), pack_of(agent).stream()
    last = whole.feed(raw)
    now = last
    for piece in chunks(raw, places):
        now = chunked.feed(piece)
    assert chunked.close() == whole.close() == judged(agent, raw)
    assert (now.value, now.complete, now.violations) == (last.value, last.complete, last.violations)


@given(anything, st.integers(0, 2**32), st.booleans())
@no_deadline
def test_an_accepted_reply_raises_no_alarm_while_it_streams(
    given_output: tuple[str, dict[str, Any]], seed: int, loses: bool
) -> None:
    agent, value = given_output
    raw = lose(with_plain_texts(value), Random(seed))[0] if loses else add_defects(value, Random(seed))[0]
    stream = pack_of(agent).stream()
    alarms = [one for character in raw for one in stream.feed(character).violations]
    assert not alarms or not judged(agent, raw).ok, (raw, alarms)


WORDS = ("low", "LOW", "medium", "high", "Low", "lo", "w", "me", "dium", "hi", "gh", "risk", "低", "中", "高", "风险", "等",
         " ", "_", "-", ".", "**", "not ", "x", "é", "e\u0301", "ＬＯＷ", "\\n", "\\u4f4e")  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=5).map("".join), cuts)
@no_deadline
def test_a_word_that_raises_an_alarm_is_refused(word: str, places: list[int]) -> None:
    raw = json.dumps(ANSWER).replace('"low"', f'"{word}"')
    stream, seen = pack_of("executor").stream(), 0
    for piece in chunks(raw, places):
        alarms = stream.feed(piece).violations
        assert len(alarms) >= seen
        seen = len(alarms)
    assert not seen or not judged("executor", raw).ok, word


BODIES = (
    "\\",
    "\\\\",
    "\\n",
    "\\t",
    "C:",
    "B:",
    "new",
    " ",
    "\\d",
    "\\frac",
    "\\nu",
    "ot ",
    "\\u4e2d",
    "\\ud83d\\ude00",
    "_",
    "x",
)


@given(st.lists(st.sampled_from(BODIES), max_size=12).map("".join), cuts)
@no_deadline
def test_the_shown_text_is_a_prefix_of_the_final_text(body: str, places: list[int]) -> None:
    raw = json.dumps(ANSWER).replace('"@"', f'"{body}"')
    verdict = judged("executor", raw)
    for state in shown("executor", chunks(raw, places)):
        if verdict.data is not None:
            assert verdict.data["thought"].startswith(state.get("thought", ""))
