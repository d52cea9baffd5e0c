# ruff: noqa: S311 -- Hypothesis provides the randomness
"""Laws of streamed replies: chunks change nothing, a shown value is in the output, and an alarm is right and early."""

import json
import re
from itertools import groupby, pairwise
from random import Random
from typing import Any, NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from promptpack import Pack
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version
from tests.properties.reply_defects import REQUIRED, add_defects, lose, wrapped
from tests.properties.reply_outputs import anything, outputs
from tests.properties.reply_values import DEFECTS, HIDING, Sample, dump, samples
from tests.properties.reply_values import ENVELOPES as FORMS
from tests.properties.test_reply_laws import CONTRACTS, PIECES, judged, of_contract, pack_of, with_plain_texts
from tests.properties.test_single_meaning_laws import ENVELOPES, QUOTED, THINKING, has_end

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
    """Return each value that a stream shows until the next one."""
    stream = pack_of(agent).stream()
    return [json.loads(text) for text, _ in groupby(json.dumps(stream.feed(piece).value) for piece in pieces)]


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


# --- what is shown ---------------------------------------------------------------------------------------------

OTHERS = {"router": "reviewer", "reviewer": "router", "executor": "router", "orchestrator": "reviewer"}
SMALL = ('{"status": "ok"}', '{"query": "x", "confidence": 3}', '{"thought": {"type": "string"}}', '{"a": [{"b": 1}]}')


def write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def respelled(key: str, random: Random) -> str:
    return random.choice([key.upper(), key[0].upper() + key[1:], f" {key}", f"{key}_"])


def with_twins(value: Any, random: Random) -> Any:
    """Add keys that are only other spellings of keys that are there, before or after them."""
    if not isinstance(value, dict):
        return value
    members = [(key, with_twins(item, random) if key in ("risk", "payload") else item) for key, item in value.items()]
    for key in random.sample(list(value), min(2, len(value))):
        twin = (respelled(key, random), random.choice(["other", 7, None, {"level": "no"}, ["x"], value[key]]))
        members.insert(random.randrange(len(members) + 1), twin)
    return dict(members)


@st.composite
def replies(draw: st.DrawFn, *, others: bool = True) -> tuple[str, str]:
    """Draw a reply: defects or losses, wrapped or not, after hidden text, small objects or another agent's object."""
    agent, value = draw(anything)
    random = Random(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["plain", "defects", "losses", "twins", "wrapped", "wrapped twins"]))
    if kind == "defects":
        return agent, add_defects(value, random)[0]
    if kind == "losses":
        return agent, lose(with_plain_texts(value), random)[0]
    written = with_twins(value, random) if "twins" in kind else value
    raw = write(wrapped(written, random) if "wrapped" in kind else written)
    before = draw(st.sampled_from(["nothing", "hidden", "small", *(["other"] if others else [])]))
    if before == "hidden":
        start, end = draw(st.sampled_from([pair for pair in (*THINKING, *QUOTED) if pair[1]]))
        draft = write(draw(outputs(agent))[1])
        return agent, f"{start}{draft}{end}\n{raw}" if not has_end(draft) else raw
    if before == "small":
        return agent, draw(st.sampled_from(SMALL)) + "\n" + raw
    return agent, write(draw(outputs(OTHERS[agent]))[1]) + "\n\n" + raw if before == "other" else raw


@given(replies(), cuts)
@settings(no_deadline, max_examples=200)
def test_every_shown_value_is_in_the_output_of_an_accepted_reply(reply: tuple[str, str], places: list[int]) -> None:
    agent, raw = reply
    # An end of thinking without its start makes all text before it thinking, and only then.
    assume(raw.count("</think") <= raw.count("<think"))
    verdict = judged(agent, raw)
    states = shown(agent, chunks(raw, places) if places else list(raw))
    for early, late in zip(states, [*states[1:], verdict.data], strict=True):
        assert not verdict.ok or grows(early, late), (early, late)


@given(anything, st.sampled_from(["thought", "expectedOutcome", "action"]), st.sampled_from([0, 2, 4]), st.booleans())
@no_deadline
def test_a_text_without_its_last_quote_is_shown_only_as_far_as_it_goes(
    given_output: tuple[str, dict[str, Any]], name: str, indent: int, last: bool
) -> None:
    agent, value = given_output
    plain = with_plain_texts(value)
    if last:
        plain[name] = plain.pop(name)
    text = json.dumps(plain, indent=indent)
    raw = text.replace(f'"{name}": {json.dumps(plain[name])}', f'"{name}": {json.dumps(plain[name])[:-1]}')
    verdict = judged(agent, raw)
    assert not verdict.ok or all(grows(state, verdict.data) for state in shown(agent, list(raw))), raw


@given(anything, st.integers(0, 2**32), st.booleans())
@no_deadline
def test_a_wrapped_answer_is_shown_without_its_wrapper(
    given_output: tuple[str, dict[str, Any]], seed: int, twins: bool
) -> None:
    agent, value = given_output
    written = with_twins(value, Random(seed)) if twins else value
    raw = write(wrapped(written, Random(seed)))
    states = shown(agent, list(raw))
    assert all(grows(state, written) for state in states)
    assert states[-1] == written or not judged(agent, raw).ok


@given(anything, st.data())
@no_deadline
def test_an_object_that_is_not_the_answer_is_never_shown(
    given_output: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    agent, value = given_output
    kind = data.draw(st.sampled_from(["hidden", "envelope", "small", "other"]))
    raw = data.draw(st.sampled_from(SMALL))
    if kind == "hidden":
        start, end = data.draw(st.sampled_from([pair for pair in (*THINKING, *QUOTED) if pair[0]]))
        assume(not has_end(write(value)))
        raw = f"{start}{write(value)}{end}"
    elif kind == "envelope":
        raw = write(data.draw(st.sampled_from(ENVELOPES))(value))
    elif kind == "other":
        assume(agent != "executor")  # its contract allows every action
        raw = write(data.draw(outputs(OTHERS[agent]))[1])
    assert not any(shown(agent, list(raw))), raw


@given(anything, st.integers(0, 2**32), cuts)
@no_deadline
def test_another_spelling_of_a_key_that_is_there_changes_nothing(
    given_output: tuple[str, dict[str, Any]], seed: int, places: list[int]
) -> None:
    agent, value = given_output
    raw = write(with_twins(value, Random(seed)))
    stream = pack_of(agent).stream()
    for piece in chunks(raw, places):
        now = stream.feed(piece)
        assert not now.violations, raw
        assert grows({key: item for key, item in now.value.items() if key in value and key != "risk"}, value)
    assert of_contract(agent, now.value).keys() == value.keys()


# --- alarms ----------------------------------------------------------------------------------------------------

BROKEN: tuple[tuple[str, Any], ...] = (
    ("action", "FLY_AWAY"), ("action", 5), ("action", None), ("action", ["x"]), ("action", "no way"),
    ("confidence", 150), ("confidence", -1), ("confidence", "high"), ("confidence", None), ("confidence", {"a": 1}),
    ("confidence", True), ("thought", 5), ("thought", None), ("thought", {"a": "b"}), ("thought", ["a", "b"]),
    ("expectedOutcome", False), ("risk", 7), ("risk", "a risk"), ("risk", None), ("risk", []), ("params", 3),
    ("risk/level", "lowest"), ("risk/level", None), ("risk/level", 2), ("risk/description", 3), ("params", "none"),
    ("userMessage", 5), ("userMessage", ["a"]), ("alternativeActions", [1]), ("alternativeActions", [None]),
    ("requiresUserConfirmation", "maybe"), ("requiresUserConfirmation", 2),
)  # fmt: skip


@given(anything, st.sampled_from(BROKEN), st.sampled_from([None, 2]))
@settings(no_deadline, max_examples=200)
def test_an_impossible_value_raises_an_alarm_when_it_ends(
    given_output: tuple[str, dict[str, Any]], broken: tuple[str, Any], indent: int | None
) -> None:
    agent, value = given_output
    (name, *inner), bad = broken[0].split("/"), broken[1]
    assume(not (agent == "executor" and bad == "FLY_AWAY"))
    mark = "@" * 9
    whole = {
        **value,
        name: {**value["risk"], inner[0]: mark} if inner else mark,
        "userMessage": value.get("userMessage", "x"),
    }
    before, _, after = json.dumps(whole, indent=indent).partition(f'"{mark}"')
    written = before + json.dumps(bad)
    assume(not judged(agent, written + after).ok)
    # The character after a number ends it, and the key after a text shows that its last quote is not part of it.
    # An object with one key of the contract may still be a wrapper.
    known = sum(f'"{key}": ' in before for key in REQUIRED)
    until = after.index('"') + 1 if '"' in after and known > 1 else len(after)
    alarms = pack_of(agent).stream().feed(written + after[:until]).violations
    assert any(one.path.startswith(f"/{broken[0]}") for one in alarms), (written + after[:until], alarms)


@given(anything, st.data())
@no_deadline
def test_a_key_with_two_values_raises_an_alarm(given_output: tuple[str, dict[str, Any]], data: st.DataObject) -> None:
    agent, value = given_output
    key = data.draw(st.sampled_from(sorted(value)))
    other = {"extra": 1} if isinstance(value[key], dict) else value[key]
    assume(other != value[key] or isinstance(other, str))
    text = write(value)[:-1] + f', "{key}": ' + write(f"{other}x" if isinstance(other, str) else other)
    assert not judged(agent, text + "}").ok
    alarms = pack_of(agent).stream().feed(text + "}").violations
    assert ("duplicate", f"/{key}") in {(one.rule, one.path) for one in alarms}


@given(replies(others=False))
@settings(no_deadline, max_examples=200)
def test_an_accepted_reply_raises_no_alarm_while_it_streams(reply: tuple[str, str]) -> None:
    agent, raw = reply
    stream = pack_of(agent).stream()
    alarms = [one for character in raw for one in stream.feed(character).violations]
    assert not alarms or not judged(agent, raw).ok, (raw, alarms)


@given(replies())
@settings(no_deadline, max_examples=200)
def test_no_alarm_of_another_object_is_left_when_a_reply_is_accepted(reply: tuple[str, str]) -> None:
    agent, raw = reply
    alarms = pack_of(agent).stream().feed(raw).violations
    assert not alarms or not judged(agent, raw).ok, (raw, alarms)


MARKED = (*PIECES, *(mark for pair in (*THINKING, *QUOTED) for mark in pair if mark), "user", "json", "\n```\n", "}\n")


@given(st.lists(st.sampled_from(MARKED), max_size=25).map("".join), st.sampled_from(sorted(CONTRACTS)))
@settings(no_deadline, max_examples=200)
def test_a_reply_in_single_characters_gives_the_same_state(raw: str, agent: str) -> None:
    whole, chunked = pack_of(agent).stream(), pack_of(agent).stream()
    last = now = whole.feed(raw)
    for character in raw:
        now = chunked.feed(character)
    assert (now.value, now.complete, now.violations) == (last.value, last.complete, last.violations)


# --- alarms at the end of an object: what the verdict says about the text so far ---------------------------------


class Shipped(NamedTuple):
    """The index of a sample: the repr of a sample is very long."""

    number: int

    @property
    def sample(self) -> Sample:
        return samples()[self.number]


shipped = st.integers(0, len(samples()) - 1).map(Shipped)
OPEN_ENVELOPES = sorted(
    set(FORMS) - HIDING - {"block_quote", "quoted_list", "diff", "listing", "listed_list", "column"}
)


@given(shipped, st.sampled_from(sorted(DEFECTS)), st.sampled_from(OPEN_ENVELOPES), st.data())
@settings(no_deadline, max_examples=200)
def test_a_refused_object_has_alarms_at_its_end_whatever_its_notation(
    chosen: Shipped, defect: str, envelope: str, data: st.DataObject
) -> None:
    sample = chosen.sample
    broken = data.draw(st.sampled_from([one for one in BROKEN if "/" not in one[0]]))
    random = Random(data.draw(st.integers(0, 2**32)))
    try:
        text = DEFECTS[defect]({**sample.reply, broken[0]: broken[1]}, random)[0]
    except (TypeError, AttributeError, IndexError):  # the defect is in the value that is broken
        text = write({**sample.reply, broken[0]: broken[1]})
    assume(re.match(r'\{\s*"\w+": ["\d{]', text))  # a stream finds an object by its first key
    raw = FORMS[envelope](text)
    prompt = sample.pack.render(sample.context)
    verdict, stream = prompt.check(raw), prompt.stream()
    assume(verdict.outcome == "invalid" and verdict.attempt is not None)
    alarms = [stream.feed(piece).violations for piece in chunks(raw, data.draw(cuts))][-1]
    assert {found.path for found in verdict.violations} <= {one.path for one in alarms}, (raw, alarms)


@given(shipped, st.sampled_from(["\n", "\nFinal answer:\n", ", "]), st.booleans(), st.integers(0, 99))
@no_deadline
def test_a_second_answer_raises_an_alarm_at_its_end(chosen: Shipped, between: str, in_list: bool, number: int) -> None:
    sample = chosen.sample
    answers = [{**sample.reply, "thought": f"Answer {one}", "confidence": one} for one in (number, number + 1)]
    raw = between.join(map(write, answers))
    prompt = sample.pack.render(sample.context)
    stream = prompt.stream()
    early = stream.feed("[" + raw[:-1] if in_list else raw[:-1])
    assert (early.violations, early.value) == ((), answers[0])
    assert [one.rule for one in stream.feed("}").violations] == ["ambiguous"]


@given(shipped, shipped, st.booleans(), cuts)
@no_deadline
def test_an_object_after_the_answer_raises_no_alarm_if_the_reply_is_accepted(
    chosen: Shipped, other: Shipped, is_echo: bool, places: list[int]
) -> None:
    sample = chosen.sample
    contract = sample.pack.contract
    answer = contract.examples[0] if is_echo and contract is not None else {**sample.reply, "thought": "mine"}
    raw = dump(answer) + "\n" + write(other.sample.reply)
    prompt = sample.pack.render(sample.context)
    verdict, stream = prompt.check(raw), prompt.stream()
    assume(verdict.ok and prompt.check(dump(answer)).ok)
    for piece in chunks(raw, places):
        now = stream.feed(piece)
        assert not now.violations
        assert not now.value if verdict.is_echo else grows(now.value, verdict.data)


# --- other contracts -------------------------------------------------------------------------------------------

LEVEL = {
    "type": "object",
    "properties": {"level": {"enum": ["low", "high"]}, "text": {"type": "string"}},
    "required": ["level"],
}
BRANCHED: tuple[dict[str, Any], ...] = (
    {  # the condition holds while `mode` is absent
        "type": "object", "required": ["mode", "n"],
        "properties": {"mode": {"type": "string"}, "n": {"type": "integer"}, "tags": {"type": "array", "minItems": 1}},
        "if": {"properties": {"mode": {"const": "x"}}}, "then": {"properties": {"n": {"maximum": 5}}},
        "else": {"properties": {"n": {"minimum": 7}}},
    },
    {
        "type": "object", "required": ["kind"], "additionalProperties": False,
        "properties": {"kind": {"enum": ["low", "high"]}, "user_name": {"type": "string", "pattern": "^[a-z]+$"}},
    },
    {
        "type": "object", "required": ["item"],
        "properties": {"item": {"anyOf": [LEVEL, {"type": "null"}]}, "list": {"type": "array", "items": LEVEL}},
    },
    {
        "oneOf": [
            {"type": "object", "properties": {"type": {"const": "low"}, "n": {"type": "integer"}}, "required": ["type", "n"]},
            {"type": "object", "properties": {"type": {"const": "x"}, "text": {"type": "string"}}, "required": ["type"]},
        ]
    },
)  # fmt: skip
NAMES = (
    "mode",
    "n",
    "tags",
    "kind",
    "user_name",
    "item",
    "list",
    "type",
    "text",
    "N",
    "Kind",
    "userName",
    "List",
    "extra",
)
ITEMS: tuple[Any, ...] = ("x", "low", "LOW", "abc", "5", "", 5, 8, None, [], {}, ["x"], {"level": "Low"}, {"text": "t", "level": "high"},
         [{"level": "LOW"}, {"level": "low"}], '{"level": "low"}', [{"level": "high"}])  # fmt: skip


@given(st.sampled_from(BRANCHED), st.data(), st.sampled_from(["{}", '{{"output": {}}}', "{} ok", "```json\n{}\n```"]))
@settings(no_deadline, max_examples=200)
def test_shown_values_and_alarms_are_right_for_other_contracts(
    schema: dict[str, Any], data: st.DataObject, frame: str
) -> None:
    named = [name for name in NAMES if name.lower().replace("_", "") in write(schema).replace("_", "")] + ["extra"]
    members = data.draw(st.lists(st.tuples(st.sampled_from(named), st.sampled_from(ITEMS)), min_size=1, max_size=5))
    raw = frame.format("{" + ", ".join(f"{write(key)}: {write(item)}" for key, item in members) + "}")
    pack = Pack("other", Version(1, 0, 0), "", contract=Contract("other", schema))
    verdict, stream = pack.check(raw), pack.stream()
    states = [(json.loads(json.dumps(now.value)), now.violations) for now in map(stream.feed, raw)]
    for value, alarms in states if verdict.ok else ():
        assert not alarms, (raw, alarms)
        assert grows(value, verdict.data), raw
    assert not verdict.ok or states[-1][0] == verdict.data
