"""Which names come from outside: by Jinja's rules of scope, also for macros, branches and partials."""

import pytest

from promptpack.problem import PackError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source

ENGINE = Engine(
    {
        "uses": Source.of_text("{{ a }}"),
        "base": Source.of_text("{% set title = 'x' %}{% block b %}{% endblock %}"),
        "macros": Source.of_text("{% macro first() %}{{ second() }}{% endmacro %}{% macro second() %}2{% endmacro %}"),
    }
)


def undeclared(text: str) -> list[str]:
    try:
        compile(Source.of_text(text), ENGINE, known=())
    except PackError as error:
        return [problem.message.split("'")[1] for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("text", "names", "reported"),
    [
        ("{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{% endmacro %}{{ a() }}", [], []),
        ("{% macro a() %}{{ b }}{% endmacro %}{% set b = 1 %}{{ a() }}", [], []),
        ("{% if x %}{% macro a() %}{{ b }}{% endmacro %}{% endif %}{% set b = 1 %}", ["x"], ["x"]),
        ("{% macro a() %}{% for i in [1] %}{{ b }}{% endfor %}{% endmacro %}{% set b = 1 %}{{ a() }}", [], []),
        ("{% macro a() %}{{ b }}{% endmacro %}{% for i in [1] %}{% set b = 1 %}{% endfor %}", ["b"], ["b"]),
        ("{% macro a(x, y=x) %}{{ y }}{% endmacro %}", [], []),
        ("{% import 'macros' as m %}{{ m.first() }}", [], []),
        ("{{ b }}{% set b = 1 %}", ["b"], ["b"]),
        ("{% if true %}{% set b = 1 %}{% endif %}{{ b }}", ["b"], []),
        ("{% if true %}{% set b = 1 %}{% else %}{% set b = 2 %}{% endif %}{{ b }}", [], []),
        ("{% if 1 %}{% set b = 1 %}{% elif 2 %}{% else %}{% set b = 2 %}{% endif %}{{ b }}", ["b"], []),
        ("{% if 1 %}{% if 2 %}{% set b = 1 %}{% endif %}{% else %}{% set b = 2 %}{% endif %}{{ b }}", ["b"], []),
        ("{% if true %}{% set a = 1 %}{% endif %}{% include 'uses' %}", ["a"], []),
        ("{% set a = 1 %}{% include 'uses' %}", [], []),
        ("{% set a = 1 %}{% import 'uses' as u with context %}{{ u }}", [], []),
        ("{% extends 'base' %}{% block b %}{{ title }}{{ mine }}{% endblock %}{% set mine = 1 %}", ["title"], []),
    ],
)
def test_names_come_from_outside_unless_the_template_surely_sets_them(
    text: str, names: list[str], reported: list[str]
) -> None:
    assert sorted(compile(Source.of_text(text), ENGINE).names) == names
    assert undeclared(text) == reported


def test_undeclared_names_are_reported_in_the_order_of_the_text() -> None:
    assert undeclared("{% macro a() %}{{ x }}{% endmacro %}{{ y }}") == ["x", "y"]
