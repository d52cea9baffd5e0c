"""The example of the page for Hugging Face datasets, with the real package."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/batch-engines.md").read_text("utf-8")


def test_the_example_checks_each_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "packs").symlink_to(ROOT / "packs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    (code,) = re.findall(r"## Hugging Face datasets\n```py\n(.*?)```", PAGE, re.DOTALL)
    assert len(code.splitlines()) <= 10
    planner = Library.open("packs").get("planner", locale="en")
    assert planner.contract is not None
    good = dict(next(one.example for one in planner.contract.actions.values() if one.example))
    replies = [json.dumps(good), json.dumps(good | {"confidence": 150})]
    scope: dict[str, Any] = {"columns": {"id": ["a", "b"], "USER_GOAL": ["x", "y"], "reply": replies}}
    exec(code, scope)  # noqa: S102 -- our own page
    found = [json.loads(text) for text in scope["verdicts"]["verdict"]]
    assert [(row["id"], row["outcome"]) for row in found] == [("a", "valid"), ("b", "invalid")]
