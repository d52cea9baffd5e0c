"""The example of the page for Daft, with the real package."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library
from promptpack.batch import render_batch

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/batch-engines.md").read_text("utf-8")


def test_the_example_renders_each_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "packs").symlink_to(ROOT / "packs")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"## Daft\n```py\n(.*?)```", PAGE, re.DOTALL)
    assert len(code.splitlines()) <= 10
    columns = {"id": ["a", "b"], "USER_GOAL": ["x", ""]}
    scope: dict[str, Any] = {"columns": columns}
    exec(code, scope)  # noqa: S102 -- our own page
    found = [json.loads(text) for text in scope["requests"].to_pydict()["request"]]
    planner = Library.open("packs").get("planner", locale="en")
    rows = [{"id": "a", "USER_GOAL": "x"}, {"id": "b", "USER_GOAL": ""}]
    assert found == render_batch(planner, rows, shape="openai", model="m")
    assert (found[0]["custom_id"], found[1]["problems"][0]["code"]) == ("a", "PP416")
