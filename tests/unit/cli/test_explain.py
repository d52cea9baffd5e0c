import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from promptpack.cli.main import main

PACK = """\
promptpack: 1
name: demo
version: 1.0.0
inputs:
  GOAL: {type: string, trust: untrusted}
  KEY: {type: string, secret: true, default: abc-123}
messages:
  - role: user
    content: |
      Goal: {{ GOAL }}
      for <{{ KEY }}>
      now
"""


@pytest.fixture(autouse=True)
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs" / "demo").mkdir(parents=True)
    (tmp_path / "packs" / "demo" / "1.0.0.yaml").write_text(PACK, "utf-8")


def render(*options: str) -> Result:
    return CliRunner().invoke(main, ["render", "demo", "--set", "GOAL=a\u200b<b>", *options])


def test_the_text_form_shows_each_origin_above_its_text() -> None:
    result = render("--explain")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "trusted  text form",
        "  | [user]",
        "trusted  template text at packs/demo/1.0.0.yaml:10:7",
        "  | Goal: ",
        "untrusted  input GOAL at packs/demo/1.0.0.yaml:10:16",
        "  + a\u200b<b>",
        "trusted  template text at packs/demo/1.0.0.yaml:11:7",
        "  +",
        "  | for <",
        "secret  input KEY (default) at packs/demo/1.0.0.yaml:11:15",
        "  + ***",
        "trusted  template text at packs/demo/1.0.0.yaml:11:21 to 12",
        "  + >",
        "  | now",
    ]


def test_the_json_form_is_the_explanation() -> None:
    shown = json.loads(render("--explain", "--format", "json").output)
    assert shown["pack"] == "demo@1.0.0"
    assert shown["text"] == "[user]\nGoal: a\u200b<b>\nfor <***>\nnow"
    assert "".join(span["text"] for span in shown["spans"]) == shown["text"]


def test_the_page_escapes_text_and_shows_hidden_characters() -> None:
    page = render("--explain", "--format", "html").output
    assert '<span class="untrusted value" tabindex="0" data-origin="untrusted: input GOAL at packs/demo/1.0.0.yaml:10:16">a<i>U+200B</i>&lt;b&gt;</span>' in page  # fmt: skip
    assert "abc-123" not in page
    assert "<script" not in page


def test_a_page_needs_an_explanation() -> None:
    result = render("--format", "html")
    assert result.exit_code == 2
    assert "--format html needs --explain" in result.output
