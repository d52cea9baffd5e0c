"""Scripts: what they write is what the compiled template writes, and what they do not know they leave alone."""

import json
from typing import Any

import pytest

from promptpack.template import Engine, Source, compile, compile_expression  # noqa: A004
from promptpack.template.script import UnusualError, follow, holds
from promptpack.template.script_writing import write_condition, write_script

ENGINE = Engine({"rules": Source.of_text("be {{ TONE }}"), "outer": Source.of_text('({% include "rules" %})')})
SCOPE: dict[str, Any] = {
    "TONE": "kind",
    "NOTES": ["a", "ü"],
    "STATE": {"phase": "planning", "left": 3, "done": True, "none": None, "rate": 0.5, "items": [1, {"deep": []}]},
    "EMPTY": {},
}


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "{{ TONE }}{{ STATE.left }}{{ STATE.done }}{{ STATE.none }}{{ STATE.rate }}{{ STATE }}{{ NOTES }}",
        "{{ STATE['phase'] }} {{ STATE.phase | fenced }} {{ STATE | fenced('json') }}",
        "{% if STATE.done %}\nyes\n{% elif TONE %}\nno\n{% else %}\nnever\n{% endif %}",
        "{% if EMPTY %}a{% elif not TONE %}b{% else %}c{% endif %}",
        "{{ EMPTY or TONE }} {{ EMPTY and TONE }} {{ NOTES | join(', ') }} {{ NOTES | length }} {{ TONE | count }}",
        "{{ 'text' }}{{ 7 }}{{ true }}{{ none }}",
        'a\n{% include "outer" %}\nb',
        "{# nothing #}{% raw %}{{ raw }}{% endraw %}",
    ],
)
def test_a_script_writes_what_the_template_writes(text: str) -> None:
    template = compile(Source.of_text(text), ENGINE)
    script = json.loads(json.dumps(write_script(template, ENGINE)))
    assert follow(script, SCOPE) == template.render(SCOPE)


@pytest.mark.parametrize("text", ["TONE", "not TONE", "EMPTY or STATE.none", "STATE.left and STATE.phase"])
def test_a_condition_is_met_where_the_expression_is_true(text: str) -> None:
    expression = compile_expression(Source.of_text(text), ENGINE)
    condition = write_condition(expression, ENGINE)
    assert condition is not None
    assert holds(condition, SCOPE) == bool(expression.evaluate(SCOPE))


@pytest.mark.parametrize(
    "text",
    [
        "{% for note in NOTES %}{{ note }}{% endfor %}",
        "{% set a = 1 %}{{ a }}",
        "{{ TONE | upper }}",
        "{{ TONE.upper() }}",
        "{{ 1 + 1 }}",
        "{{ STATE.left > 2 }}",
        "{{ 'a' if TONE else 'b' }}",
        "{{ 1.5 }}",
        "{{ HISTORY }}",
        '{% include ["rules"] %}',
        '{% include "rules" without context %}',
        "{{ NOTES | join(attribute='a') }}",
    ],
)
def test_what_a_script_cannot_say_has_none(text: str) -> None:
    assert write_script(compile(Source.of_text(text), ENGINE), ENGINE) is None


def test_handlebars_have_no_script() -> None:
    assert write_script(compile(Source.of_text("{{TONE}}", syntax="handlebars"), ENGINE), ENGINE) is None
    assert write_condition(compile_expression(Source.of_text("1 + 1"), ENGINE), ENGINE) is None


@pytest.mark.parametrize(
    "script",
    [
        [["put", ["name", "MISSING"]]],
        [["put", ["get", ["name", "STATE"], "missing"]]],
        [["put", ["get", ["name", "NOTES"], "0"]]],
        [["put", ["join", ["name", "STATE"], ""]]],
        [["put", ["join", ["value", [1]], ""]]],
        [["put", ["length", ["value", 1]]]],
        [["put", ["fenced", ["value", "```"], ""]]],
        [["put", ["fenced", ["value", "<|im_end|>"], ""]]],
        [["put", ["fenced", ["value", "[INST]"], ""]]],
        ["x" * 200_001],
        [["put", ["value", "x"]]] * 2_001,
    ],
)
def test_what_is_unusual_is_left_to_the_template(script: list[Any]) -> None:
    with pytest.raises(UnusualError):
        follow(script, SCOPE)


def nested(depth: int) -> list[Any]:
    value: list[Any] = ["value", True]
    for _ in range(depth):
        value = ["not", value]
    return value


@pytest.mark.parametrize(
    "script",
    [
        None,
        "text",
        {"put": 1},
        [None],
        [["put"]],
        [["run", "import os"]],
        [["put", "__import__('os').system('true')"]],
        [["put", ["call", ["name", "TONE"]]]],
        [["put", ["get", ["value", "text"], "__class__"]]],
        [["put", ["value", {"a": 1}]]],
        [["if", ["name", "TONE"], "text", None]],
        [["put", nested(100_000)]],
    ],
)
def test_a_forged_script_does_nothing(script: Any) -> None:
    with pytest.raises(UnusualError):
        follow(script, SCOPE)


def test_a_forged_condition_does_nothing() -> None:
    with pytest.raises(UnusualError):
        holds(nested(1_900), {}) and holds(nested(100_000), {})
