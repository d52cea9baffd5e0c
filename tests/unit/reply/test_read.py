"""Replies that are easy to misread, each with its one meaning or with the path that has none."""

import json
import re
from copy import deepcopy
from typing import Any

import pytest

from promptpack.reply import KINDS
from promptpack.reply.syntax_tree import is_same
from tests.conformance.drivers import check_reply
from tests.properties.test_reply_laws import pack_of

ROUTE: dict[str, Any] = {
    "thought": "同一任务，小改动",
    "action": "ROUTE_DECISION",
    "params": {"route": "minor_replan", "payload": {"reason": "仅修改文案", "requiresConfirmation": False}},
    "expectedOutcome": "进入小幅重规划",
    "confidence": 80,
    "risk": {"level": "low", "description": "改动范围小"},
}
REVIEW: dict[str, Any] = {
    "thought": "The plan is consistent",
    "action": "REVIEW_RESULT",
    "params": {"approved": True, "score": 85, "feedback": "Good", "requiredFixes": ["Add a rollback step"]},
    "expectedOutcome": "Plan can be executed",
    "risk": {"level": "medium", "description": "Rollback is untested"},
    "confidence": 90,
}
SEARCH: dict[str, Any] = {
    "thought": "需要先搜索",
    "action": "web_search",
    "params": {"query": "退款率 2024", "top_k": 5},
    "expectedOutcome": "得到搜索结果",
    "risk": {"level": "low", "description": "结果可能过期"},
    "confidence": 95,
}
PLAN: dict[str, Any] = {
    "thought": "拆成两步",
    "action": "TASK_PLAN",
    "params": {
        "tasks": [
            {"id": "task-1", "description": "拉取数据", "dependencies": [], "requiredCapabilities": ["sql"], "estimatedDuration": 300000},
            {"id": "task-2", "description": "画图", "dependencies": ["task-1"], "requiredCapabilities": ["chart"], "estimatedDuration": 120000},
        ],
        "executionOrder": ["task-1", "task-2"],
    },
    "expectedOutcome": "可执行的任务列表",
    "risk": {"level": "low", "description": "计划不可执行"},
    "confidence": 90,
}  # fmt: skip
AGENTS = {"ROUTE_DECISION": "router", "REVIEW_RESULT": "reviewer", "web_search": "executor", "TASK_PLAN": "planner"}


def text(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    result = deepcopy(base)
    *way, last = path.split("/")[1:]
    place = result
    for step in way:
        place = place[step]
    place[last] = value
    return result


def swapped(base: dict[str, Any], old: str, new: str, indent: int | None = None) -> str:
    whole = text(base, indent)
    assert old in whole
    return whole.replace(old, new, 1)


def assert_means(raw: str, meant: dict[str, Any], agent: str = "") -> None:
    found = check_reply(raw, agent or AGENTS[meant["action"]])
    assert found["ok"], found["violations"]
    assert set(found["repairs"]) <= KINDS
    assert is_same({key: item for key, item in found["output"].items() if item is not None}, meant)


def assert_refused(raw: str, agent: str, *paths: str) -> None:
    found = check_reply(raw, agent)
    assert not found["ok"], found["output"]
    assert set(paths) <= {violation["path"] for violation in found["violations"]}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"用户说"停止"，然后继续"', '用户说"停止"，然后继续'),
        ('"He said "ok", then "stop"."', 'He said "ok", then "stop".'),
        ('"He said "yes", "no", and left"', 'He said "yes", "no", and left'),
        ('"Use the "route" key: minor"', 'Use the "route" key: minor'),
        ('"“小改动”，同一任务"', "“小改动”，同一任务"),
        ("'The plan is \"consistent\"'", 'The plan is "consistent"'),
        ("'The plan\\'s consistent'", "The plan's consistent"),
        ('"""The "plan" is\nconsistent"""', 'The "plan" is\nconsistent'),
        ('"She asked: "why?""', 'She asked: "why?"'),
        ('""Stop" is what he said"', '"Stop" is what he said'),
        ('"C:\\Windows\\temp\\new"', "C:\\Windows\\temp\\new"),
        ('"\\d+\\.\\d*"', "\\d+\\.\\d*"),
        ('"a\\xb"', "a\\xb"),
        ('"x\ty"', "x\ty"),
        ("'x\\u00e9\\ud83d\\ude00'", "xé😀"),
        ("\"first \" + 'second'", "first second"),
        ('"SELECT "a" FROM t WHERE x = \'1\'"', "SELECT \"a\" FROM t WHERE x = '1'"),
        ('"同一任务//小改动 # 说明 /* x */",', "同一任务//小改动 # 说明 /* x */"),
        ('"true, None, NaN, {a: 1}, [...",', "true, None, NaN, {a: 1}, [..."),
        ('"...",', "..."),
        ('"The plan" // or "a plan"\n', "The plan"),
        ('"see “# Title” below",', "see “# Title” below"),
        ('"“a”, “b”: c",', "“a”, “b”: c"),
        ('"{&quot;id&quot;: 1}",', "{&quot;id&quot;: 1}"),
        ("u'The plan'", "The plan"),
        ('f"The plan"', "The plan"),
        ('r"\\d in D:\\Work"', "\\d in D:\\Work"),
        ('@"say ""x"", then y"', 'say "x", then y'),
        ('("The plan " "is")', "The plan is"),
        ('("The plan "\n f"is"\n)', "The plan is"),
        ('("The plan " + "is")', "The plan is"),
        ('"The plan \\\nis consistent"', "The plan is consistent"),
        ('"Plan can be executed\n"', "Plan can be executed\n"),
    ],
)  # fmt: skip
def test_a_string_is_read_as_meant(written: str, meant: str, indent: int | None) -> None:
    comma = written.endswith(",")
    raw = swapped(REVIEW, '"The plan is consistent"', written.removesuffix(","), indent)
    assert_means(raw[:-1] + ",}" if comma else raw, changed(REVIEW, "/thought", meant))


@pytest.mark.parametrize("quote", ["'", "`", "＂"])
def test_other_quotes_are_quotes(quote: str) -> None:
    assert_means(text(ROUTE).replace('"', quote), ROUTE)


@pytest.mark.parametrize("separator", [":", "：", "::", ": : ", " := ", " => ", " = ", " ： ", " → ", " -> ", "∶"])
def test_other_signs_after_a_key_are_colons(separator: str) -> None:
    assert_means(text(ROUTE).replace('": ', f'"{separator}'), ROUTE)


@pytest.mark.parametrize("between", ["\\n  ", "\\r\\n", "<br>", "<br />\n", "&nbsp;", "\u2060", ", ", "\x1b[0m "])
def test_signs_without_meaning_between_tokens_are_skipped(between: str) -> None:
    assert_means(re.sub(r'(?<=[{,]) ?(?=")', lambda _: between, text(ROUTE)), ROUTE)


@pytest.mark.parametrize(
    "key", ["**{}**", '**"{}"**', '"**{}**"', ":{}", "u'{}'", 'b"{}"', '"{}\u200b"', "\n**{}**", '\\n"{}"', "<br>`{}`"]
)
def test_a_key_in_another_form_is_read(key: str) -> None:
    assert_means(re.sub(r'"(\w+)"(?=: )', lambda match: key.format(match[1]), text(ROUTE)), ROUTE)


@pytest.mark.parametrize(
    "written",
    [
        'f"{name}, ok"', '$"{name}"', 'r"a\\nb"', '@"C:\\new"', '"one" . "two"', '"one" & "two"', '"a "// b" c"',
        '"see “# Title” and "x" below"', '"a "x", b: c"', '("a" 5)', '("a" "b",)',
    ],
)  # fmt: skip
def test_a_string_with_two_readings_is_refused(written: str) -> None:
    assert_refused(swapped(REVIEW, '"The plan is consistent"', written, 2), "reviewer", "/thought")


@pytest.mark.parametrize(("old", "new"), [('"expectedOutcome"', 'expectedOutcome"'), ('"expectedOutcome"', '"expectedOutcome'), ('"ROUTE_DECISION"', '"ROUTE_DECISION'), ('"ROUTE_DECISION"', 'ROUTE_DECISION"')])  # fmt: skip
def test_a_missing_quote_is_restored(old: str, new: str) -> None:
    assert_means(swapped(ROUTE, old, new, 2), ROUTE)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"80"', 80), ("80%", 80), ('"80 %"', 80), ("80/100", 80), ('"80 / 100"', 80), ("+80", 80), ("80.", 80),
        ('"80 percent"', 80), ("８０", 80), ('"8e1"', 80), ('"80.5%"', 80.5), ('"80 out of 100"', 80), (".8e2", 80.0),
        ("80 // sure", 80), ("80 /* sure */", 80), ("80 # sure", 80), ("“80”", 80), ("1_0", 10), ("80;", 80),
        ("0.8", 0.8), ("1e-400", 0.0),
    ],
)  # fmt: skip
def test_a_number_in_another_form_is_read(written: str, meant: float) -> None:
    assert_means(swapped(ROUTE, "80", written, 2), changed(ROUTE, "/confidence", meant))


@pytest.mark.parametrize(
    "written",
    [
        '"百分之80"', '"80分"', '"约80"', '"80-90"', "~80", '">80"', '"80+"', '"high"', '"eighty"', "[80]", '{"value":80}',
        "true", "null", '""', "-1", "100.01", "1e3", "NaN", "-Infinity", '"NaN"', "0x50", "80,5", '"80,5"', '"1,000"',
        "080", '"080"', "007.5", '"08%"', "80, maybe 90", "80, 90", '80, "90"', "(80)",
        "8 0", "80 (high)", '"8/10"', "4/5", "80..", "--80", "80%%", "80f", "...",
    ],
)  # fmt: skip
def test_an_uncertain_number_is_refused(written: str) -> None:
    assert_refused(swapped(ROUTE, "80", written, 2), "router", "/confidence")


@pytest.mark.parametrize(
    "word",
    [
        "Low",
        "LOW",
        " low ",
        "低",
        "低风险",
        "low risk",
        "ｌｏｗ",
        '"low"',
        "`low`",
        "**low**",
        "LOW\n",
        "low.",
        "low,",
        "l\u200bow",
        "lo\u00adw",
        "low\ufe0f",
        "\ufefflow",
    ],
)
def test_a_fixed_word_in_another_form_is_read(word: str) -> None:
    assert_means(swapped(ROUTE, '"low"', text(word)), ROUTE)


@pytest.mark.parametrize(
    "word",
    ["not low", "low/medium", "low-medium", "mid", "critical", "none", "l", "lowest", "low (mostly)", "低或中", "中低", "较低", "", "very low", "risk: low", "no", "low!", "lo w", "l-o-w", "l.ow"],
)  # fmt: skip
def test_a_similar_word_is_refused(word: str) -> None:
    assert_refused(swapped(ROUTE, '"low"', text(word)), "router", "/risk/level")


@pytest.mark.parametrize(
    "word",
    [
        "route_decision",
        "Route Decision",
        "RouteDecision",
        "route-decision",
        "路由决策",
        "ROUTE\\_DECISION",
        "ROUTE_DECISION.",
        "route–decision",
    ],
)
def test_an_action_in_another_form_is_read(word: str) -> None:
    assert_means(swapped(ROUTE, '"ROUTE_DECISION"', text(word)), ROUTE)


@pytest.mark.parametrize(
    "word",
    ["ROUTE", "ROUTE_DECISIONS", "ROUTE_DECISION()", "TASK_PLAN", "ROUTE_DECISION|ERROR", "NONE", "ROU TE_DECISION"],
)
def test_another_action_is_refused(word: str) -> None:
    assert_refused(swapped(ROUTE, '"ROUTE_DECISION"', text(word)), "router")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("True", True), ('"true"', True), ('"yes"', True), ('"是"', True), ('"False"', False), ("no", False)],
)
def test_a_boolean_in_another_form_is_read(written: str, meant: bool) -> None:
    raw = text(ROUTE)[:-1] + f', "requiresUserConfirmation": {written}}}'
    assert_means(raw, {**ROUTE, "requiresUserConfirmation": meant})


@pytest.mark.parametrize("written", ["1", '"1"', '"on"', '"maybe"', '"n/a"', '"y"', "[true]", "0"])
def test_an_uncertain_boolean_is_refused(written: str) -> None:
    raw = text(ROUTE)[:-1] + f', "requiresUserConfirmation": {written}}}'
    assert_refused(raw, "router", "/requiresUserConfirmation")


DRAFT = {**ROUTE, "confidence": 41, "thought": "draft"}


@pytest.mark.parametrize(
    "around",
    [
        "<think>{draft}</think>{answer}", "{draft}</think>\n{answer}", "<think>a <think>b</think> c</think>{answer}",
        "<|begin_of_thought|>{draft}<|end_of_thought|>{answer}", "[THINK]{draft}[/THINK]{answer}",
        '<think>unbalanced " quote {{ [ </think>{answer}', "<think>{draft}</think>\n{answer}\n<think>{draft}</think>",
        "<scratchpad>{draft}</scratchpad><answer>{answer}</answer>", '<think type="x">{draft}</think>{answer}',
        "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>{answer}<|return|>",
        "<chain_of_thought>{draft}</chain_of_thought>{answer}", "> > {answer}",
        "<|start_header_id|>assistant<|end_header_id|>\n\n{answer}<|eot_id|>", '{{"error": null}}\n{answer}',
        "The user gave {{\"id\": 7}} as input.\n\n{answer}", '{answer}\n\n{{"usage": {{"total_tokens": 5}}}}',
        "{answer}{answer}", "[{answer},{answer}]", "<tool_call>\n{{\"name\": \"x\", \"arguments\": {answer}}}\n</tool_call>",
        "<![CDATA[{answer}]]>", "```\njson\n{answer}\n```", "'''json\n{answer}\n'''", "`{answer}`", "**{answer}**",
        "var x = {answer};", "{{{answer}}}", "data: {answer}\n\ndata: [DONE]", "| {answer} |", "\ufeff\ufeff{answer}",
        "{answer}\x1a", "Action: x\nAction Input: {answer}", '{{"action": "final_answer", "action_input": {answer}}}',
        '{{"thought": "wrapper", "answer": {answer}}}', '{{"$schema": "x", "type": "object", "properties": {answer}}}',
    ],
)  # fmt: skip
def test_the_answer_is_found_in_the_text_around_it(around: str) -> None:
    assert_means(around.format(draft=text(DRAFT), answer=text(ROUTE)), ROUTE)


@pytest.mark.parametrize(
    "around",
    [
        "{draft}\n{answer}", "[{draft},{answer}]", "Option A:\n{draft}\nOption B:\n{answer}", '{{"a":{draft},"b":{answer}}}',
        "```json\n{draft}\n```\n```json\n{answer}\n```", "<think>{answer}", "{answer}\nWait, correction:\n{draft}",
    ],
)  # fmt: skip
def test_two_answers_are_refused(around: str) -> None:
    assert_refused(around.format(draft=text(DRAFT), answer=text(ROUTE)), "router", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"task-2"]}', '"task-2"}'), ("300000}, {", "300000, {"), ("120000}]", "120000]"), ("120000}]", "120000}"),
        ('["sql"]', '["sql"'), ('["sql"]', '"sql"'), ('}, {"id"', '} {"id"'), ('}, {"id"', '},, {"id"'),
        ('["task-1", "task-2"]', '["task-1" "task-2"]'), ('["task-1", "task-2"]', '["task-1"; "task-2"]'),
        ('["task-1", "task-2"]', "[task-1, task-2]"), ('["task-1", "task-2"]', '[, "task-1", "task-2",,]'),
        ('"dependencies": []', '"dependencies": ""'), ('"estimatedDuration"', '"estimated_duration"'),
        ("300000", '"300,000"'), ("300000", "300_000"), ('["task-1", "task-2"]', '("task-1", "task-2")'),
        ('"dependencies": []', '"dependencies": ()'), ('["sql"]', '("sql",)'), ("[{", "({"), ("}]", "},)"),
    ],
)  # fmt: skip
def test_brackets_and_commas_are_restored_where_only_one_position_fits(old: str, new: str) -> None:
    assert_means(swapped(PLAN, old, new), PLAN)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ('["task-1", "task-2"]', '{"1":"task-1"}', "/params/executionOrder"),
        ('["task-1", "task-2"]', '["task-1", 2]', "/params/executionOrder/1"),
        ('["task-1", "task-2"]', '["task-1", …]', "/params/executionOrder"),
        ('["task-1", "task-2"]', "[...]", "/params/executionOrder"),
        ('["task-1", "task-2"]', '["task-1", .., "task-2"]', "/params/executionOrder"),
        ('["task-1", "task-2"]', '["task-1", etc.]', "/params/executionOrder"),
        ('["task-1", "task-2"]', '["task-1", 3 more]', "/params/executionOrder"),
        ('["task-1", "task-2"]', '["task-1", 等]', "/params/executionOrder"),
        ('["task-1", "task-2"]', '["task-1", and then, "task-2"]', "/params/executionOrder/0"),
        ('["task-1", "task-2"]', '["task-1", then "task-2"]', "/params/executionOrder/0"),
        ('["task-1", "task-2"]', '("task-1" "task-2")', "/params/executionOrder"),
        ('["task-1", "task-2"]', '("task-1")', "/params/executionOrder"),
        ('["task-1", "task-2"]', "<none>", "/params/executionOrder"),
        ("120000}]", "120000}, ...]", "/params/tasks"),
        ("300000", "300,000", "/params/tasks/0/estimatedDuration"),
        ("300000", '"5 min"', "/params/tasks/0/estimatedDuration"),
        ('["sql"]', '{"name":"sql"}', "/params/tasks/0/requiredCapabilities"),
        ('"tasks": [', '"tasks": [null, ', "/params/tasks/0"),
    ],
)  # fmt: skip
def test_a_list_with_omitted_or_mixed_items_is_refused(old: str, new: str, path: str) -> None:
    assert_refused(swapped(PLAN, old, new), "planner", path)


@pytest.mark.parametrize(("end", "meant"), [('["a"', ["a"]), ('["a", "b"\n', ["a", "b"]), ('["a"]', ["a"])])
def test_missing_brackets_after_a_complete_value_are_restored(end: str, meant: list[str]) -> None:
    raw = text(ROUTE)[:-1] + ', "alternativeActions": ' + end
    assert_means(raw, {**ROUTE, "alternativeActions": meant})
    verdict = pack_of("router").check(raw, finish_reason="length")
    assert (verdict.outcome, [found.rule for found in verdict.violations]) == ("truncated", ["truncated"])


@pytest.mark.parametrize("end", ["[", '["a', '["a",', '["a", "b', '["a", b', '"a', "null, ", '["a"] // and'])
def test_a_value_still_open_at_the_end_is_never_accepted(end: str) -> None:
    assert_refused(text(ROUTE)[:-1] + ', "alternativeActions": ' + end, "router")


@pytest.mark.parametrize("size", range(1, len(text(ROUTE)) - 2))
def test_a_reply_that_is_cut_off_anywhere_is_refused(size: int) -> None:
    assert_refused(text(ROUTE)[:size], "router")


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ('"confidence": 80', '"confidence": 80, "confidence": 81', "/confidence"),
        ('"confidence": 80', '"confidence": 80, "confidence": true', "/confidence"),
        ('"level": "low"', '"level": "low", "level": "high"', "/risk/level"),
        ('"params"', '"arguments": {}, "parameters"', "/params"),
        ('"expectedOutcome"', '"expected-outcome": "x", "expected_outcome"', "/expectedOutcome"),
        ('"expectedOutcome"', '"outcome"', "/expectedOutcome"),
        ('"thought"', '"though"', "/thought"),
        ('"thought"', '"thou ght"', "/thought"),
        ('"同一任务，小改动"', '"a", "b"', "/thought"),
    ],
)  # fmt: skip
def test_two_values_for_one_field_or_a_misspelled_key_are_refused(old: str, new: str, path: str) -> None:
    assert_refused(swapped(ROUTE, old, new), "router", path)


def test_an_undeclared_key_stays_next_to_the_declared_key_it_resembles() -> None:
    both = {**ROUTE, "Confidence": 90, "reasoning": "x"}
    assert_means(text(both), both)
    assert_means(text(both)[:-1] + ",}", both)


MESSAGES: tuple[Any, ...] = (
    {"id": "1", "choices": [{"index": 0, "message": {"role": "assistant", "content": "{said}"}, "finish_reason": "stop"}]},
    {"candidates": [{"content": {"parts": [{"text": "{said}"}], "role": "model"}, "finishReason": "STOP"}]},
    {"type": "message", "content": [{"type": "thinking", "thinking": text(DRAFT)}, {"type": "text", "text": "{said}"}]},
    {"output": [{"type": "reasoning", "summary": []}, {"content": [{"type": "output_text", "text": "{said}"}]}]},
    {"model": "m", "reasoning_content": text(DRAFT), "response": "{said}", "done": True},
)  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize(
    "said", ["{}", "Here it is:\n{}\nDone.", "Sure!\n```json\n{}\n```", "<think>{{x}}</think>\n{}"]
)
def test_the_text_of_a_provider_message_is_read_like_a_reply(message: Any, said: str) -> None:
    assert_means(text(message).replace('"{said}"', text(said.replace("{}", text(ROUTE)))), ROUTE)


@pytest.mark.parametrize("message", MESSAGES)
def test_two_answers_in_one_message_are_refused(message: Any) -> None:
    assert_refused(text(message).replace('"{said}"', text(f"{text(ROUTE)} or {text(DRAFT)}")), "router", "")


def test_an_answer_in_a_text_that_is_not_a_message_is_not_extracted() -> None:
    assert_refused(text({"note": f"for example {text(ROUTE)}"}), "router")
    assert_refused(text({"thought": f"for example {text(ROUTE)}", "action": "ROUTE_DECISION"}), "router", "/params")


def test_an_object_inside_an_answer_belongs_to_the_answer() -> None:
    meant = {**SEARCH, "params": {"reviewed": SEARCH}}
    assert_means(text({"output": meant}), meant)


def test_an_answer_next_to_another_nearly_complete_answer_is_ambiguous() -> None:
    assert_refused(text({"a": changed(ROUTE, "/confidence", 150), "b": ROUTE}), "router", "")


FREE = {
    "Level": "LOW", "confidence": "85%", "is_ok": "true", "list": "one", "null": None, "empty": "", "snake_key": 1,
    "big": 123456789012345678901234567890, "s": " x ", "": "empty key", "a/b": 1, "~": 2, "items": [None, 1, None],
    "params": {"params": 1}, "arguments": "x", "risk": {"level": "LOW"},
}  # fmt: skip


@pytest.mark.parametrize("dirt", ["{whole},}}", "```json\n{whole}}}\n```", '{whole}, "userMessage": null}}'])
def test_free_params_are_not_changed(dirt: str) -> None:
    meant = {**SEARCH, "params": FREE}
    assert_means(dirt.format(whole=text(meant)[:-1]), meant)


@pytest.mark.parametrize("written", ["NaN", "5 or 6", "", "<n>", "3 + 2", "5 items", "len(x)", "2024-01-02", "5%"])
def test_an_invalid_value_in_free_params_is_refused(written: str) -> None:
    assert_refused(swapped(SEARCH, '"top_k": 5', f'"top_k": {written}'), "executor", "/params/top_k")
