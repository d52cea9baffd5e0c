"""`PromptTemplate` and `TemplateContext`: templates without a pack."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from promptpack.problem import ContextError, PackError
from promptpack.prompt.prompt_template import PromptTemplate
from promptpack.template.failure import (
    MaxDepthReachedError,
    NotAnArrayError,
    PartialNotFoundError,
    VariableNotFoundError,
)

DOCS = Path(__file__).parents[3] / "docs" / "how-to"
EXAMPLES = [
    pytest.param(code, id=f"{page}-{number}")
    for page in ("handlebars", "composer")
    for number, code in enumerate(
        re.findall(r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)
    )
]


def bars(text: str) -> PromptTemplate:
    return PromptTemplate.compile(text, "handlebars", name="t")


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_in_the_documentation_runs(code: str) -> None:
    exec(compile(code, "<documentation>", "exec"), {})  # noqa: S102 -- our own pages


@pytest.mark.parametrize("syntax", ["jinja", "handlebars"])
def test_a_template_knows_its_source_syntax_and_names(syntax: Any) -> None:
    template = PromptTemplate.compile("  a {{ b }}\r\n", syntax)
    assert str(template) == "  a {{ b }}\r\n"
    assert template.names == {"b"}
    assert template.syntax == syntax


def test_jinja_is_the_default_syntax() -> None:
    assert PromptTemplate.compile("{{ A + 1 }}\n").render({"A": 1}) == "2\n"


def test_an_invalid_text_is_refused_when_it_is_compiled() -> None:
    with pytest.raises(PackError, match=re.escape("t:1:12: PP314")):
        bars("{{missing}}{{#if a}}")


@pytest.mark.parametrize("syntax", ["jinja", "handlebars"])
def test_a_missing_variable_is_an_error_with_its_name(syntax: Any) -> None:
    with pytest.raises(VariableNotFoundError) as caught:
        PromptTemplate.compile("{{ name }}", syntax).render()
    assert caught.value.name == "name"
    assert caught.value.problems[0].code == "PP401"


def test_a_missing_key_of_a_value_is_not_a_missing_variable() -> None:
    with pytest.raises(ContextError) as caught:
        PromptTemplate.compile("{{ a.b }}").render({"a": {}})
    assert type(caught.value) is ContextError


def test_a_value_that_is_not_a_list_is_an_error_with_its_name() -> None:
    with pytest.raises(NotAnArrayError) as caught:
        bars("{{#each s}}{{/each}}").render({"s": "abc"})
    assert caught.value.name == "s"


@pytest.mark.parametrize(
    ("text", "syntax", "column"),
    [
        ("{{> p}}", "handlebars", 1),
        ("{% include 'p' %}", "jinja", 4),
        ("{% include ['p', 'q'] %}", "jinja", 4),
        ("{% include 'p' without context %}", "jinja", 4),
        ("{% import 'p' as p %}", "jinja", 4),
        ("{% from 'p' import a %}", "jinja", 4),
        ("{% extends 'p' %}", "jinja", 4),
    ],
)
def test_an_unknown_partial_is_an_error_when_it_is_reached(text: str, syntax: Any, column: int) -> None:
    with pytest.raises(PartialNotFoundError) as caught:
        PromptTemplate.compile(text, syntax, name="t").render()
    name = "q" if "'q'" in text else "p"
    assert caught.value.name == name
    assert str(caught.value) == (f"t:1:{column}: PP442 unknown partial {name!r}\n  hint: register it before rendering")


@pytest.mark.parametrize(
    "text",
    [
        "{% include 'p' %}",
        "{% include ['none', 'p'] %}",
        "{% include 'none' ignore missing %}x",
        "{% from 'm' import m %}{{ m() }}",
        "{% import 'm' as lib %}{{ lib.m() }}",
        "{% from 'm' import m with context %}{{ m() }}",
        "{% include 'none' ignore missing %}{% include 'fixed' without context %}",
    ],
)
def test_jinja_templates_load_the_partials_they_are_given(text: str) -> None:
    template = PromptTemplate.compile(text)
    template.register_partial("p", bars("{{v}}"))
    template.register_partial("m", PromptTemplate.compile("{% macro m() %}{% include 'fixed' %}{% endmacro %}"))
    template.register_partial("fixed", bars("x"))
    assert template.render({"v": "x"}) == "x"


def test_a_jinja_template_can_extend_a_partial_that_includes_others() -> None:
    template = PromptTemplate.compile("{% extends 'frame' %}{% block body %}{% include 'leaf' %}{% endblock %}")
    template.register_partial("frame", PromptTemplate.compile("<{% block body %}{% endblock %}>"))
    template.register_partial("leaf", bars("{{v}}"))
    assert template.render({"v": "x"}) == "<x>"


def test_a_partial_uses_its_own_partials_before_those_of_the_including_template() -> None:
    owner = bars("<{{> b}}>").register_partial("b", bars("own"))
    template = bars("{{> a}}{{> b}}{{> c}}").register_partial("a", owner)
    template.register_partial("b", bars("outer")).register_partial("c", bars("[{{> b}}]"))
    assert template.render() == "<own>outer[outer]"


@pytest.mark.parametrize(
    "text", ["{{> a}}", "{% include 'a' %}", "{% import 'a' as a %}", "{% include 'a' without context %}"]
)
def test_an_include_cycle_stops_at_the_limit(text: str) -> None:
    syntax: Any = "handlebars" if text.startswith("{{") else "jinja"
    template = PromptTemplate.compile(text, syntax)
    template.register_partial("a", template)
    with pytest.raises(MaxDepthReachedError) as caught:
        template.render()
    assert caught.value.limit == 16
    assert caught.value.problems[0].code == "PP443"


def test_a_template_that_extends_itself_is_refused() -> None:
    template = PromptTemplate.compile("{% extends 'a' %}")
    template.register_partial("a", template)
    with pytest.raises(ContextError, match="PP405 rendering is nested too deeply"):
        template.render()


def test_objects_that_are_not_plain_data_are_refused() -> None:
    with pytest.raises(ContextError, match="PP411 input 'x' contains a value of type object"):
        bars("{{x}}").render({"x": object()})


def test_errors_can_be_pickled() -> None:
    errors: list[ContextError] = []
    for text, context in (("{{x}}", {}), ("{{> x}}", {}), ("{{#each x}}{{/each}}", {"x": 1})):
        with pytest.raises(ContextError) as caught:
            bars(text).render(context)
        errors.append(caught.value)
    copies: list[Any] = [pickle.loads(pickle.dumps(error)) for error in errors]  # noqa: S301 -- our own bytes
    assert [(type(copy), copy.name, str(copy)) for copy in copies] == [
        (type(error), "x", str(error)) for error in errors
    ]
    deep = MaxDepthReachedError(errors[0].problems, 16)
    assert pickle.loads(pickle.dumps(deep)).limit == 16  # noqa: S301 -- our own bytes


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("{{#each l}}" * 13 + "{{> p}}" + "{{/each}}" * 13, "handlebars"),
        ("{% for item in l %}{% block b scoped %}{% include 'p' %}{% endblock %}{% endfor %}", "jinja"),
    ],
)
def test_partials_are_found_from_inside_blocks(text: str, syntax: Any) -> None:
    template = PromptTemplate.compile(text, syntax).register_partial("p", bars("<{{item}}>"))
    assert template.render({"l": ["x"]}) == "<x>"
