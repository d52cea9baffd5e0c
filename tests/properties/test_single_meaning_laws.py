# ruff: noqa: S311 -- Hypothesis provides the randomness
"""Laws of what is never taken for the answer: thinking, text of others, echoes of the prompt, and what a cut leaves."""

import json
import re
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from promptpack import Library
from promptpack.reply.syntax_tree import is_same
from tests.properties.reply_outputs import anything
from tests.properties.reply_values import DEFECTS, Sample, fill, samples
from tests.properties.reply_values import ENVELOPES as DEFECT_ENVELOPES
from tests.properties.test_reply_laws import judged, no_deadline, of_contract

Given = tuple[str, dict[str, Any]]

THINKING = (
    ("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<Thought>", "</Thought>"), ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"), ("<|channel|>analysis<|message|>", "<|end|>"), ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"), ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|thinking|>", "<|/thinking|>"), ("<longcat_think>", "</longcat_think>"), ("<reason>", "</reason>"),
    ("<mm:think>", "</mm:think>"), ("<unused94>thought\n", "<unused95>"), ("```thinking\n", "\n```\n"),
    ("<inner_thoughts depth=\"2\">", "</inner_thoughts>"), ("<scratchpad>", "</scratchpad>"), ("", "</think>"),
    ("<think>", "</thinking>"), ("<|im_start|>think\n", "<|im_end|>"), ("<plan>", "</plan>"), ("<think>", ""),
    ("< THINK >", "</ think >"), ("<ponder>", "</ponder>"), ("<ideas>\n", "</ideas>"), ("<ideas>\n", ""), ("~~~thinking\n", "\n~~~\n"),
    ("<first_draft>", "</first_draft>"), ("<|begin▁of▁thought|>", "<|end▁of▁thought|>"), ("[THOUGHT]", "[/THOUGHT]"),
    ("\\<think\\>", "\\</think\\>"), ("&#60;think&#62;", "&#60;/think&#62;"), ("\\u003cthink\\u003e", "\\u003c/think\\u003e"), ("【思考】", "【/思考】"), ("[unused16]", "[unused17]"),
    ("<details>\n<summary>💭 Thought for 12s</summary>\n", "</details>\n"), ("<|think_start|>", "<|think_end|>"),
    ("<|channel|>commentary<|message|>", "<|end|>"), ("<|im_start|>reasoning\n", "<|im_end|>"), ("analysisHm. ", "assistantfinal"),
    ("<ctrl94>thought\n", "<ctrl95>"), ("[Start thinking]\n", "\n[End thinking]\n"), ("<start_working_out>", "<end_working_out>"),
    ("<details type=\"reasoning\" done=\"true\">\n<summary>Thought for 7 seconds</summary>\n", "</details>"), ("Thinking...\n", "\n...done thinking.\n"),
    ("<|channel>thought\n", "<channel|>"), ("<思考过程>", "</思考过程>"), ("<CoT>", "</CoT>"), ("<reasoning_trace id=\"1\">", "</reasoning_trace>"),
)  # fmt: skip
QUOTED = (
    ("<example>\n", "\n</example>"), ("<input>", "</input>"), ("<tool_result>\n", "</tool_result>"),
    ("<document index=\"1\">", "</document>"), ("<tool_response>", "</tool_response>"), ("<examples>", "</examples>"),
    ("<|im_start|>user\n", "<|im_end|>\n"), ("<start_of_turn>user\n", "<end_of_turn>\n"), ("[INST]", "[/INST]"),
    ("<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"), ("<|user|>\n", "<|assistant|>"),
    ("<|start_header_id|>ipython<|end_header_id|>\n\n", "<|eot_id|>"), ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"), ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"), ("<｜User｜>", "<｜Assistant｜>"),
    ("<|start|>functions.f to=assistant<|channel|>commentary<|message|>", "<|end|>"), ("<system-reminder>", "</system-reminder>"),
    ("<example_output>\n", "\n</example_output>"), ("<previous_output>", "</previous_output>"), ("<output_format>", "</output_format>"),
    ("Human: ", "\n"), ("**User:**\n", "\n"), ("### Input\n\n", "\n"), ("Observation: ", "\n"), ("Tool output:\n```json\n", "\n```\n"),
    ("```tool_outputs\n", "\n```\n"), ("```example\n", "\n```\n"), ("<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"),
    ("[|user|]", "\n[|assistant|]"), ("<role>HUMAN</role>", "<role>ASSISTANT</role>"), ("<extra_id_1>User\n", "\n<extra_id_1>Assistant\n"),
    ("### Instruction:\n", "\n"), ("<|prompter|>", "<|endoftext|>"), ("<|tool|>", "<|end|>"), ("GPT4 Correct User: ", "\n"),
    ("Previous stage:\n", "\n"), ("First draft:\n", "\n"), ("示例：\n", "\n"),
)  # fmt: skip
REFUSALS = ("", "I cannot decide this.", "\n\n对不起，我无法回答。", "\nLet me think again...")

seeds = st.integers(0, 2**32)
indents = st.sampled_from([None, 2, 4])
cut_reasons = st.sampled_from([None, "stop", "length", "max_tokens"])


def write(value: Any, indent: int | None = 2) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def has_end(text: str) -> bool:
    """Return whether a text contains the end of hidden text."""
    ends = ["```", *(stop.strip() for _, stop in (*THINKING, *QUOTED))]
    return any(stop in text for stop in ends if stop)


ENVELOPES: tuple[Any, ...] = (
    lambda value: {"role": "user", "content": write(value)},
    lambda value: {"role": "system", "content": [{"type": "text", "text": write(value)}]},
    lambda value: [{"role": "tool", "content": write(value)}],
    lambda value: {"messages": [{"role": "user", "content": write(value)}]},
    lambda value: {"choices": [{"message": {"role": "assistant", "content": None, "reasoning_content": write(value)}}]},
    lambda value: {"content": [{"type": "thinking", "thinking": write(value)}]},
    lambda value: {"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": write(value)}]}]},
    lambda value: {"candidates": [{"content": {"parts": [{"text": write(value), "thought": True}]}}]},
    lambda value: {"type": "object", "properties": {"thought": {"type": "string"}}, "examples": [value]},
    lambda value: {"type": "object", "default": value},
    lambda value: {"example": value},
    lambda value: {"message": {"content": "", "reasoning_details": [{"type": "reasoning.text", "text": write(value)}]}},
    lambda value: {
        "content": [{"reasoningContent": {"reasoningText": {"text": write(value)}}}],
        "stopReason": "end_turn",
    },
    lambda value: {"content": [{"toolResult": {"content": [{"json": value}]}}]},
    lambda value: {"conversations": [{"from": "human", "value": write(value)}, {"from": "gpt", "value": "I cannot."}]},
    lambda value: {"author": {"role": "tool"}, "content": {"parts": [write(value)]}},
    lambda value: {"channel": "analysis", "content": write(value)},
    lambda value: {"type": "object", "enum": [value]},
    lambda value: {"openapi": "3.1.0", "components": {"schemas": {"Reply": {"type": "object", "example": value}}}},
    lambda value: {"draft": value, "final": None},
    lambda value: {"scratchpad": write(value), "answer": ""},
    lambda value: {"previousOutput": value},
    lambda value: {"history": [value]},
    lambda value: {"input": value, "output": None},
    lambda value: {"error": {"failed_generation": write(value)}},
)


def meaning(agent: str, raw: str, finish_reason: str | None) -> tuple[str, Any]:
    verdict = judged(agent, raw, finish_reason=finish_reason)
    return verdict.outcome, verdict.data if verdict.ok else None


@st.composite
def answers(draw: st.DrawFn, value: dict[str, Any]) -> str:
    """Draw the text after thinking: nothing, a refusal, the whole answer, or the start of it."""
    whole = write(value, draw(indents))
    kind = draw(st.sampled_from(["nothing", "whole", "cut", "fenced", "comma"]))
    if kind == "nothing":
        return draw(st.sampled_from(REFUSALS))
    if kind == "cut":
        return "\n" + whole[: draw(st.integers(1, len(whole) - 1))]
    if kind == "comma":
        return whole[:-1].rstrip() + ",}"
    return f"```json\n{whole}\n```" if kind == "fenced" else whole


@given(anything, anything, st.sampled_from(THINKING), indents, cut_reasons, st.data())
@settings(no_deadline, max_examples=200)
def test_thinking_never_changes_what_a_reply_means(
    drafted: Given,
    answered: Given,
    markers: tuple[str, str],
    indent: int | None,
    reason: str | None,
    data: st.DataObject,
) -> None:
    agent, draft = drafted
    start, end = markers
    thinking = data.draw(st.sampled_from(["", "Maybe this:\n", "I should reply with "])) + write(draft, indent)
    # An end marker inside the thinking would end it sooner.
    assume(not has_end(thinking))
    after = data.draw(answers(answered[1])) if end else ""
    expected = meaning(agent, f"{start}{' ' * len(thinking)}{end}{after}", reason)
    assert meaning(agent, f"{start}{thinking}{end}{after}", reason) == expected
    assert meaning(agent, f"{start}not sure{end}{after}", reason) == expected


@given(anything, st.sampled_from([*THINKING, *QUOTED]), indents, cut_reasons, st.sampled_from(REFUSALS))
@settings(no_deadline, max_examples=200)
def test_hidden_text_is_never_the_answer(
    given_output: Given, markers: tuple[str, str], indent: int | None, reason: str | None, after: str
) -> None:
    agent, value = given_output
    text = write(value, indent)
    assume(not has_end(text))
    assert not judged(agent, f"{markers[0]}{text}{markers[1]}{after}", finish_reason=reason).ok


# The names of tags of HTML, and of tags around answers, are words; a random name is neither.
tag_names = st.from_regex(r"\A[bcdfghjklmnpqstvwxyz]{4,9}(_[bcdfghjklmnpqstvwxyz]{4,9})?\Z")


@given(anything, tag_names, indents, st.booleans())
@settings(no_deadline, max_examples=100)
def test_a_tag_with_an_unknown_name_has_no_answer(
    given_output: Given, name: str, indent: int | None, is_closed: bool
) -> None:
    agent, value = given_output
    text = write(value, indent)
    assert not judged(agent, f"<{name}>\n{text}" + f"\n</{name}>" * is_closed).ok
    assert judged(agent, f"<{name}>Hm.</{name}>\n{text}").ok


@given(anything, st.sampled_from(QUOTED), indents, indents)
@settings(no_deadline, max_examples=200)
def test_the_answer_after_quoted_text_is_read(
    given_output: Given, markers: tuple[str, str], indent: int | None, other: int | None
) -> None:
    agent, value = given_output
    draft = write({**value, "thought": "a draft", "confidence": 1}, other)
    assume(not has_end(draft))
    verdict = judged(agent, f"{markers[0]}{draft}{markers[1]}\n{write(value, indent)}")
    assert verdict.ok
    assert is_same(of_contract(agent, verdict.data), value)


@given(anything, st.sampled_from(ENVELOPES), indents)
@settings(no_deadline, max_examples=200)
def test_an_object_in_an_envelope_of_others_is_never_the_answer(
    given_output: Given, envelope: Any, indent: int | None
) -> None:
    agent, value = given_output
    text = write(envelope(value), indent)
    assert not judged(agent, text).ok
    assert not judged(agent, f"```json\n{text}\n```").ok


@given(anything, st.sampled_from(["length", "max_tokens", "MAX_TOKENS"]), st.data())
@settings(no_deadline, max_examples=100)
def test_an_envelope_that_reports_a_cut_counts_as_a_cut(given_output: Given, reason: str, data: st.DataObject) -> None:
    agent, value = given_output
    text = write(value, data.draw(indents))
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    body = {"choices": [{"finish_reason": reason, "message": {"role": "assistant", "content": cut}}]}
    assert judged(agent, json.dumps(body)).outcome == "truncated"


BETWEEN = (
    "\n", "\n\n", " ", "", "\nAlternatively:\n", "\nOr rather: ", "\n```json\n", "\nFinal answer: ```\n", "\n- ", "\n2. ", "; ",
    "\nreply = ", "\n<answer>", '\n{"output": ', "\n[",
)  # fmt: skip
STYLES: tuple[Any, ...] = (
    write,
    lambda value: write(value, None),
    repr,
    lambda value: re.sub(r'"(\w+)":', r"\1:", write(value)),
    lambda value: write(value, None).replace('"', "“"),
)


@given(st.sampled_from(samples()), st.sampled_from(samples()), st.sampled_from(BETWEEN), st.data())
@settings(no_deadline, max_examples=200)
def test_an_answer_and_the_start_of_another_object_are_refused(
    sample: Sample, other: Sample, between: str, data: st.DataObject
) -> None:
    assume(not is_same(sample.reply, other.reply))
    random = Random(data.draw(seeds))
    text, _ = DEFECTS[data.draw(st.sampled_from(sorted(DEFECTS)))](sample.reply, random)
    whole = DEFECT_ENVELOPES[data.draw(st.sampled_from(sorted(DEFECT_ENVELOPES)))](text)
    second = data.draw(st.sampled_from(STYLES))(other.reply)
    cut = second[: data.draw(st.one_of(st.integers(1, 20), st.integers(1, len(second) - 1)))]
    assume(sample.pack.check(whole, sample.context).ok)
    assert not sample.pack.check(whole + between + cut, sample.context).ok, (whole, between, cut)


def is_part(part: Any, whole: Any) -> bool:
    """Return whether a value has only values of another one, none of them changed."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(item, whole[key]) for key, item in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_part, part, whole))
    return is_same(part, whole)


@given(st.sampled_from(samples()), seeds, st.data())
@settings(no_deadline, max_examples=200)
def test_no_value_of_a_cut_reply_changes(sample: Sample, seed: int, data: st.DataObject) -> None:
    value = fill(sample, Random(seed))
    text = write(value, data.draw(indents))
    cut = text[: data.draw(st.integers(len(text) * 2 // 3, len(text) - 1))]
    verdict = sample.pack.check(cut, sample.context)
    assert not verdict.ok or is_part(verdict.data, value), cut
    assert not sample.pack.check(cut, sample.context, finish_reason="length").ok


ANSWERED: tuple[Any, ...] = (
    lambda value: {"choices": [{"message": {"role": "assistant", "content": write(value)}, "finish_reason": "stop"}]},
    lambda value: {"content": [{"type": "tool_use", "name": "submit", "input": value}], "stop_reason": "tool_use"},
    lambda value: {"status": "completed", "output": [{"type": "message", "content": [{"text": write(value, None)}]}]},
    lambda value: {"agent": "a", "output": value},
)


@given(anything, st.sampled_from(ANSWERED), indents, st.data())
@settings(no_deadline, max_examples=200)
def test_an_answer_in_an_envelope_that_is_cut_is_refused(
    given_output: Given, envelope: Any, indent: int | None, data: st.DataObject
) -> None:
    agent, value = given_output
    text = write(envelope(value), indent)
    assert is_same(judged(agent, text).data, value)
    end = data.draw(st.integers(1, len(text) - 1))
    verdict = judged(agent, text[:end])
    # Only closing brackets may be missing, and optional keys after a complete member: the repair names them.
    if verdict.ok:
        ends = [one for one in verdict.repairs if (one.kind, one.risk) == ("missing-end", "high")]
        lost = {path for one in ends for path in one.missing}
        assert ends
        assert is_part(verdict.data, value)
        assert {f"/{key}" for key in value.keys() - verdict.data.keys()} <= lost
    assert not judged(agent, text[:end], finish_reason="length").ok


@given(anything, indents)
@settings(no_deadline, max_examples=100)
def test_one_complete_object_stays_valid_however_the_reply_ended(given_output: Given, indent: int | None) -> None:
    agent, value = given_output
    verdict = judged(agent, write(value, indent), finish_reason="length")
    assert verdict.outcome == "valid"
    assert is_same(verdict.data, value)


@given(anything, st.data())
@settings(no_deadline, max_examples=200)
def test_a_missing_brace_at_the_end_is_risky_and_names_what_may_be_lost(
    given_output: Given, data: st.DataObject
) -> None:
    agent, value = given_output
    optional = {"alternativeActions", "requiresUserConfirmation", "userMessage"}
    text = write(value, data.draw(indents)).rstrip("}").rstrip()
    verdict = judged(agent, text)
    assume(verdict.ok)
    repair = [one for one in verdict.repairs if one.kind == "missing-end"][-1]
    assert repair.risk == "high"
    assert {f"/{name}" for name in optional - value.keys()} <= set(repair.missing)
    assert not judged(agent, text, refuse=["high"]).ok
    assert judged(agent, text, finish_reason="length").outcome == "truncated"


LIBRARY = Library.open()
SHIPPED = [
    LIBRARY.get(name, locale=locale)
    for name in ("understanding", "router", "planner", "executor", "reviewer", "orchestrator")
    for locale in ("zh-CN", "en")
]


@pytest.mark.parametrize("pack", SHIPPED, ids=lambda pack: pack.label)
def test_a_repeated_prompt_is_not_an_answer(pack: Any) -> None:
    for test in (one for one in pack.tests if one.reply is not None and one.verdict == "valid"):
        prompt = pack.render(test.context)
        text = prompt.to_text()
        verdict = prompt.check(text)
        assert not verdict.ok, verdict.data
        for end in range(len(text) // 3, len(text), 97):
            assert not prompt.check(text[:end]).ok
