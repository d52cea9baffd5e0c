"""Names in templates: which ones come from outside, and which forms are refused wherever a name can occur."""

from typing import Any
from unicodedata import is_normalized

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptpack.problem import PackError
from promptpack.template.compiling import compile, compile_expression  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source
from tests.properties.template_grammar import contexts, templates
from tests.properties.test_template_laws import ENGINE as TEMPLATE_ENGINE
from tests.properties.test_template_laws import by_us

ENGINE = Engine({"p": Source.of_text("")})
PLACES = (
    "{{ NAME }}", "{{ a.NAME }}", "{{ a.NAME() }}", "{{ f(NAME=1) }}", "{{ dict(NAME=1) }}", "{{ a | NAME }}",
    "{{ a | map(NAME=1) }}", "{{ a is NAME }}", "{% set NAME = 1 %}", "{% set a, NAME = 1, 2 %}",
    "{% set NAME %}{% endset %}", "{% set ns = namespace() %}{% set ns.NAME = 1 %}", "{% set NAME.a = 1 %}",
    "{% for NAME in a %}{% endfor %}", "{% for a, NAME in b %}{% endfor %}", "{% with NAME = 1 %}{% endwith %}",
    "{% macro NAME() %}{% endmacro %}", "{% macro m(NAME) %}{% endmacro %}", "{% macro m(a=NAME) %}{% endmacro %}",
    "{% call(NAME) m() %}{% endcall %}", "{% block NAME %}{% endblock %}", "{% import 'p' as NAME %}",
    "{% from 'p' import NAME %}", "{% from 'p' import a as NAME %}", "{% filter NAME %}{% endfilter %}",
    "{% if false %}{{ NAME }}{% endif %}", "{% NAME %}",
)  # fmt: skip
HANDLEBARS = ("{{NAME}}", "{{#if NAME}}{{/if}}", "{{#each NAME}}{{/each}}", "{{> NAME}}")

CHARACTERS = [one for one in map(chr, range(0x20000)) if one.isidentifier() and not is_normalized("NFKC", one)]
unnormalized = st.builds("{}{}{}".format, st.sampled_from(["", "a", "中"]), st.sampled_from(CHARACTERS), st.just("b"))


def codes(source: Source) -> list[str]:
    with pytest.raises(PackError) as caught:
        compile(source, ENGINE)
    return [problem.code for problem in caught.value.problems]


@given(st.sampled_from(PLACES), unnormalized)
def test_a_name_that_python_reads_as_another_is_refused(place: str, name: str) -> None:
    assert codes(Source.of_text(place.replace("NAME", name))) == ["PP325"]


@given(st.sampled_from(HANDLEBARS), unnormalized)
def test_handlebars_refuses_it_too(place: str, name: str) -> None:
    assert codes(Source.of_text(place.replace("NAME", name), syntax="handlebars")) == ["PP325"]


@given(unnormalized)
def test_expressions_refuse_it_too(name: str) -> None:
    with pytest.raises(PackError, match="PP325"):
        compile_expression(Source.of_text(f"reply.{name} == 1"), ENGINE)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(templates(), contexts)
def test_a_template_needs_only_the_names_that_come_from_outside(template: str, context: dict[str, Any]) -> None:
    names = compile(Source.of_text(template), TEMPLATE_ENGINE).names
    assert by_us(template, {name: context[name] for name in names & context.keys()}) == by_us(template, context)
