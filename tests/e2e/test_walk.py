"""`promptpack run`: the six-agent walk, with the scripted model and with a real server on loopback."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.loopback import Answer, Loopback, Received, openai_answer

SCRIPTS = Path(__file__).parents[2] / "promptpack" / "cli" / "walk"
STEPS = ("understanding", "router", "planner", "reviewer", "executor", "reviewer", "orchestrator")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "promptpack", "run", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def openai(server: Loopback) -> list[str]:
    return ["--provider", "openai", "--base-url", f"{server.address}/v1", "--model", "any"]


def completion(reply: Any) -> Answer:
    return openai_answer(reply if isinstance(reply, str) else json.dumps(reply))


def script(locale: str = "en") -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((SCRIPTS / f"script.{locale}.yaml").read_text("utf-8"))
    return loaded


def answers_of_the_script() -> list[Answer]:
    return [completion(reply) for replies in script()["replies"].values() for reply in replies]


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_the_scripted_walk_corrects_one_reply_and_runs_a_tool(tmp_path: Path, locale: str) -> None:
    done = run(tmp_path, "--locale", locale)

    assert done.returncode == 0, done.stderr
    titles = [line for line in done.stdout.splitlines() if line.startswith("──")]
    assert [title.split()[2].removesuffix("-agent:") for title in titles] == list(STEPS)
    assert done.stdout.count("verdict    invalid\n") == 1
    assert done.stdout.count("correction ") == 1
    assert 'tool       {"high": 2, "low": 1, "medium": 1}\n' in done.stdout
    assert done.stdout.endswith("every reply meets its contract\n")
    assert "\x1b" not in done.stdout


def test_packs_without_a_flow_are_not_walked_through(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    done = run(tmp_path)
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


def test_the_walk_stops_where_an_agent_cannot_go_on(tmp_path: Path) -> None:
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
    assert done.stdout.endswith("the walk stopped: the agent answered CLARIFICATION_REQUIRED: Which week?\n")
    assert "Traceback" not in done.stderr


def test_the_walk_stops_when_the_reviewer_refuses(tmp_path: Path) -> None:
    replies = script()["replies"]
    params = {"approved": False, "score": 20, "feedback": "No.", "requiredFixes": ["Name the week"]}
    refusal = {**replies["review of the plan"][0], "params": params}
    answers = [*replies["understanding"], *replies["router"], replies["planner"][-1], refusal]
    with Loopback([completion(answer) for answer in answers]) as server:
        done = run(tmp_path, *openai(server))

    assert done.returncode == 1
    assert done.stdout.endswith("the walk stopped: the reviewer refused\n")


def test_a_reply_that_is_never_mended_ends_the_walk(tmp_path: Path) -> None:
    with Loopback(lambda _: completion("no")) as server:
        done = run(tmp_path, "--rounds", "2", *openai(server))

    assert done.returncode == 1
    assert done.stdout.endswith("the walk stopped: the reply could not be mended\n")


def test_without_the_package_the_message_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['openai'] = None\n"
        "sys.argv = ['promptpack', 'run', '--provider', 'openai', '--model', 'any']\n"
        "from promptpack.cli.main import run; run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

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
    ("step", "name", "told"),
    [
        (
            "solo",
            "USER_INPT",
            "PP908 the walk has nothing to give for 'USER_INPT'\n  hint: did you mean 'USER_INPUT'?\n",
        ),
        (
            "solo",
            "USER_INPUT",
            "PP908 the scripted model has no reply for the step 'solo'\n"
            "  hint: ask a real one: --provider openai --model NAME\n",
        ),
    ],
)
def test_a_flow_of_ones_own_is_told_what_the_walk_does_not_have(
    tmp_path: Path, step: str, name: str, told: str
) -> None:
    (tmp_path / "packs" / "solo").mkdir(parents=True)
    (tmp_path / "packs" / "solo" / "1.0.0.yaml").write_text(SOLO.format(name=name), encoding="utf-8")
    (tmp_path / "packs" / "flow.yaml").write_text(FLOW.format(step=step, name=name), encoding="utf-8")
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (2, told)
