import re

import pytest

from promptpack.reply.hidden_text import (
    ANY_MARKER,
    KINDS,
    MARKER,
    MAX_MARKER_LENGTH,
    PARTIAL_MARKER,
    HiddenEnds,
    blank,
    end_pattern,
    is_hidden_name,
    may_become_channel,
)

PAIRS = [
    ("<think>", "</think>", "tag"),
    ("<THINKING>", "</thinking>", "tag"),
    ("<seed:think>", "</seed:think>", "tag"),
    ("<longcat_think>", "</longcat_think>", "tag"),
    ("<reason>", "</reason>", "tag"),
    ('<thinking mode="deep">', "</thinking>", "tag"),
    ("◁think▷", "◁/think▷", "pair"),
    ("[THINK]", "[/THINK]", "pair"),
    ("<|begin_of_thought|>", "<|end_of_thought|>", "token"),
    ("<|START_THINKING|>", "<|END_THINKING|>", "token"),
    ("<|thinking|>", "<|/thinking|>", "token"),
    ("<unused94>thought", "<unused95>", "token"),
    ("&lt;think&gt;", "&lt;/think&gt;", "pair"),
    ("＜think＞", "＜/think＞", "pair"),
    ("<!--", "-->", "comment"),
    ("<|channel|> analysis", "<|end|>", "turn"),
    ("<|im_start|>user", "<|im_end|>", "turn"),
    ("<start_of_turn>user", "<end_of_turn>", "turn"),
    ("<|start_header_id|>system", "<|eot_id|>", "turn"),
    ("<|user|>", "<|assistant|>", "turn"),
    ("[INST]", "[/INST]", "turn"),
    ("```thinking\n", "\n```\n", "fence"),
    ("<example>", "</example>", "quoted"),
    ("<tool_result id=1>", "</tool_result>", "quoted"),
    ("<documents>", "</documents>", "quoted"),
    ("<example_output>", "</example_output>", "quoted"),
    ("<ideas>", "</ideas>", "quoted"),
    ("< think >", "</ think >", "tag"),
    ("<details>\n<summary>Thought for 5s</summary>", "</details>", "tag"),
    ("[THOUGHT]", "[/THOUGHT]", "pair"),
    ("【思考】", "【/思考】", "pair"),
    ("<|begin▁of▁thought|>", "<|end▁of▁thought|>", "token"),
    ("<|think_start|>", "<|think_end|>", "token"),
    ("<|channel|>commentary", "<|end|>", "turn"),
    ("<|im_start|>reasoning", "<|im_end|>", "turn"),
    ("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "turn"),
    ("~~~thinking\n", "\n~~~\n", "fence"),
    ("```tool_outputs\n", "\n```\n", "fence"),
    ("<ctrl94>thought", "<ctrl95>", "token"),
    ("<start_working_out>", "<end_working_out>", "token"),
    ("[Start thinking]", "[End thinking]", "pair"),
    ("\\u003cthink\\u003e", "\\u003c/think\\u003e", "pair"),
    ("[|user|]", "[|assistant|]", "turn"),
    ("<role>HUMAN", "<role>", "turn"),
    ("<extra_id_1>User", "<extra_id_1>", "turn"),
    ("<|start_of_role|>user", "<|end_of_text|>", "turn"),
]


@pytest.mark.parametrize(("start", "end", "kind"), PAIRS)
def test_a_start_marker_has_a_kind_and_an_end(start: str, end: str, kind: str) -> None:
    text = f"{start} hidden{end}shown"
    marker = MARKER.match(text)
    assert marker is not None
    assert (marker[0], marker.lastgroup) == (start, kind)
    assert kind in KINDS
    assert ANY_MARKER.match(start)
    assert end_pattern(marker).search(text)
    assert "hidden" not in text[HiddenEnds(text).find(marker) :]
    assert "shown" in text[HiddenEnds(text).find(marker) :]
    assert max(len(start), len(end)) <= MAX_MARKER_LENGTH


@pytest.mark.parametrize(("start", "end", "kind"), PAIRS)
def test_the_start_of_a_marker_waits_for_the_rest(start: str, end: str, kind: str) -> None:
    for length in range(1, len(start.rstrip("\n"))):
        assert re.fullmatch(PARTIAL_MARKER, start[:length]), (start[:length], end, kind)


@pytest.mark.parametrize(
    "text",
    [
        "<answer>", "<output>", "<|channel|>final", "<task_plan>", "<intent_analysis>", "<|im_start|>assistant", "[DATA]",
        "```json\n", "<|tool_call|>", "<response>", "<result>", "<explanation>", "<p>", "<details>", "<AgentOutput>",
        "<tool_input>", "<|channel|>commentary to=functions.submit", "<s>", "<eos>", "[1]", "a < b",
    ],
)  # fmt: skip
def test_another_tag_hides_nothing(text: str) -> None:
    assert MARKER.match(text) is None


def test_a_quoted_tag_without_an_end_may_be_a_word_in_prose() -> None:
    for text, end in (("<input> is a field", -1), ("<input>{}", 9), ("<input>\n\n```", 12)):
        marker = MARKER.match(text)
        assert marker is not None
        assert HiddenEnds(text).find(marker) == end


def test_names_of_thinking_and_of_text_of_others_are_hidden() -> None:
    for name in (
        "reasoning_details",
        "thinkingBlocks",
        "previousOutput",
        "tool_result",
        "functionResponse",
        "userInput",
    ):
        assert is_hidden_name(name), name
    for name in ("output", "planner", "final_decision", "message", "arguments", "tool_input", "路由决策"):
        assert not is_hidden_name(name), name


def test_thinking_ends_at_its_own_tag_or_at_any_other() -> None:
    for text, end in (("<think>a</reason>b</think>c", 26), ("<think>a</reason>b", 17), ("<think>a", 8)):
        marker = MARKER.match(text)
        assert marker is not None
        assert HiddenEnds(text).find(marker) == end


def test_blank_keeps_every_position() -> None:
    assert blank("abcdef", [(1, 3), (5, 6)]) == "a  de "
    assert blank("abc", []) == "abc"


def test_a_word_after_a_fence_that_names_no_data_hides_nothing() -> None:
    assert MARKER.match("```Schema:\n{}") is None
    assert MARKER.match("```json\n{}") is None


def test_only_a_short_text_may_become_a_channel() -> None:
    assert may_become_channel(" \nanal")
    assert may_become_channel("Thinking..")
    assert not may_become_channel("\n" * 100)


def test_the_next_end_is_found_once_for_all_starts_before_it() -> None:
    text = "◁think▷ <|x|> " * 3 + "<|im_end|> ◁think▷ <|im_end|>"
    ends = HiddenEnds(text)
    found = [ends.find(marker) for marker in MARKER.finditer(text) if marker.lastgroup == "pair"]
    first, last = text.index("<|im_end|>"), text.rindex("<|im_end|>")
    assert found == [first, first, first, last]
