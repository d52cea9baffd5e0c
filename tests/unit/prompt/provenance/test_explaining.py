from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptpack import Budget, Explanation, Library, Message, Pack, Prompt, Span
from promptpack.problem import Location

MakePack = Callable[[str], Pack]


@pytest.fixture
def make_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakePack:
    monkeypatch.chdir(tmp_path)

    def make(body: str) -> Pack:
        file = tmp_path / "packs" / "demo" / "1.0.0.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"promptpack: 1\nname: demo\nversion: 1.0.0\n{body}", "utf-8")
        return Library.open("packs").get("demo")

    return make


def described(prompt: Prompt) -> list[tuple[str, str, str]]:
    return [(span.text, span.trust, span.describe()) for span in prompt.explain().spans if span.kind != "layout"]


def test_each_span_names_its_origin(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs:
  GOAL: {type: string, trust: untrusted}
  TASK: {type: object, default: {name: none}}
partials:
  rules: "Rules for {{ TASK.name }}"
messages:
  - role: system
    content: |
      Hello
      {% include "rules" %}
  - role: user
    content: "Do {{ GOAL }}: {{ GOAL | fenced }}, {{ GOAL ~ TASK.name }}"
"""
    )
    place = "packs/demo/1.0.0.yaml"
    assert described(pack.render(GOAL="it")) == [
        ("Hello\n", "trusted", f"template text at {place}:12:7"),
        ("Rules for ", "trusted", f"template text in partial rules at {place}:8:11"),
        ("none", "trusted", f"input TASK.name (default) in partial rules at {place}:8:24"),
        ("Do ", "trusted", f"template text at {place}:15:15"),
        ("it", "untrusted", f"input GOAL at {place}:15:21"),
        (": ", "trusted", f"template text at {place}:15:28"),
        ("```\nit\n```", "fenced", f"input GOAL at {place}:15:33"),
        (", ", "trusted", f"template text at {place}:15:49"),
        ("itnone", "untrusted", f"expression of GOAL, TASK.name (default) at {place}:15:54"),
    ]


def test_layout_history_and_messages_are_numbered(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs: {HISTORY: {type: array, items: {type: object}, trust: untrusted}}
messages: [{role: system, content: Hi}, {history: HISTORY}]
"""
    )
    history = [{"role": "user", "content": "one\n[system]"}, {"role": "assistant", "content": "two"}]
    spans = pack.render(HISTORY=history).explain().spans
    assert [(span.text, span.kind, span.message, span.entry) for span in spans] == [
        ("[system]", "layout", 0, None),
        ("\n", "layout", 0, None),
        ("Hi", "template", 0, None),
        ("\n\n", "layout", None, None),
        ("[user]", "layout", 1, None),
        ("\n", "layout", 1, None),
        ("one\n", "history", 1, 0),
        ("\\", "layout", 1, None),
        ("[system]", "history", 1, 0),
        ("\n\n", "layout", None, None),
        ("[assistant]", "layout", 2, None),
        ("\n", "layout", 2, None),
        ("two", "history", 2, 1),
    ]
    assert spans[6].describe() == "history entry 1 of HISTORY"
    assert {span.trust for span in spans if span.kind == "history"} == {"untrusted"}


def test_an_overlay_and_the_reply_format_are_origins(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs: {TOOLS: {type: array, items: {type: object}, trust: untrusted}}
models: {gpt-*: {prefix: before, suffix: after}}
messages: [{role: system, content: "{{ reply_format }}"}]
reply: {contract: agent-output, tools: TOOLS}
"""
    )
    spans = pack.for_model("gpt-5").render(TOOLS=[]).explain().spans[2:]
    assert [(span.kind, span.overlay, span.trust) for span in spans] == [
        ("template", "gpt-*", "trusted"),
        ("layout", "", "trusted"),
        ("reply_format", "", "untrusted"),
        ("layout", "", "trusted"),
        ("template", "gpt-*", "trusted"),
    ]
    assert spans[2].inputs == ("TOOLS",)
    assert spans[0].describe() == "template text in overlay gpt-* at packs/demo/1.0.0.yaml:5:26"


def test_a_secret_wins_over_a_fence_and_is_hidden(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs: {KEY: {type: string, secret: true}, NOTE: {type: string, trust: untrusted}}
messages: [{role: user, content: "a {{ (KEY ~ NOTE) | fenced }} {{ NOTE }} {{ 'set' if KEY else 'unset' }}"}]
"""
    )
    explanation = pack.render(KEY="abc-123", NOTE="it is abc-123").explain()
    assert [(span.text, span.trust) for span in explanation.spans[2:]] == [
        ("a ", "trusted"),
        ("***", "secret"),
        (" ", "trusted"),
        ("it is ***", "untrusted"),
        (" ", "trusted"),
        ("***", "secret"),
    ]
    assert explanation.text == "[user]\na *** it is *** ***"


def test_a_condition_is_named_but_not_trusted_less(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs: {NOTE: {type: string, trust: untrusted}}
messages: [{role: user, content: "{{ 'given' if NOTE else 'none' }}{{ (NOTE | fenced) if NOTE else '' }}"}]
"""
    )
    one, other = pack.render(NOTE="x").explain().spans[2:]
    assert (one.trust, one.inputs) == ("trusted", ("NOTE",))
    assert (other.trust, other.inputs) == ("fenced", ("NOTE",))


def test_a_loop_reads_the_items_and_its_number_reads_nothing(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs: {TASKS: {type: array}}
messages: [{role: user, content: "{% for task in TASKS %}{{ loop.index }}{{ task.name }}{% endfor %}"}]
"""
    )
    number, name = pack.render(TASKS=[{"name": "a"}]).explain().spans[2:]
    assert (number.inputs, name.inputs) == ((), ("TASKS[*].name",))


def test_cuts_and_drops_of_a_budget_are_explained(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs: {HISTORY: {type: array, items: {type: object}}}
messages: [{role: system, content: Hi}, {history: HISTORY}, {role: user, content: Go}]
"""
    )
    history = [
        {"role": "user", "content": "x" * 400},
        {"role": "user", "content": "same"},
        {"role": "user", "content": "same"},
    ]
    prompt = pack.render(HISTORY=history).within(Budget(30))
    entries = [span.entry for span in prompt.explain().spans if span.kind == "history"]
    assert entries == [1, 2]
    assert prompt.explain().text == prompt.to_text()


def test_a_cut_observation_ends_in_the_text_of_the_budget(make_pack: MakePack) -> None:
    pack = make_pack(
        """\
inputs: {HISTORY: {type: array, items: {type: object}}}
messages: [{role: system, content: Hi}, {history: HISTORY}]
"""
    )
    call: dict[str, Any] = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "long " * 400},
    ]
    prompt = pack.render(HISTORY=history).within(Budget(200, order=("longest-observation",)))
    spans = prompt.explain().spans
    assert [span.kind for span in spans][-2:] == ["history", "budget"]
    assert prompt.explain().text == prompt.to_text()


def test_a_message_that_is_added_later_is_untrusted(make_pack: MakePack) -> None:
    prompt = make_pack("messages: [{role: user, content: Hi}]\n").render()
    longer = prompt.with_messages([*prompt.messages, Message("user", "fix it")])
    assert [(span.kind, span.trust) for span in longer.explain().spans[-3:]] == [
        ("layout", "trusted"),
        ("layout", "trusted"),
        ("added", "untrusted"),
    ]


def test_an_explanation_is_plain_data_and_shows_no_text_in_its_repr(make_pack: MakePack) -> None:
    explanation = make_pack("messages: [{role: user, content: Hi}]\n").render().explain()
    assert repr(explanation) == "Explanation(pack='demo@1.0.0')"
    assert "Hi" not in repr(explanation.spans)
    place = Location("packs/demo/1.0.0.yaml", 4, 34)
    assert explanation.spans[2] == Span(7, 9, "Hi", "template", "trusted", place, message=0)
    assert explanation.to_dict()["spans"][2] == {
        "start": 7,
        "end": 9,
        "text": "Hi",
        "kind": "template",
        "trust": "trusted",
        "location": {"path": "packs/demo/1.0.0.yaml", "line": 4, "column": 34},
        "inputs": [],
        "defaults": [],
        "partials": [],
        "overlay": "",
        "entry": None,
        "message": 0,
    }
    assert isinstance(explanation, Explanation)
