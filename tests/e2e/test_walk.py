"""`promptpack run`: the six agents with the scripted model and with a real server on loopback."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import Finished, run, run_process
from tests.e2e.loopback import Answer, Loopback, Received, openai_answer

pytestmark = pytest.mark.usefixtures("no_certificates")
SCRIPTS = Path(__file__).parents[2] / "promptpack" / "cli" / "demo"
STEPS = (
    "understanding", "router", "planner", "reviewer", "executor", "reviewer", "executor", "reviewer", "orchestrator",
)  # fmt: skip


def openai(server: Loopback) -> list[str]:
    address = f"{server.address}/v1"
    return ["run", "--provider", "openai", "--base-url", address, "--model", "any", "--api-key", "none"]


def completion(reply: Any) -> Answer:
    return openai_answer(reply if isinstance(reply, str) else json.dumps(reply))


def script(locale: str = "en") -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((SCRIPTS / f"script.{locale}.yaml").read_text("utf-8"))
    return loaded


def answers_of_the_script() -> list[Answer]:
    replies = script()["replies"]
    loop = [reply for pair in zip(replies["executor"], replies["review of the result"], strict=True) for reply in pair]
    before = ("understanding", "router", "planner", "review of the plan")
    in_order = [*(reply for step in before for reply in replies[step]), *loop, *replies["orchestrator"]]
    return [completion(reply) for reply in in_order]


@pytest.mark.parametrize(("start", "locale"), [(run, "en"), (run_process, "zh-CN")])
def test_the_scripted_run_corrects_one_reply_and_calls_a_tool(
    tmp_path: Path, start: Callable[..., Finished], locale: str
) -> None:
    done = start(tmp_path, "run", "--locale", locale)

    assert done.returncode == 0, done.stderr
    titles = [line for line in done.stdout.splitlines() if line.startswith("──")]
    assert [title.split()[2].removesuffix("-agent:") for title in titles] == list(STEPS)
    assert done.stdout.count("verdict    invalid\n") == 1
    assert done.stdout.count("correction ") == 1
    assert 'tool       {"high": 2, "low": 1, "medium": 1}\n' in done.stdout
    assert done.stdout.endswith("every reply meets its contract\n")
    assert "\x1b" not in done.stdout


def test_packs_without_a_flow_are_not_used(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    done = run(tmp_path, "run")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_real_server_is_asked_for_every_reply(tmp_path: Path) -> None:
    answers = answers_of_the_script()
    with Loopback(answers) as server:
        done = run(tmp_path, *openai(server))

    assert done.returncode == 0, done.stderr
    assert len(server.received) == len(answers) == len(STEPS) + 1
    assert {request.path for request in server.received} == {"/v1/chat/completions"}
    assert server.received[0].body["messages"][0]["role"] == "system"
    assert done.stdout.endswith("every reply meets its contract\n")


def test_the_run_stops_when_an_agent_needs_clarification(tmp_path: Path) -> None:
    def ask_back(_: Received) -> Answer:
        reply = {
            "thought": "Which week is meant?",
            "action": "CLARIFICATION_REQUIRED",
            "params": {"question": "Which week?"},
            "expectedOutcome": "The user says which week",
            "risk": {"level": "low", "description": "One more question"},
            "confidence": 90,
        }
        return completion(reply)

    with Loopback(ask_back) as server:
        done = run(tmp_path, *openai(server))

    assert done.returncode == 1
    assert done.stdout.endswith("the run stopped: step 'understanding' answered CLARIFICATION_REQUIRED: Which week?\n")
    assert "Traceback" not in done.stderr


def test_a_rejected_plan_is_planned_again(tmp_path: Path) -> None:
    replies = script()["replies"]
    params = {"approved": False, "score": 20, "feedback": "No.", "requiredFixes": ["Name the week"]}
    rejection = {**replies["review of the plan"][0], "params": params}
    plan = replies["planner"][-1]
    answers = [*replies["understanding"], *replies["router"], plan, rejection, plan, rejection, plan, rejection]
    stop = replies["orchestrator"][0]
    stop = {**stop, "params": {**stop["params"], "fromPhase": "planning"}}
    with Loopback([*map(completion, answers), completion(stop)]) as server:
        done = run(tmp_path, *openai(server))

    assert (done.returncode, done.stderr) == (0, "")
    titles = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("──")]
    assert titles[2:] == ["planner-agent:", "reviewer-agent:"] * 3 + ["orchestrator-agent:"]
    assert "Name the week" in server.received[4].body["messages"][-1]["content"]


def test_the_run_stops_when_no_reply_is_valid(tmp_path: Path) -> None:
    with Loopback(lambda _: completion("no")) as server:
        done = run(tmp_path, *openai(server), "--rounds", "2")

    assert done.returncode == 1
    assert done.stdout.endswith("the run stopped: no reply of step 'understanding' meets its contract\n")


def test_the_error_for_a_missing_package_shows_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    done = run(tmp_path, "run", "--provider", "openai", "--model", "any")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("PP601 the package 'openai' is not installed\n  hint: run: python -m pip install openai\n")


FLOW = """\
flow: 1
steps:
  ask:
    pack: solo@^1
    inputs: {QUESTION: given}
    limit: 2
    next: {by: /params/clear, to: {true: end, false: ask}}
"""
SOLO = """\
promptpack: 1
name: solo
version: 1.0.0
inputs: {QUESTION: {type: string}}
messages: [{role: user, content: "{{ QUESTION }} {{ reply_format }}"}]
reply: {actions: {DONE: {params: {type: object, required: [clear], properties: {clear: {type: boolean}}}}}}
"""
REPLY = """\
- thought: t
  action: DONE
  params: {{clear: {clear}}}
  expectedOutcome: o
  risk: {{level: low, description: none}}
  confidence: 90
  requiresUserConfirmation: {asks}
"""


@pytest.fixture
def own_flow(tmp_path: Path) -> Path:
    (tmp_path / "packs" / "solo").mkdir(parents=True)
    (tmp_path / "packs" / "solo" / "1.0.0.yaml").write_text(SOLO, encoding="utf-8")
    (tmp_path / "packs" / "flow.yaml").write_text(FLOW, encoding="utf-8")
    return tmp_path


def write_replies(folder: Path, *replies: tuple[str, str]) -> None:
    items = "".join(REPLY.format(clear=clear, asks=asks) for clear, asks in replies)
    (folder / "replies.yaml").write_text("ask:\n" + items, encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "replies", "code", "end"),
    [
        ([], [("false", "false"), ("true", "false")], 0, "every reply meets its contract\n"),
        ([], [("false", "false")] * 2, 1, "the run stopped: step 'ask' has reached its limit of 2 visits\n"),
        (["--yes"], [("false", "true"), ("true", "true")], 0, "every reply meets its contract\n"),
        ([], [("3", "false")], 1, "the run stopped: no reply of step 'ask' meets its contract\n"),
        ([], [("true", "true")], 1, "the run stopped: it waits for the user; --yes confirms every step\n"),
    ],
)
def test_your_own_flow_runs_with_your_values_and_replies(
    own_flow: Path, options: list[str], replies: list[tuple[str, str]], code: int, end: str
) -> None:
    write_replies(own_flow, *replies)
    done = run(own_flow, "run", "--set", "QUESTION=What now?", "--replies", "replies.yaml", *options)
    assert (done.returncode, done.stderr) == (code, "")
    assert "What now?" in done.stdout
    assert done.stdout.endswith(end)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--set", "QESTION=x"], 2, "PP414 the flow has no input 'QESTION'\n  hint: did you mean 'QUESTION'?\n"),
        (
            [],
            1,
            "PP723 step 'ask' needs a value for 'QUESTION': 'QUESTION' is not given\n"
            "  hint: pass it as a given value\n",
        ),
        (
            ["--set", "QUESTION=x"],
            2,
            "PP908 the scripted model has no reply for 'ask'\n"
            "  hint: add it to --replies FILE, or use a real model: --provider openai --model NAME\n",
        ),
        (
            ["--set", "QUESTION=x", "--provider", "anthropic"],
            2,
            "PP906 --provider anthropic needs a model\n  hint: add --model NAME\n",
        ),
    ],
)
def test_a_flow_says_what_it_lacks(own_flow: Path, options: list[str], code: int, message: str) -> None:
    done = run(own_flow, "run", *options)
    assert (done.returncode, done.stderr) == (code, message)
