import json
import pickle
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from promptpack import AgentOutput, Pack, ReplyError, UsageError, Verdict
from promptpack.cycle import Completion

MakePack = Callable[[str], Pack]

BODY = """\
locale: en
inputs:
  LIMIT: {type: integer, default: 3}
  TOKEN: {type: string, default: "", secret: true}
messages:
  - {role: user, content: hi}
reply:
  actions:
    PLAN:
      params:
        type: object
        required: [steps]
        properties: {steps: {type: array, minItems: 1, items: {type: string}}}
  rules:
    - name: few-steps
      when: reply.action == "PLAN"
      path: /params/steps
      require: reply.params.steps | length <= LIMIT
      message: at most {{ LIMIT }} steps
    - {name: no-doubt, path: /confidence, require: reply.confidence > 10, message: be surer}
"""
GOOD: dict[str, Any] = {
    "thought": "t",
    "action": "PLAN",
    "params": {"steps": ["a", "b"]},
    "expectedOutcome": "o",
    "risk": {"level": "low", "description": "d"},
    "confidence": 85,
}


def reply(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


def violations_of(verdict: Verdict) -> list[str]:
    return [f"{violation.code} {violation.path} {violation.rule}" for violation in verdict.violations]


def test_unknown_keys_stay_in_the_data_and_are_listed(make_pack: MakePack) -> None:
    risk = {**GOOD["risk"], "a/b": {"deep": 1}}
    text = "So: " + reply(note=[{"x": 1}], risk=risk, params={"steps": ["a"], "why": None})
    verdict = make_pack(BODY).render().check(text)
    assert verdict.outcome == "recovered"
    assert verdict.extras == ("/params/why", "/risk/a~1b", "/note")
    assert verdict.data is not None
    assert verdict.data["note"] == [{"x": 1}]
    assert replace(verdict, outcome="valid").extras == verdict.extras
    assert replace(deepcopy(verdict), outcome="valid").extras == verdict.extras
    assert pickle.loads(pickle.dumps(verdict)) == verdict == deepcopy(verdict)  # noqa: S301 -- our own pickle


def test_a_reply_that_violates_a_rule_lists_unknown_keys_too(make_pack: MakePack) -> None:
    verdict = make_pack(BODY).render().check(reply(confidence=1, note=1))
    assert violations_of(verdict) == ["PP520 /confidence no-doubt"]
    assert verdict.extras == ("/note",)


@pytest.mark.parametrize("extra", [{"user_message": 5}, {"alternative_actions": "a"}, {"expected_outcome": 7}])
def test_a_key_that_resembles_a_field_is_an_unknown_key(extra: dict[str, Any], make_pack: MakePack) -> None:
    verdict = make_pack(BODY).render().check(reply(**extra))
    assert verdict.extras == tuple(f"/{key}" for key in extra)
    assert verdict.output.to_wire() == verdict.data == GOOD | extra
    assert verdict.output.user_message is None


def test_unknown_keys_are_searched_on_first_use(make_pack: MakePack) -> None:
    with patch("promptpack.reply.find_extras", side_effect=lambda _, __: ("/x",)) as found:
        verdict = make_pack(BODY).render().check(reply())
        found.assert_not_called()
        assert verdict.extras == verdict.extras == ("/x",)
    found.assert_called_once()


def test_half_of_a_surrogate_pair_is_a_violation(make_pack: MakePack) -> None:
    raw = reply(thought="t", userMessage="?").replace("?", "\ud800")
    assert violations_of(make_pack(BODY).render().check(raw)) == ["PP509 /userMessage surrogate"]


def test_a_clean_reply_is_valid_and_typed(make_pack: MakePack) -> None:
    verdict = make_pack(BODY).render().check(reply(userMessage="u", extra=1))
    assert verdict.ok
    assert verdict.outcome == "valid"
    assert isinstance(verdict.output, AgentOutput)
    assert verdict.output.expected_outcome == "o"
    assert verdict.output.params["steps"] == ["a", "b"]
    assert verdict.output.to_wire() == {**GOOD, "userMessage": "u", "extra": 1}
    assert (verdict.repairs, verdict.correction, verdict.error_output) == ((), "", None)


@pytest.mark.parametrize("wrap", ["```json\n{}\n```", "Here it is:\n{}\nDone.", "```\n{}\n```", "  {}\n"])
def test_a_fence_or_prose_around_the_object_is_recovered_and_listed(make_pack: MakePack, wrap: str) -> None:
    verdict = make_pack(BODY).check(wrap.replace("{}", reply()))
    assert verdict.ok
    assert verdict.data == GOOD


def test_repairs_are_listed(make_pack: MakePack) -> None:
    verdict = make_pack(BODY).check(reply(confidence="85"))
    assert verdict.outcome == "recovered"
    assert [repair.path for repair in verdict.repairs] == ["/confidence"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (reply(action="PLN"), ["PP512 /action enum"]),
        (reply(confidence=150), ["PP513 /confidence maximum"]),
        (reply(params={"steps": []}), ["PP515 /params/steps minItems"]),
        (reply(params={}), ["PP510 /params/steps required"]),
        (reply(risk={"level": "huge", "description": "d"}), ["PP512 /risk/level enum"]),
        (reply(thought=["t"]), ["PP511 /thought type"]),
        (reply(action="ERROR", params={"message": "m"}), ["PP510 /params/errorType required"]),
        (reply(action="CLARIFICATION_REQUIRED", params={}), ["PP510 /params/question required"]),
        (reply(params={"steps": ["a"] * 4}), ["PP520 /params/steps few-steps"]),
        (reply(params={"steps": ["a"] * 4}, confidence=1), ["PP520 /params/steps few-steps", "PP520 /confidence no-doubt"]),
        ("I cannot do that.", ["PP501  no_json"]),
        ("", ["PP501  no_json"]),
        (reply() + reply(thought="other"), ["PP502  ambiguous"]),
    ],
)  # fmt: skip
def test_a_violation_has_a_code_a_path_and_a_rule(make_pack: MakePack, raw: str, expected: list[str]) -> None:
    verdict: Any = make_pack(BODY).render().check(raw)
    assert not verdict.ok
    assert verdict.output is None
    assert violations_of(verdict) == expected


def test_a_reply_that_is_cut_off_is_truncated(make_pack: MakePack) -> None:
    verdict = make_pack(BODY).render().check(reply()[:40])
    assert not verdict.ok
    assert verdict.outcome == "truncated"


@pytest.mark.parametrize("action", ["ERROR", "ESCALATE"])
def test_the_standard_error_actions_are_always_allowed(make_pack: MakePack, action: str) -> None:
    params = {"errorType": "tool_unavailable", "message": "m"}
    assert make_pack(BODY).render().check(reply(action=action, params=params)).ok


def test_a_clarification_accepts_a_question_or_the_error_form(make_pack: MakePack) -> None:
    prompt = make_pack(BODY).render()
    for params in ({"question": "which?"}, {"errorType": "context_missing", "message": "m"}):
        assert prompt.check(reply(action="CLARIFICATION_REQUIRED", params=params)).ok


def test_a_failed_verdict_has_a_correction_and_a_standard_error(make_pack: MakePack) -> None:
    verdict = make_pack(BODY).render().check(reply(confidence=150, action="PLN"))
    assert verdict.correction == (
        "Your last reply breaks the output contract. Fix only the following and resend the JSON object:\n"
        "- /action: must be one of PLAN, ERROR, CLARIFICATION_REQUIRED, ESCALATE\n"
        "- /confidence: must be at most 100"
    )
    assert verdict.error_output is not None
    assert verdict.error_output.action == "ERROR"
    assert verdict.error_output.params["errorType"] == "parse_error"
    assert make_pack(BODY).check(json.dumps(verdict.error_output.to_wire())).ok


def test_the_correction_is_in_the_language_of_the_pack(make_pack: MakePack) -> None:
    verdict = make_pack(BODY.replace("locale: en", "locale: zh-CN")).render().check(reply(confidence=150, thought=1))
    assert verdict.correction == (
        "上一次的回复不符合输出契约。只修正下列问题，然后重新输出 JSON 对象：\n"
        "- /confidence: 不能大于 100\n- /thought: 必须是文本"
    )


def test_a_pack_can_have_its_own_correction(make_pack: MakePack) -> None:
    body = BODY + '  correction: "{% for v in violations %}{{ v.code }} {{ v.path }}{% endfor %}"\n'
    assert make_pack(body).render().check(reply(confidence=150)).correction == "PP513 /confidence"


def test_rules_that_need_a_missing_context_are_listed(make_pack: MakePack) -> None:
    verdict = make_pack(BODY).check(reply(params={"steps": ["a"] * 9}))
    assert verdict.ok
    assert verdict.unchecked == ("few-steps",)


def test_a_rule_that_cannot_be_evaluated_is_a_violation(make_pack: MakePack) -> None:
    body = BODY + "    - {name: odd, require: reply.params.nope > 1, message: m}\n"
    verdict = make_pack(body).render().check(reply())
    assert [str(violation) for violation in verdict.violations] == [
        "PP521 (reply): rule 'odd' cannot be evaluated: a mapping has no key 'nope'"
    ]


def test_the_message_of_a_rule_cannot_contain_a_secret(body_with_secret: str, make_pack: MakePack) -> None:
    from promptpack import PackError

    with pytest.raises(PackError, match="PP301 template uses undeclared input 'TOKEN'"):
        make_pack(body_with_secret)


@pytest.fixture
def body_with_secret() -> str:
    return BODY + "    - {name: leak, require: 'false', message: '{{ TOKEN }}'}\n"


@pytest.mark.parametrize("before", ["", "x" * 190])
def test_a_refusal_shows_no_part_of_a_secret(make_pack: MakePack, before: str) -> None:
    said = Completion(f"{before} hunter2  is  the  key", finish_reason="content_filter")
    verdict = make_pack(BODY).check(said, {"TOKEN": "hunter2  is  the  key"})
    assert [found.message for found in verdict.violations] == [
        f"the model refused to answer: {before} ***".replace("  ", " ")
    ]


def test_strict_allows_no_repairs(make_pack: MakePack) -> None:
    pack = make_pack(BODY)
    assert pack.check(reply(), strict=True).ok
    assert not pack.check(f"```json\n{reply()}\n```", strict=True).ok


def test_raise_for_failure_raises_the_violations(make_pack: MakePack) -> None:
    pack = make_pack(BODY)
    pack.check(reply()).raise_for_failure()
    with pytest.raises(ReplyError, match="PP513 /confidence: must be at most 100, not 150"):
        pack.check(reply(confidence=150)).raise_for_failure()


def test_a_pack_without_a_contract_cannot_judge(make_pack: MakePack) -> None:
    with pytest.raises(UsageError, match=r"PP530 demo@1.0.0 declares no reply contract"):
        make_pack("messages:\n  - {role: user, content: hi}\n").check("{}")


TOOLS = """\
inputs:
  AVAILABLE_TOOLS: {type: array, default: []}
messages:
  - {role: user, content: hi}
reply: {tools: AVAILABLE_TOOLS}
"""
SEARCH = {"type": "object", "required": ["query"], "properties": {"query": {"type": "string"}}}


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "search", "description": "d", "parameters": SEARCH},
        {"type": "function", "function": {"name": "search", "parameters": SEARCH}},
        {"name": "search", "input_schema": SEARCH},
        {"name": "search", "inputSchema": SEARCH},
    ],
)
def test_a_tool_is_an_action_and_its_schema_checks_the_params(make_pack: MakePack, tool: dict[str, Any]) -> None:
    prompt = make_pack(TOOLS).render(AVAILABLE_TOOLS=[tool])
    assert prompt.check(reply(action="search", params={"query": "q"})).ok
    assert violations_of(prompt.check(reply(action="search", params={}))) == ["PP510 /params/query required"]
    assert violations_of(prompt.check(reply(action="serch", params={"query": "q"}))) == ["PP512 /action enum"]


def test_a_tool_in_the_flat_style_accepts_any_params(make_pack: MakePack) -> None:
    prompt = make_pack(TOOLS).render(AVAILABLE_TOOLS=[{"name": "f", "parameters": {"a": "int"}}])
    assert prompt.check(reply(action="f", params={"whatever": 1})).ok


@pytest.mark.parametrize("reference", ["#/$defs/any", "#/anyOf/1", "#"])
def test_the_parameters_of_a_tool_may_refer_to_any_part_of_them(make_pack: MakePack, reference: str) -> None:
    parameters = {
        "type": "object",
        "anyOf": [True, {}],
        "$defs": {"any": True},
        "properties": {"a": {"$ref": reference}},
    }
    prompt = make_pack(TOOLS).render(AVAILABLE_TOOLS=[{"name": "f", "parameters": parameters}])
    assert prompt.check(reply(action="f", params={"a": {}})).ok


def test_tools_are_read_once_and_never_confused(make_pack: MakePack) -> None:
    pack = make_pack(TOOLS)
    sets = [[{"name": f"tool{number}", "parameters": SEARCH}] for number in range(40)]
    for _ in range(2):
        for number, tools in enumerate(sets):
            prompt = pack.render(AVAILABLE_TOOLS=tools)
            assert prompt.check(reply(action=f"tool{number}", params={"query": "q"})).ok
            assert not prompt.check(reply(action=f"tool{number + 1}", params={"query": "q"})).ok
    with patch("promptpack.prompt.tool_actions.read_tool_actions") as reading:
        assert pack.check(reply(action="tool39", params={"query": "q"}), {"AVAILABLE_TOOLS": sets[-1]}).ok
    reading.assert_not_called()


def test_without_a_context_any_tool_name_is_accepted(make_pack: MakePack) -> None:
    assert make_pack(TOOLS).check(reply(action="some.tool", params={})).ok


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ([{"parameters": {}}], "PP417 tool 1 of 'AVAILABLE_TOOLS' has no name"),
        ([{"name": "f", "parameters": {"type": "objct", "properties": {}}}], "PP417 the parameters of tool 1"),
        ([{"name": "f", "parameters": {"type": "object", "properties": {"a": {"$ref": "http://x"}}}}], "is not local"),
        (
            [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"$ref": "#/b"}}}}],
            "'#/b' has no target",
        ),
        ([{"name": "f", "parameters": {"type": "object", "properties": {"a": {"$ref": "#b"}}}}], "'#b' has no target"),
    ],
)
def test_unusable_tools_are_reported(make_pack: MakePack, tools: list[Any], expected: str) -> None:
    from promptpack import ContextError

    with pytest.raises(ContextError, match=expected):
        make_pack(TOOLS).render(AVAILABLE_TOOLS=tools).check(reply())


def test_the_output_is_created_on_first_use_and_pickled_with_the_verdict(make_pack: MakePack) -> None:
    verdict = make_pack(TOOLS).check(reply())
    for copy in (deepcopy(verdict), replace(verdict, outcome="valid"), replace(deepcopy(verdict), outcome="valid")):
        assert copy == verdict
        assert copy.output == AgentOutput.model_validate(verdict.data)
    assert verdict.output is verdict.output
    assert repr(verdict) == "Verdict(valid)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"refuse": 5}, "'refuse' is 5, not a collection of names\n  hint: the risks are none, low, medium, high"),
        (
            {"refuse": "high"},
            "'refuse' is 'high', not a collection of names\n  hint: the risks are none, low, medium, high",
        ),
        ({"refuse": [[]]}, "unknown repair or risk '[]'\n  hint: the risks are none, low, medium, high"),
    ],
)
def test_options_of_other_types_are_refused(make_pack: MakePack, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_pack(BODY).check(reply(), **options)
    assert str(caught.value) == f"PP531 {message}"
