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
SCRIPTS = Path(__file__).parents[2] / "promptpack" / "cli" / "walk"
STEPS = ("understanding", "router", "planner", "reviewer", "executor", "reviewer", "orchestrator")


def openai(server: Loopback) -> list[str]:
    return ["run", "--provider", "openai", "--base-url", f"{server.address}/v1", "--model", "any"]


def completion(reply: Any) -> Answer:
    return openai_answer(reply if isinstance(reply, str) else json.dumps(reply))


def script(locale: str = "en") -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((SCRIPTS / f"script.{locale}.yaml").read_text("utf-8"))
    return loaded


def answers_of_the_script() -> list[Answer]:
    return [completion(reply) for replies in script()["replies"].values() for reply in replies]


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
    assert done.stdout.endswith("the run stopped: the agent answered CLARIFICATION_REQUIRED: Which week?\n")
    assert "Traceback" not in done.stderr


def test_the_run_stops_when_the_reviewer_rejects_the_work(tmp_path: Path) -> None:
    replies = script()["replies"]
    params = {"approved": False, "score": 20, "feedback": "No.", "requiredFixes": ["Name the week"]}
    rejection = {**replies["review of the plan"][0], "params": params}
    answers = [*replies["understanding"], *replies["router"], replies["planner"][-1], rejection]
    with Loopback([completion(answer) for answer in answers]) as server:
        done = run(tmp_path, *openai(server))

    assert done.returncode == 1
    assert done.stdout.endswith("the run stopped: the reviewer rejected the work\n")


def test_the_run_stops_when_no_reply_is_valid(tmp_path: Path) -> None:
    with Loopback(lambda _: completion("no")) as server:
        done = run(tmp_path, *openai(server), "--rounds", "2")

    assert done.returncode == 1
    assert done.stdout.endswith("the run stopped: no reply met the contract\n")


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
  {step}:
    pack: solo@^1
    title: alone
    inputs: {{{name}: given}}
    next: end
"""
SOLO = """\
promptpack: 1
name: solo
version: 1.0.0
inputs: {{{name}: {{type: string}}}}
messages: [{{role: user, content: "{{{{ {name} }}}}"}}]
reply: {{actions: {{DONE: {{params: {{type: object}}}}}}}}
"""


@pytest.mark.parametrize(
    ("step", "name", "message"),
    [
        (
            "solo",
            "USER_INPT",
            "PP908 'promptpack run' has no value for 'USER_INPT'\n  hint: did you mean 'USER_INPUT'?\n",
        ),
        (
            "solo",
            "USER_INPUT",
            "PP908 the scripted model has no reply for the step 'solo'\n"
            "  hint: use a real model: --provider openai --model NAME\n",
        ),
    ],
)
def test_another_flow_may_need_values_and_replies_that_the_demo_lacks(
    tmp_path: Path, step: str, name: str, message: str
) -> None:
    (tmp_path / "packs" / "solo").mkdir(parents=True)
    (tmp_path / "packs" / "solo" / "1.0.0.yaml").write_text(SOLO.format(name=name), encoding="utf-8")
    (tmp_path / "packs" / "flow.yaml").write_text(FLOW.format(step=step, name=name), encoding="utf-8")
    done = run(tmp_path, "run")
    assert (done.returncode, done.stderr) == (2, message)
