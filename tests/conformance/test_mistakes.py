"""Mistakes in packs, one at a time: lint reports the right line, names the right word, and reports nothing else."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings
from promptpack.problem import Problem

HERE = Path(__file__).parent / "mistakes"
CASES = [json.loads(line) for line in (HERE / "mistakes.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def already_reported() -> set[Problem]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HERE / "triage")
        return {_without_line(problem) for problem in lint(["packs"], LintSettings()).problems}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_mistake_is_reported_at_its_line_and_alone(
    case: dict[str, Any], already_reported: set[Problem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(HERE / "triage", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    file = case["base"].removeprefix("triage/")
    text = Path(file).read_text("utf-8")
    assert case["find"] in text
    Path(file).write_text(text.replace(case["find"], case["replace"], 1), "utf-8")
    target = "packs" if file.endswith("flow.yaml") else file
    found = [one for one in lint([target], LintSettings()).problems if _without_line(one) not in already_reported]
    own = [one for one in found if one.location and one.location.path == file and one.severity != "note"]
    assert [one.location.line for one in own if one.location] == [case["line"]]
    assert case["names"] in f"{own[0].message} {own[0].hint}"


def _without_line(problem: Problem) -> Problem:
    path = problem.location.path if problem.location else ""
    return Problem(problem.code, f"{path}: {problem.message}")
