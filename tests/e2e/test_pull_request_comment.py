"""The steps of the workflow in `examples/pull-request-comment.yml`, run by bash, with a `gh` that writes down its call."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.loopback import Answer, Loopback, Received, openai_answer

ROOT = Path(__file__).parents[2]
CASES = '{"context": {"USER_GOAL": "Write the weekly report"}}\n'
PRICES = "currency: USD\nprices: {m: {input: 1, output: 2}}\n"
GH = """#!/bin/sh
case "$*" in *--paginate*) cat own.txt;; *) echo "$*" >> calls.txt;; esac
"""
pytestmark = pytest.mark.usefixtures("no_certificates")


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A pull request that changes a sentence of the planner, without its snapshot."""
    for name in ("packs", "schemas"):
        shutil.copytree(ROOT / name, tmp_path / name)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    pack = tmp_path / "packs/planner/1.0.0.en.yaml"
    pack.write_text(pack.read_text("utf-8").replace("Few but complete", "Few and complete"), "utf-8")
    (tmp_path / "cases.jsonl").write_text(CASES, "utf-8")
    (tmp_path / "prices.yaml").write_text(PRICES, "utf-8")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "gh").write_text(GH, "utf-8")
    (tools / "gh").chmod(0o755)
    (tmp_path / "own.txt").write_text("", "utf-8")
    return tmp_path


def run_step(folder: Path, name: str, **environment: str) -> None:
    """Run a step as the runner of GitHub does; a failing command fails it."""
    workflow: dict[str, Any] = yaml.safe_load((ROOT / "examples/pull-request-comment.yml").read_text("utf-8"))
    (step,) = (one for one in workflow["jobs"]["comment"]["steps"] if one.get("name") == name)
    path = os.pathsep.join((str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]))
    known = {**os.environ, "PATH": path, "GITHUB_OUTPUT": str(folder / "output.txt"), **environment}
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=folder, env=known, check=True, timeout=120)


def test_the_comment_has_the_change_the_tests_and_their_coverage(checkout: Path) -> None:
    run_step(checkout, "what changed", BASE=git(checkout, "rev-parse", "HEAD"))
    run_step(checkout, "tests and coverage")
    run_step(checkout, "evaluation", OPENAI_API_KEY="")
    comment = (checkout / "comment.md").read_text("utf-8")
    assert comment.startswith("<!-- promptpack -->\n### 1 pack changed")
    assert "Few <del>but</del><ins>and</ins> complete" in comment
    assert "Few [-but-]{+and+} complete" in comment
    assert " passed, 1 failed\n" in comment
    assert " points (100 %)\n" in comment
    assert "### Evaluation" not in comment
    assert (checkout / "output.txt").read_text("utf-8") == "status=1\n"


def test_an_unknown_revision_is_in_the_comment(checkout: Path) -> None:
    run_step(checkout, "what changed", BASE="nowhere")
    assert "nowhere" in (checkout / "comment.md").read_text("utf-8")


def test_with_a_key_the_comment_has_the_evaluation(checkout: Path) -> None:
    def answer(_: Received) -> Answer:
        return openai_answer("no plan")

    old = checkout / "packs/planner/1.0.0.yaml"
    new = old.read_text("utf-8").replace("version: 1.0.0", "version: 1.1.0")
    old.with_name("1.1.0.yaml").write_text(new, "utf-8")
    with Loopback(answer) as server:
        run_step(
            checkout, "evaluation", OPENAI_API_KEY="none", OPENAI_BASE_URL=f"{server.address}/v1", CASES="cases.jsonl",
            OLD="planner@1.0.0", NEW="planner@1.1.0", MODEL="m",
        )  # fmt: skip
    comment = (checkout / "comment.md").read_text("utf-8")
    assert comment.startswith("\n### Evaluation\n``````\n")
    assert "pass rate" in comment
    assert "conclusion   too few cases" in comment
    assert (checkout / "evaluation.html").is_file()


@pytest.mark.parametrize(("own", "method"), [("", "--method POST"), ("7\n", "--method PATCH")])
def test_the_comment_is_posted_once_and_then_edited(checkout: Path, own: str, method: str) -> None:
    (checkout / "own.txt").write_text(own, "utf-8")
    (checkout / "comment.md").write_text("<!-- promptpack -->\n", "utf-8")
    run_step(checkout, "comment", PULL="repos/o/r/issues/1/comments", REPOSITORY="o/r")
    (call,) = (checkout / "calls.txt").read_text("utf-8").splitlines()
    assert method in call
    assert call.endswith("-F body=@comment.md")
