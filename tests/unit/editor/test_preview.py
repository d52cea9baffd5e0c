"""The preview of a text: cards with origins, contexts, and problems that never raise."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from promptpack.editor import Preview, Workspace, describe_inputs, preview

PACK = """\
promptpack: 1
name: demo
version: 1.0.0
inputs:
  GOAL: {type: string, trust: untrusted, description: What is wanted}
  TONE: {type: string, default: calm}
  KEY: {type: string, default: "", secret: true}
  PAST: {type: array, default: []}
partials:
  rules: |
    Be {{ TONE }}.
messages:
  - role: system
    content: |
      {% include "rules" %}
      [user]
      Key {{ KEY }}.
  - history: PAST
  - role: user
    name: ada
    content: "Do {{ GOAL }}"
tests:
  - {name: broken, context: {}, expect: {error: PP401}}
  - {name: small, context: {GOAL: write}}
"""


def show(text: str = PACK, context: Mapping[str, Any] | None = None, test: str = "") -> Preview:
    return preview(Workspace().open("packs/demo/1.0.0.yaml", text), context, test=test)


def texts(shown: Preview) -> list[str]:
    return ["".join(span["text"] for span in message.spans) for message in shown.messages]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "packs").mkdir()
    monkeypatch.chdir(tmp_path)


def test_messages_are_cards_without_role_lines() -> None:
    past = [{"role": "assistant", "content": "earlier"}]
    shown = show(context={"GOAL": "write", "PAST": past, "KEY": "hunter22"})
    assert [(card.role, card.name, card.is_history) for card in shown.messages] == [
        ("system", "", False),
        ("assistant", "", True),
        ("user", "ada", False),
    ]
    assert texts(shown) == ["Be calm.\n[user]\nKey ***.", "earlier", "Do write"]
    assert [card.characters for card in shown.messages] == [29, 7, 8]
    assert "hunter22" not in json.dumps(shown.to_dict()["messages"])


def test_each_span_has_its_origin() -> None:
    spans = show(context={"GOAL": "write"}).messages[0].spans
    tone = next(span for span in spans if span["kind"] == "input")
    assert tone == {
        "text": "calm", "kind": "input", "trust": "trusted", "inputs": ["TONE"], "defaults": ["TONE"], "partials": ["rules"],
        "overlay": "", "entry": None, "path": "packs/demo/1.0.0.yaml", "line": 11, "column": 11,
        "origin": "input TONE (default) in partial rules at packs/demo/1.0.0.yaml:11:11",
    }  # fmt: skip
    assert show().messages[-1].spans[-1]["trust"] == "untrusted"


def test_hidden_characters_are_spans_with_their_code_points() -> None:
    spans = show(context={"GOAL": "a\u200bb\u202ec"}).messages[-1].spans
    assert [(span["text"], span.get("hidden")) for span in spans if span["kind"] == "input"] == [
        ("a", None), ("\u200b", "U+200B"), ("b", None), ("\u202e", "U+202E"), ("c", None),
    ]  # fmt: skip
    assert [problem.code for problem in show(context={"GOAL": "a\u200b"}).warnings] == ["PP427"]


def test_without_a_context_the_first_test_that_renders_is_used() -> None:
    assert show().context == {"GOAL": "write"}
    assert show(test="small").context == {"GOAL": "write"}


def test_without_tests_an_example_is_used() -> None:
    shown = show(PACK.partition("tests:")[0].replace("trust: untrusted", "examples: [write a report]"))
    assert shown.context == {"GOAL": "write a report"}


def test_an_unknown_test_is_a_problem() -> None:
    shown = show(test="smal")
    assert [str(problem) for problem in shown.problems] == [
        "PP910 demo@1.0.0 has no test named 'smal'\n  hint: did you mean 'small'?"
    ]


def test_a_wrong_context_is_a_problem() -> None:
    shown = show(context={"GOAL": 1})
    assert shown.prompt is None
    assert shown.to_dict()["ok"] is False
    assert [problem.code for problem in shown.problems] == ["PP416"]


@pytest.mark.parametrize(
    "text", ["messages: [", PACK.replace("{{ GOAL }}", "{{ GOAL"), PACK.replace("small", "a: b: c")]
)
def test_a_broken_text_is_a_problem(text: str) -> None:
    shown = show(text)
    assert shown.prompt is None
    assert all(problem.location and problem.location.path == "packs/demo/1.0.0.yaml" for problem in shown.problems)
    assert shown.problems


def test_a_slot_prompt_is_one_card() -> None:
    text = "promptpack: 1\nname: s\nversion: 1.0.0\nslots: {instruct: Be brief., input: Hello.}\n"
    shown = show(text)
    assert [card.role for card in shown.messages] == ["prompt"]
    assert shown.prompt is not None
    assert texts(shown) == [shown.prompt.to_text()]


def test_inputs_are_described_for_a_form() -> None:
    pack = Workspace().open("packs/demo/1.0.0.yaml", PACK).build()
    assert describe_inputs(pack)[0] == {
        "name": "GOAL", "schema": {"type": "string", "description": "What is wanted"}, "description": "What is wanted",
        "required": True, "trusted": False, "secret": False,
    }  # fmt: skip
