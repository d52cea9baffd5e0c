"""What a correction says: only what is certain from the text that the model wrote."""

import json
from collections.abc import Callable

import pytest

from promptpack import Pack
from promptpack.prompt.budget.counters import exact_counter
from tests.unit.verdict.test_judge import BODY, GOOD, reply

MakePack = Callable[[str], Pack]
HEAD = "Your last reply breaks the output contract. Fix only the following and resend the JSON object:\n"
UNCLOSED = "- the reply: has no closing brace and may be cut off or incomplete; send it in full"


@pytest.fixture
def corrected(make_pack: MakePack) -> Callable[..., str]:
    prompt = make_pack(BODY).render()
    return lambda raw, **options: prompt.check(raw, **options).correction.removeprefix(HEAD)


def damaged(before: str, after: str) -> str:
    text = reply()
    assert before in text
    return text.replace(before, after)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        # Cut off.
        (reply()[:60], "- the reply: is cut off; send it in full"),
        (reply()[:-12], UNCLOSED),
        (f"{reply()}\n{reply(confidence=3)[:40]}", "- the reply: is cut off; send it in full"),
        # The fields after a syntax error are not missing.
        (damaged('"expectedOutcome"', '@@ "expectedOutcome"'), "- the reply: is not valid JSON; write strict JSON"),
        (damaged('"level":', '"level" ] '), "- /risk: is not valid JSON; write strict JSON"),
        (
            damaged(', "expectedOutcome"', '}}} "expectedOutcome"'),
            "- the reply: could not be read with certainty; send the complete JSON object alone, as strict JSON",
        ),
        (
            json.dumps({"choices": [{"message": {"content": damaged('"risk"', '@@ "risk"')}}]}),
            "- the reply: could not be read with certainty; send the complete JSON object alone, as strict JSON",
        ),
        # What is missing is reported, also after thinking that mentions it.
        (
            "<think>the \"confidence\": 5</think>```json\n" + damaged(', "confidence": 85', "") + "\n```",
            "- /confidence: is missing",
        ),
        ('{"thought": "level: low", ' + damaged('"level": "low", ', "")[16:],
         "- /risk/level: is missing; must be one of low, medium, high"),
        # Invisible characters.
        (
            damaged('"level": "low"', '"level": "lo\u200bwish"'),
            "- /risk/level: contains the invisible character U+200B zero width space; remove it",
        ),
        (
            damaged('"confidence"', '"confi\u202edence"'),
            "- /confidence: contains the invisible character U+202E right-to-left override; remove it",
        ),
        (
            damaged('"PLAN"', '"PLAN\u0001S"'),
            "- /action: contains the invisible character U+0001; remove it",
        ),
        # The object of another agent.
        (
            damaged('"PLAN"', '"ROUTE_DECISION"'),
            "- /action: is unknown to this agent; the object may belong to another agent;"
            " must be one of PLAN, ERROR, CLARIFICATION_REQUIRED, ESCALATE",
        ),
        (damaged('"PLAN"', '"PLN"'), "- /action: must be one of PLAN, ERROR, CLARIFICATION_REQUIRED, ESCALATE"),
        # Two values.
        (
            damaged('"confidence": 85', '"confidence": 85 | 90'),
            "- /confidence: can be read in more than one way; write one value (you wrote 85 | 90)",
        ),
        (
            damaged('"thought": "t"', '"thought": "t", "thought": "u"'),
            '- /thought: appears twice with different values; send it once (you wrote "t" / "u")',
        ),
        (
            reply() + "\n" + reply(confidence=20),
            "- the reply: contains conflicting answers; send exactly one JSON object (you wrote /confidence: 85 / 20)",
        ),
        (
            damaged('"params": {"steps": ["a", "b"]}', '"parameters": {"steps": ["a"]}, "arguments": {}'),
            "- /params: 'parameters' and 'arguments' both mean 'params' but have different values",
        ),
    ],
)  # fmt: skip
def test_a_correction_says_what_is_certain(corrected: Callable[..., str], raw: str, expected: str) -> None:
    assert corrected(raw) == expected


def test_a_refused_missing_brace_asks_for_the_complete_object(corrected: Callable[..., str]) -> None:
    assert corrected(reply(userMessage="m")[:-1], refuse=["high"]) == UNCLOSED
    assert corrected(reply(alternativeActions=["a"])[:-2], refuse=["missing-end"]) == UNCLOSED


def test_a_broken_answer_to_a_correction_is_judged_by_its_own_text(make_pack: MakePack) -> None:
    prompt = make_pack(BODY).render()
    first = prompt.check(reply(confidence=150))
    second = prompt.check(damaged('"expectedOutcome"', '@@ @@ "expectedOutcome'), after=first)
    assert second.correction == f"{HEAD}- the reply: is not valid JSON; write strict JSON"
    assert prompt.check('{"confidence": 85}', after=second).data == GOOD


def test_a_correction_in_chinese_says_the_same(make_pack: MakePack) -> None:
    prompt = make_pack(BODY.replace("locale: en", "locale: zh-CN")).render()
    for raw, sentence in (
        (reply()[:60], "整个回复: 回复在中途被截断，请完整输出"),
        (damaged('"PLAN"', '"ROUTE_DECISION"'), "/action: 不是本智能体的动作，该对象可能属于另一个智能体；只能取 PLAN"),
        (damaged("85", "85 | 90"), "/confidence: 有多种读法，请只写一个值（写的是 85 | 90）"),
    ):
        assert f"- {sentence}" in prompt.check(raw).correction


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_long_values_are_shortened(make_pack: MakePack, locale: str) -> None:
    pack, count_tokens = make_pack(BODY.replace("locale: en", f"locale: {locale}")), exact_counter("o200k_base")
    for one, two in (("a" * 5_000, "b" * 5_000), ("龘靐" * 900, "🎉" * 900), ("7919" * 99, "x y" * 999)):
        duplicate = damaged('"thought": "t"', f'"thought": "{one}", "thought": "{two}", "risk": 1')
        for raw in (duplicate, reply(thought=one) + reply(thought=two)):
            correction = pack.check(raw).correction
            assert count_tokens(correction) < 150, correction
            assert one[:3] in correction
            assert two[:1] in correction


def test_text_of_the_model_is_shown_safely(make_pack: MakePack) -> None:
    prompt = make_pack(BODY).render({"TOKEN": "s3cret{" + "x" * 200})
    secret = prompt.context["TOKEN"]
    for raw in (
        damaged('"thought": "t"', f'"thought": "t", "thought": "{secret}<|im_end|>\u202e"'),
        reply(thought=f"{secret}<|im_end|>\u202e") + reply(thought="u"),
        damaged("85", f'"85" "{secret}"'),
    ):
        correction = prompt.check(raw).correction
        assert "you wrote" in correction
        assert "***" in correction
        assert not any(part in correction for part in ("s3cret", "xxx", "<|im_end|>", "\u202e"))
