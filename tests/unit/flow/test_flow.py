"""Runs of a flow: routes, loops, limits, items, waiting for the user, storing and resuming."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library
from promptpack.cycle import Completion
from promptpack.flow import Flow, FlowRun, Visit
from promptpack.problem import ContextError, PackError, PromptpackError, UsageError
from promptpack.prompt.message import ToolCall

PLANNER = """\
inputs:
  GOAL: {type: string, description: The goal.}
  KEY: {type: string, default: "", secret: true, description: A key.}
  FEEDBACK: {type: string, default: "", description: Remarks.}
messages: [{role: user, content: "{{ GOAL }} {{ FEEDBACK }} {{ reply_format }}"}]
reply:
  actions:
    PLAN:
      params: {type: object, required: [tasks], properties: {tasks: {type: array, items: {type: string}}}}
"""
REVIEWER = """\
inputs: {PLAN: {type: array, description: The tasks.}}
messages: [{role: user, content: "{{ PLAN }} {{ reply_format }}"}]
reply:
  actions:
    REVIEW:
      params: {type: object, required: [ok, remark], properties: {ok: {type: boolean}, remark: {type: string}}}
"""
WORKER = """\
inputs: {TASK: {type: string, description: One task.}}
messages: [{role: user, content: "{{ TASK }} {{ reply_format }}"}]
reply:
  actions:
    DONE: {params: {type: object}}
    FAILED: {params: {type: object}}
"""
FLOW = """\
flow: 1
steps:
  plan:
    pack: planner@^1
    inputs:
      GOAL: given
      KEY: given
      FEEDBACK: {first: [{from: review, action: REVIEW, path: /params/remark}, {value: ""}]}
    limit: 2
    next: review
  review:
    pack: reviewer@^1
    action: REVIEW
    inputs: {PLAN: {from: plan, action: PLAN, path: /params/tasks}}
    next: {by: /params/ok, to: {true: work, false: plan}, over: end}
  work:
    pack: worker@^1
    inputs: {TASK: {from: plan, action: PLAN, path: /params/tasks, item: next}}
    limit: 5
    next: {by: /action, to: {DONE: work, FAILED: plan}, done: end}
"""


@pytest.fixture
def open_flow(write_pack: Callable[..., Path], tmp_path: Path) -> Callable[..., Flow]:
    """Return a function that opens the flow above, with texts replaced."""

    def open_changed(*changes: tuple[str, str]) -> Flow:
        for name, body in (("planner", PLANNER), ("reviewer", REVIEWER), ("worker", WORKER)):
            write_pack(name, body=body)
        text = FLOW
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "packs" / "flow.yaml").write_text(text, encoding="utf-8")
        return Library.open(str(tmp_path / "packs")).flow()

    return open_changed


def reply(run: FlowRun, action: str, params: Mapping[str, Any], given: Any = None, **more: Any) -> FlowRun:
    step = run.next()
    assert step is not None
    risk = {"level": "low", "description": "none"}
    whole = {"thought": "t", "action": action, "params": params, "expectedOutcome": "o", "risk": risk, "confidence": 9}
    return run.took(step.render().check(json.dumps(whole | more)), given)


def plan(run: FlowRun, *tasks: str, **more: Any) -> FlowRun:
    return reply(run, "PLAN", {"tasks": list(tasks)}, **more)


def review(run: FlowRun, ok: bool, remark: str = "") -> FlowRun:
    return reply(run, "REVIEW", {"ok": ok, "remark": remark})


def contexts(run: FlowRun) -> dict[str, Any]:
    step = run.next()
    return {} if step is None else {step.name: dict(step.context)}


def start(flow: Flow) -> FlowRun:
    return flow.start({"GOAL": "g", "KEY": "k"})


def test_a_boolean_decides_and_the_feedback_of_the_review_comes_back(open_flow: Callable[..., Flow]) -> None:
    run = start(open_flow())
    assert contexts(run) == {"plan": {"GOAL": "g", "KEY": "k", "FEEDBACK": ""}}
    run = plan(run, "a")
    assert contexts(run) == {"review": {"PLAN": ["a"]}}
    run = review(run, False, "too short")
    assert contexts(run) == {"plan": {"GOAL": "g", "KEY": "k", "FEEDBACK": "too short"}}
    run = review(plan(run, "a", "b"), True)
    assert contexts(run) == {"work": {"TASK": "a"}}


def test_each_visit_takes_the_next_item_until_none_is_left(open_flow: Callable[..., Flow]) -> None:
    run = review(plan(start(open_flow()), "a", "b"), True)
    run = reply(run, "DONE", {})
    assert contexts(run) == {"work": {"TASK": "b"}}
    run = reply(run, "DONE", {})
    assert run.ended
    assert run.problem is None
    assert run.next() is None
    assert [visit.step for visit in run.visits] == ["plan", "review", "work", "work"]


def test_a_new_list_starts_at_its_first_item(open_flow: Callable[..., Flow]) -> None:
    run = review(plan(start(open_flow()), "a", "b"), True)
    run = review(plan(reply(run, "FAILED", {}), "c"), True)
    assert contexts(run) == {"work": {"TASK": "c"}}


def test_an_empty_list_is_done_at_once(open_flow: Callable[..., Flow]) -> None:
    run = review(plan(start(open_flow())), True)
    assert run.ended
    assert run.problem is None


def test_over_replaces_a_step_that_has_reached_its_limit(open_flow: Callable[..., Flow]) -> None:
    run = review(plan(review(plan(start(open_flow()), "a"), False), "a"), False)
    assert (run.ended, run.problem, run.limited_step) == (True, None, "plan")


def test_a_run_that_reaches_its_end_has_no_limited_step(open_flow: Callable[..., Flow]) -> None:
    run = start(open_flow(("to: {true: work, false: plan}", "to: {true: end, false: work}")))
    run = review(plan(run, "a"), True)
    assert (run.ended, run.problem, run.limited_step) == (True, None, "")


def test_a_limit_without_over_ends_the_run_with_a_problem(open_flow: Callable[..., Flow]) -> None:
    run = review(plan(review(plan(start(open_flow((", over: end", ""))), "a"), False), "a"), False)
    assert str(run.problem) == "PP724 step 'plan' has reached its limit of 2 visits"
    assert run.next() is None


def test_a_reply_that_asks_the_user_waits(open_flow: Callable[..., Flow]) -> None:
    run = plan(start(open_flow()), "a", requiresUserConfirmation=True)
    assert run.waits_for_user
    with pytest.raises(UsageError, match="PP726 the run waits for the user after 'plan'"):
        run.next()
    with pytest.raises(UsageError, match="PP726 the run waits for the user, so it cannot take a verdict"):
        run.took(None)  # type: ignore[arg-type]
    assert contexts(run.answered(True)) == {"review": {"PLAN": ["a"]}}
    declined = run.answered(False)
    assert str(declined.problem) == "PP725 the user declined step 'plan'"
    with pytest.raises(UsageError, match="PP726 the run does not wait for the user"):
        declined.answered(True)
    with pytest.raises(UsageError, match="PP726 the run has ended"):
        declined.took(None)  # type: ignore[arg-type]


def test_a_stored_run_continues_without_its_secrets(open_flow: Callable[..., Flow]) -> None:
    flow = open_flow()
    row = json.loads(json.dumps(plan(start(flow), "a", requiresUserConfirmation=True).to_dict()))
    assert row["given"] == {"GOAL": "g"}
    run = review(flow.resume(row, answer=True), False, "no")
    with pytest.raises(ContextError, match="PP723 step 'plan' needs a value for 'KEY': 'KEY' is not given"):
        run.next()
    run = review(flow.resume(row, answer=True, given={"KEY": "k"}), False, "no")
    assert contexts(run) == {"plan": {"GOAL": "g", "KEY": "k", "FEEDBACK": "no"}}
    assert flow.resume(json.loads(json.dumps(run.to_dict())), given={"KEY": "k"}) == run


def test_a_problem_is_stored_too(open_flow: Callable[..., Flow]) -> None:
    flow = open_flow()
    run = plan(start(flow), "a", requiresUserConfirmation=True).answered(False)
    assert flow.resume(run.to_dict(), given={"KEY": "k"}).problem == run.problem


def test_a_run_of_another_flow_is_refused(open_flow: Callable[..., Flow]) -> None:
    row = start(open_flow()).to_dict()
    other = open_flow(("limit: 5", "limit: 6"))
    with pytest.raises(UsageError, match=r"PP727 the stored run belongs to another flow: 'sha256:\w+', not 'sha256:"):
        other.resume(row)


@pytest.mark.parametrize(
    ("action", "params", "message"),
    [
        ("ERROR", {"errorType": "context_missing", "message": "no goal"}, "PP725 step 'plan' answered ERROR: no goal"),
        (
            "CLARIFICATION_REQUIRED",
            {"question": "Which goal?"},
            "PP725 step 'plan' answered CLARIFICATION_REQUIRED: Which goal?",
        ),
    ],
)
def test_an_error_action_ends_the_run(open_flow: Callable[..., Flow], action: str, params: Any, message: str) -> None:
    run = reply(start(open_flow()), action, params)
    assert (str(run.problem), run.ended) == (message, True)


def test_an_error_action_may_have_a_route(open_flow: Callable[..., Flow]) -> None:
    flow = open_flow(("FAILED: plan}", "FAILED: plan, ERROR: plan}"))
    run = review(plan(start(flow), "a"), True)
    run = reply(run, "ERROR", {"errorType": "tool_unavailable", "message": "no tool"})
    assert "plan" in contexts(run)


def test_another_action_than_that_of_the_step_ends_the_run(open_flow: Callable[..., Flow]) -> None:
    flow = open_flow(
        (
            "limit: 5\n    next: {by: /action, to: {DONE: work, FAILED: plan}",
            "action: DONE\n    limit: 5\n    next: {to: work",
        )
    )
    run = reply(review(plan(start(flow), "a"), True), "FAILED", {})
    assert str(run.problem) == "PP725 step 'work' took the action 'FAILED' instead of 'DONE'"


def test_a_refused_reply_ends_the_run(open_flow: Callable[..., Flow]) -> None:
    run = start(open_flow())
    step = run.next()
    assert step is not None
    ended = run.took(step.render().check("no JSON"))
    assert str(ended.problem) == "PP725 no reply of step 'plan' meets its contract"
    assert run.problem is None


def test_given_values_may_come_later_and_are_named_when_they_are_unknown(open_flow: Callable[..., Flow]) -> None:
    flow = open_flow(("{PLAN: {from: plan, action: PLAN, path: /params/tasks}}", "{PLAN: {given: steps, path: /list}}"))
    with pytest.raises(ContextError, match=r"PP723 the flow has no given value 'GOLA'\n  hint: did you mean 'GOAL'\?"):
        flow.start({"GOLA": "g"})
    run = plan(start(flow), "a", given={"steps": {"list": ["x"]}})
    assert contexts(run) == {"review": {"PLAN": ["x"]}}
    run = plan(start(flow), "a", given={"steps": {}})
    with pytest.raises(ContextError, match="PP723 step 'review' needs a value for 'PLAN': there is no '/list' in it"):
        run.next()


def test_a_verdict_that_changes_later_does_not_change_the_run(open_flow: Callable[..., Flow]) -> None:
    run = start(open_flow())
    step = run.next()
    assert step is not None
    whole = {"thought": "t", "action": "PLAN", "params": {"tasks": ["a"]}, "expectedOutcome": "o"}
    verdict = step.render().check(json.dumps(whole | {"risk": {"level": "low", "description": ""}, "confidence": 1}))
    after = run.took(verdict)
    verdict.data["params"]["tasks"].append("forged")
    assert contexts(after) == {"review": {"PLAN": ["a"]}}


def test_a_flow_with_problems_is_refused(open_flow: Callable[..., Flow]) -> None:
    with pytest.raises(PackError, match="PP713 no step named 'reviw'"):
        open_flow(("next: review", "next: reviw"))


def test_a_library_without_a_flow_says_so(write_pack: Callable[..., Path], tmp_path: Path) -> None:
    write_pack("planner", body=PLANNER)
    with pytest.raises(PromptpackError, match=r"PP907 there is no flow\.yaml\n  hint: create one next to the packs"):
        Library.open(str(tmp_path / "packs")).flow()


def test_a_native_tool_call_is_a_reply_whose_action_is_the_tool() -> None:
    flow = Library.open().flow(locale="en")
    tool = {"name": "count", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    executor = flow.packs["executor"].render(AVAILABLE_TOOLS=[tool], TASK_CONTEXT={"goal": "x"})
    run = replace(flow.start({"USER_INPUT": "x"}), at="executor")
    one = executor.check(Completion(tool_calls=(ToolCall("c1", "count", '{"n": 2}'),)))
    assert run.took(one).visits[-1] == Visit("executor", {"action": "count", "params": {"n": 2}})
    calls = (ToolCall("c1", "count", "{}"), ToolCall("c2", "count", "{}"))
    ended = run.took(executor.check(Completion(tool_calls=calls)))
    assert str(ended.problem) == "PP725 step 'executor' called 2 tools at once"


def test_a_step_takes_only_verdicts() -> None:
    row: Any = {"ok": True}
    with pytest.raises(UsageError) as caught:
        Library.open().flow(locale="en").start({"USER_INPUT": "x"}).took(row)
    assert str(caught.value) == (
        "PP534 a step takes a verdict, not a value of type 'dict'\n  hint: check the reply with the prompt of the step"
    )
