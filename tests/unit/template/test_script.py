"""Scripts: what they write is what the compiled template writes, and what they do not know they leave alone."""

import json
from typing import Any

import pytest

from promptpack.template import Engine, Expression, Limits, Source, Template, compile, compile_expression  # noqa: A004
from promptpack.template.late import Shelf
from promptpack.template.script import UnusualError, follow, holds

PARTIALS = {"rules": Source.of_text("be {{ TONE }}"), "outer": Source.of_text('({% include "rules" %})')}
ENGINE = Engine(PARTIALS)
SHELF = Shelf(PARTIALS, Limits())
SCOPE: dict[str, Any] = {
    "TONE": "kind",
    "NOTES": ["a", "ü"],
    "STATE": {"phase": "planning", "left": 3, "done": True, "none": None, "rate": 0.5, "items": [1, {"deep": []}]},
    "EMPTY": {},
}


def read(text: str, syntax: Any = "jinja") -> Template | None:
    source = Source.of_text(text, syntax=syntax)
    return SHELF.template(source, (*SCOPE, "HISTORY"), lambda: compile(source, ENGINE))


def read_expression(text: str) -> Expression | None:
    source = Source.of_text(text)
    return SHELF.expression(source, SCOPE, lambda: compile_expression(source, ENGINE))


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
        "{# nothing #}\n  {#- nothing -#}  left",
    ],
)
def test_a_script_writes_what_the_template_writes(text: str) -> None:
    template = read(text)
    assert template is not None
    script = json.loads(json.dumps(template.script))
    assert follow(script, SCOPE) == template.render(SCOPE) == compile(Source.of_text(text), ENGINE).render(SCOPE)


@pytest.mark.parametrize("text", ["TONE", "not TONE", "EMPTY or STATE.none", "STATE.left and STATE.phase"])
def test_a_condition_is_met_where_the_expression_is_true(text: str) -> None:
    expression = read_expression(text)
    assert expression is not None
    assert expression.script is not None
    assert holds(expression.script, SCOPE) == bool(expression.evaluate(SCOPE))


@pytest.mark.parametrize(
    "text",
    [
        "{% for note in NOTES %}{{ note }}{% endfor %}",
        "{% set a = 1 %}{{ a }}",
        "{{ TONE | upper }}",
        "{{ 1 + 1 }}",
        "{{ STATE.left > 2 }}",
        "{{ 'a' if TONE else 'b' }}",
        "{{ HISTORY }}",
        "{{ NOTES | join(attribute='a') }}",
        "{{ TONE | fenced('a`b') }}",
    ],
)
def test_what_a_script_says_is_not_always_followed(text: str) -> None:
    template = read(text)
    assert template is not None
    assert template.script is not None
    with pytest.raises(UnusualError):
        follow(template.script, {**SCOPE, "HISTORY": []})


@pytest.mark.parametrize(
    "script",
    [
        [["put", ["name", "MISSING"]]],
        [["put", ["get", ["name", "STATE"], "missing"]]],
        [["put", ["get", ["name", "NOTES"], "0"]]],
        [["put", ["filter", ["name", "STATE"], "join", [["value", ""]], []]]],
        [["put", ["filter", ["value", [1]], "join", [["value", ""]], []]]],
        [["put", ["filter", ["value", 1], "length", [], []]]],
        [["put", ["filter", ["value", "```"], "fenced", [], []]]],
        [["put", ["filter", ["value", "<|im_end|>"], "fenced", [], []]]],
        [["put", ["filter", ["value", "[INST]"], "fenced", [], []]]],
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
