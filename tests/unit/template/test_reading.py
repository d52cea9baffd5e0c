"""Templates read without Jinja: what is read means what Jinja means by it, and anything unusual is left to Jinja."""

import pytest

from promptpack.problem import ContextError
from promptpack.template import Engine, Limits, Source, Template, compile  # noqa: A004
from promptpack.template.language import FILTERS, TESTS
from promptpack.template.late import Shelf
from promptpack.template.reading import read_expression, read_template
from promptpack.template.vocabulary import FILTER_NAMES, TEST_NAMES


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{ A.b['c'] | default(B, boolean=true) ~ C[D] }}", "ABCD"),
        ("{% for A in B if A is defined and C %}{{ loop.index }}{{ A }}{% else %}{{ A }}{% endfor %}", "ABC"),
        ("{{ A }}{% set A = B %}{{ A }}{% set C = A %}{{ C }}", "AB"),
        ("{% if A %}{% set B = 1 %}{% elif B %}{% set C = 1 %}{% elif C %}{% else %}{{ C }}{% endif %}{{ B }}{{ C }}", "ABC"),
        ("{% for A, B in C %}{% set D = A %}{% endfor %}{{ D }}{{ B }}", "BCD"),
        ("{{ loop }}", ["loop"]),
    ],
)  # fmt: skip
def test_the_names_that_a_template_takes_from_outside(text: str, names: str) -> None:
    reading = read_template(text)
    assert reading is not None
    assert reading.names == set(names)
    assert compile(Source.of_text(text), Engine()).names == set(names)


@pytest.mark.parametrize(
    "text",
    [
        "{{ A",
        "{% if A %}",
        "{% endif %}",
        "{% if A }}{% endif %}",
        "{{ A +}}",
        "{# open",
        "{{ A.b() }}",
        "{{ A[1:] }}",
        "{{ {'a': 1} }}",
        "{{ 'a\\n' }}",
        "{{ a | unheard }}",
        "{{ a is unheard }}",
        "{{ a | map('unheard') | list }}",
        "{{ a | select('unheard') | list }}",
        "{{ a | selectattr('b', 'unheard') | list }}",
        "{{ a | join(d=1, d=2) }}",
        "{{ range }}",
        "{{ self }}",
        "{{ _a }}",
        "{{ a.__class__ }}",
        "{{ a, b }}",
        "{{ (a, b) }}",
        "{{ 1_000 }}",
        "{{ 12345678901234567 }}",
        "{{ ü }}",
        "{{ a if b }}",
        "{% set loop = 1 %}",
        "{% set a.b = 1 %}",
        "{% set a %}b{% endset %}",
        "{% for a in b recursive %}{% endfor %}",
        "{% include a %}",
        "{% include 'a' ignore missing %}",
        "{% macro m() %}{% endmacro %}",
        "{% raw %}{{ a }}{% endraw %}",
        "a\r\nb",
        "\ud800",
        "{{ " + "(" * 5_000 + "a",
        "{{ a" + " | upper" * 16 + " }}",
    ],
)
def test_anything_unusual_is_left_to_jinja(text: str) -> None:
    assert read_template(text) is None


@pytest.mark.parametrize("text", ["", "a b", "{{ a }}", "a }}", "a %}", "a, b", "a is", "not", "a.", "a["])
def test_an_unusual_expression_is_left_to_jinja(text: str) -> None:
    assert read_expression(text) is None


def test_the_words_are_those_that_there_are() -> None:
    assert set(FILTERS) == FILTER_NAMES
    assert set(TESTS) == TEST_NAMES


def shelved(text: str, partials: dict[str, str] | None = None, limits: Limits | None = None) -> Template | None:
    sources = {name: Source.of_text(partial) for name, partial in (partials or {}).items()}
    source = Source.of_text(text)
    shelf = Shelf(sources, limits or Limits())
    return shelf.template(source, "abc", lambda: compile(source, Engine(sources)))


def test_what_a_partial_needs_is_needed_where_it_is_included() -> None:
    partials = {"p": "{{ a }}{{ b }}{% include 'q' %}", "q": "{{ c }}", "r": "unused"}
    template = shelved("{% set a = 1 %}{% include 'p' %}", partials)
    assert template is not None
    assert template.names == {"b", "c"}
    assert template.partials == {"p", "q"}
    assert template.render({"b": 2, "c": 3}) == "123"


@pytest.mark.parametrize(
    ("text", "partials"),
    [
        ("{{ d }}", {}),
        ("{% include 'p' %}", {}),
        ("{% include 'p' %}", {"p": "{{ d }}"}),
        ("{% include 'p' %}", {"p": "{% include 'q' %}", "q": "{% include 'p' %}"}),
        ("{{ a }}", {"p": "{% macro m() %}{% endmacro %}"}),
    ],
)
def test_what_may_be_a_problem_is_left_to_jinja(text: str, partials: dict[str, str]) -> None:
    assert shelved(text, partials) is None


@pytest.mark.parametrize("limits", [Limits(tokens=4), Limits(source=10)])
def test_what_is_beyond_a_limit_is_left_to_jinja(limits: Limits) -> None:
    assert shelved("{{ a }}", limits=limits) is not None
    assert shelved("{{ a }}{{ b }}", limits=limits) is None


def test_partials_that_would_make_a_script_without_end_have_none() -> None:
    doubling = {
        f"p{n}": f"{{% if a %}}{{% include 'p{n + 1}' %}}{{% include 'p{n + 1}' %}}{{% endif %}}" for n in range(30)
    }
    template = shelved("{% include 'p0' %}", {**doubling, "p30": "x"})
    assert template is not None
    assert template.script is None


def test_a_template_becomes_what_it_is_compiled_to_on_first_use() -> None:
    template = shelved("{{ a.b }}")
    assert template is not None
    with pytest.raises(ContextError, match=r"<template>:1:5: PP401 mapping has no 'b'"):
        template.render({"a": {}})
    assert template.code is template.code
    assert template.script == [["put", ["get", ["name", "a"], "b"]]]
    assert template.render({"a": {"b": 1}}) == "1"


@pytest.mark.parametrize(("length", "is_kept"), [(1_000, True), (100_000, False)])
def test_long_texts_are_not_kept(length: int, is_kept: bool) -> None:
    text = "{{ A }}" + "x" * length
    assert read_template(text) == read_template(text)
    assert (read_template(text) is read_template(text)) is is_kept
