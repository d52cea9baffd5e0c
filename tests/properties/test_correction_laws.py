"""Laws of corrections: every line is true, whatever damage a reply has."""

import json
import re
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from promptpack import Verdict
from promptpack.prompt.budget.counters import exact_counter
from promptpack.words import words
from tests.properties.reply_outputs import AGENTS, anything, outputs
from tests.properties.test_reply_laws import judged, no_deadline, with_plain_texts
from tests.properties.test_single_meaning_laws import ENVELOPES as SHOWN_ENVELOPES

Given = tuple[str, dict[str, Any]]
ENGLISH = words("en")
GARBAGE = ("@@", " oops ", '"', "}", "}}}", "]", "{", ", ,", " : ", "\n@@\n", "\n} \n", " /* ", "“")
count_tokens = exact_counter("o200k_base")
indents = st.sampled_from([None, 2])
envelopes = st.sampled_from(["{}", "```json\n{}\n```", "Here it is:\n{}", "<think>so {{}}</think>\n{}"])
plain = anything.map(lambda one: (one[0], with_plain_texts(one[1])))


def lines_of(verdict: Verdict) -> list[tuple[str, str]]:
    """Return the path and the sentence of each line of a correction."""
    found = [line[2:].partition(": ") for line in verdict.correction.splitlines()[1:]]
    return [(path, sentence) for path, _, sentence in found]


def check_missing(verdict: Verdict, raw: str) -> None:
    for path, sentence in lines_of(verdict):
        if sentence.startswith(ENGLISH["say.required"]):
            key = f'"{path.rpartition("/")[2]}"'
            # An extra brace may have moved the key out of its object: then it is read at another path.
            moved = json.dumps(verdict.attempt.value).count(key) if verdict.attempt else 0
            assert raw.count(key) <= moved, (path, raw)


@given(plain, indents, envelopes, st.sampled_from([None, "stop", "length"]), st.data())
@settings(no_deadline, max_examples=200)
def test_the_correction_of_a_cut_reply_mentions_only_the_cut(
    given_output: Given, indent: int | None, envelope: str, reason: str | None, data: st.DataObject
) -> None:
    agent, value = given_output
    whole = json.dumps(value, ensure_ascii=False, indent=indent)
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    verdict = judged(agent, envelope.partition("\n```")[0].format(cut), finish_reason=reason)
    assume(not verdict.ok)
    assert verdict.outcome == "truncated"
    sentence = ENGLISH["say.truncated"] if "cut off; send" in verdict.correction else ENGLISH["say.unclosed"]
    assert lines_of(verdict) == [(ENGLISH["whole_reply"], sentence)]


@given(anything, indents, envelopes, st.sampled_from(GARBAGE), st.data())
@settings(no_deadline, max_examples=200)
def test_a_key_that_the_model_wrote_is_never_reported_as_missing(
    given_output: Given, indent: int | None, envelope: str, garbage: str, data: st.DataObject
) -> None:
    agent, value = given_output
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # The end of thinking hides all text before it, also in a text that the damage opens.
    assume("think>" not in text)
    here = data.draw(st.integers(1, len(text) - 1))
    raw = envelope.format(text[:here] + garbage + text[here:])
    verdict = judged(agent, raw)
    check_missing(verdict, raw)
    assert verdict.ok or verdict.correction.count("\n") >= 1 or "no readable" in verdict.correction


@given(anything, indents, envelopes, st.data())
@settings(no_deadline, max_examples=200)
def test_a_key_that_the_model_left_out_is_reported(
    given_output: Given, indent: int | None, envelope: str, data: st.DataObject
) -> None:
    agent, value = given_output
    key = data.draw(st.sampled_from(["thought", "action", "params", "expectedOutcome", "risk", "confidence"]))
    text = json.dumps({name: item for name, item in value.items() if name != key}, ensure_ascii=False, indent=indent)
    assume(key not in text and "think>" not in text)
    verdict = judged(agent, envelope.format(text))
    assert [path for path, sentence in lines_of(verdict) if sentence.startswith("is missing")] == [f"/{key}"]


@given(st.data(), indents, envelopes)
@settings(no_deadline, max_examples=100)
def test_the_object_of_another_agent_is_named_as_such(data: st.DataObject, indent: int | None, envelope: str) -> None:
    agent, other = data.draw(st.sampled_from([(one, two) for one in AGENTS for two in AGENTS if one != two]))
    value = with_plain_texts(data.draw(outputs(other))[1])
    raw = envelope.format(json.dumps(value, ensure_ascii=False, indent=indent))
    verdict = judged(agent, raw)
    assume(not verdict.ok and value["action"].isidentifier())
    sentence = dict(lines_of(verdict))["/action"]
    assert sentence.startswith(ENGLISH["say.others"] + "; must be one of ")
    assert "ERROR" in sentence
    check_missing(verdict, raw)


@given(plain, indents, st.sampled_from(["thought", "expectedOutcome", "confidence", "action"]), st.data())
@settings(no_deadline, max_examples=200)
def test_both_values_of_a_repeated_key_are_shown(
    given_output: Given, indent: int | None, key: str, data: st.DataObject
) -> None:
    agent, value = given_output
    again = data.draw(st.integers(0, 100)) if key == "confidence" else "Something else"
    assume(again != value[key])
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    member = f"{json.dumps(key)}: {json.dumps(again)}"
    start = text.index(f'"{key}"')
    raw = data.draw(st.sampled_from([f"{text[:-1].rstrip()}, {member}}}", f"{text[:start]}{member}, {text[start:]}"]))
    verdict = judged(agent, raw)
    [(path, sentence)] = lines_of(verdict)
    assert (path, sentence.split(" (")[0]) == (f"/{key}", ENGLISH["say.duplicate"])
    shown = {json.dumps(one, ensure_ascii=False) for one in (again, value[key])}
    assert set(re.findall(r'"[^"]*"|[\d.]+', sentence)) == shown
    assert count_tokens(verdict.correction) < 150


@given(anything, st.sampled_from(SHOWN_ENVELOPES), indents)
@settings(no_deadline, max_examples=100)
def test_keys_in_an_envelope_of_others_are_not_reported_as_missing(
    given_output: Given, envelope: Any, indent: int | None
) -> None:
    agent, value = given_output
    verdict = judged(agent, json.dumps(envelope(value), ensure_ascii=False, indent=indent))
    assert not verdict.ok
    assert lines_of(verdict) == [(ENGLISH["whole_reply"], ENGLISH["say.unread"])]


@given(plain, st.sampled_from(["thought", "expectedOutcome", "confidence"]))
@settings(no_deadline, max_examples=100)
def test_a_fault_of_an_answer_in_a_text_is_not_described_as_one_of_its_wrapper(given_output: Given, key: str) -> None:
    agent, value = given_output
    text = json.dumps(value)[:-1] + f', "{key}": "another value"}}'
    verdict = judged(agent, json.dumps({"name": "submit", "arguments": text}))
    assert lines_of(verdict) == [(ENGLISH["whole_reply"], ENGLISH["say.unread"])]


@given(plain, indents, st.sampled_from(["risk", "params"]))
@settings(no_deadline, max_examples=100)
def test_both_objects_of_a_repeated_key_are_shown(given_output: Given, indent: int | None, key: str) -> None:
    agent, value = given_output
    other = {"level": "none"}
    text = json.dumps(value, ensure_ascii=False, indent=indent)[:-1].rstrip()
    verdict = judged(agent, f'{text}, "{key}": {json.dumps(other, indent=indent)}}}')
    sentence = dict(lines_of(verdict))[f"/{key}"]
    first = json.dumps(value[key], ensure_ascii=False)
    assert f"(you wrote {first[:8]}" in sentence
    assert f" / {json.dumps(other)})" in sentence
