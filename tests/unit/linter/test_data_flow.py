import pytest

from promptpack.linter.analysis_meter import MAX_STEPS, limit_analysis
from promptpack.linter.data_flow import trace_template
from promptpack.linter.parsed_texts import ParsedText
from promptpack.template.engine import Engine
from promptpack.template.model import Source
from promptpack.template.names import DependencyFinder

ENGINE = Engine()
PARTIALS = {"loud": "x {{ A | upper }}", "macros": "{% macro box(x) %}{{ x }}{% endmacro %}"}


def text(content: str, name: str = "") -> ParsedText:
    source = Source.of_text(content)
    return ParsedText("content", source, tree=ENGINE.parse(source), name=name)


def printed(content: str) -> list[str]:
    partials = {name: text(partial, name) for name, partial in PARTIALS.items()}
    finder = DependencyFinder({name: partial.tree for name, partial in partials.items()})
    return [
        " | ".join((".".join((found.origin.input, *found.origin.keys)), *found.origin.filters))
        for found in trace_template(text(content), partials, finder)
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{{ A }}", ["A"]),
        ("{{ A.b['c'][0] | fenced }}", ["A.b.c.* | fenced"]),
        ("{% for x in A.items %}{{ x.name }}{{ loop.index }}{% endfor %}", ["A.items.*.name"]),
        ("{% for k, v in A.items() %}{{ v }}{% endfor %}", ["A.*.*.*"]),
        ("{% set y = A | json %}{{ y }}", ["A | json"]),
        ("{% set y %}{{ A }}{% endset %}{{ y | fenced }}", ["A | fenced"]),
        ("{% set y | fenced %}{{ A }}{% endset %}{{ y }}", ["A | fenced"]),
        ("{% set ns = namespace(x='') %}{% set ns.x = A %}{{ ns.x }}", ["A.x"]),
        ("{% macro m(x) %}<{{ x | fenced }}>{% endmacro %}{{ m(A) }}{{ m(x=B) }}", ["A | fenced", "B | fenced"]),
        ("{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ A }}{% endcall %}", ["A"]),
        ("{% filter fenced | upper %}{{ A }}{% endfilter %}", ["A | upper | fenced"]),
        ("{% if A %}{% set z = B %}{% else %}{% set z = C %}{% endif %}{{ z }}", ["B", "C"]),
        ("{% if A %}{% set z = B %}{% endif %}{{ z }}", ["B", "z"]),
        ("{% if A %}{% set z = B %}{% elif B %}{% set z = C %}{% endif %}{{ z }}", ["B", "C", "z"]),
        ("{% set ns = namespace(x='') %}{% for a in A %}{% set ns.x = a %}{% endfor %}{{ ns.x }}", ["A.*.x"]),
        ("{% set ns = namespace(x='') %}{% for a in A %}{{ ns.x }}{% set ns.x = a %}{% endfor %}", ["A.*.x"]),
        ("{% macro m(x=A) %}{{ x }}{% endmacro %}{{ m() }}", ["A"]),
        ("{% macro m() %}{{ varargs }}{{ kwargs.b }}{% endmacro %}{{ m(A) }}{{ m(b=B) }}", ["A", "A.b", "B", "B.b"]),
        ("{% macro m() %}{{ later() }}{% endmacro %}{% macro later() %}{{ A }}{% endmacro %}{{ m() }}", ["A"]),
        ("{{ A if B else C }}", ["A", "C"]),
        ("{{ A == 1 }}{{ A is defined }}{{ not A }}", []),
        ("{{ A or B }}{{ A ~ 'x' }}{{ [A, {'k': B}] }}", ["A", "B", "A", "A", "B"]),
        ("{{ A.get('x') }}{{ ', '.join(B) }}", ["A.*", "B"]),
        ("{{ A | default(B) }}", ["A | default", "B | default"]),
        ("{% with a = A %}{{ a }}{% endwith %}{{ a }}", ["A", "a"]),
        ("{% include 'loud' %}", ["A | upper"]),
        ("{% set A = 'mine' %}{% include 'loud' %}", []),
        ("{% from 'macros' import box as frame %}{{ frame(A) }}", ["A"]),
        ("{% import 'macros' as m %}{{ m.box(A) }}", ["A"]),
        ("{% include 'nowhere' %}", []),
    ],
)
def test_values_are_traced_to_where_they_are_printed(content: str, expected: list[str]) -> None:
    assert printed(content) == expected


def test_endless_macro_calls_are_cut_off() -> None:
    doubling = "".join(f"{{% macro m{n}(x) %}}{{{{ m{n + 1}(x) ~ m{n + 1}(x) }}}}{{% endmacro %}}" for n in range(40))
    assert printed(doubling + "{{ m0(A) }}") == []
    assert printed("{% macro m(x) %}{{ m(x) }}{{ x }}{% endmacro %}{{ m(A) }}") == ["A"]


def steps(content: str, **partials: str) -> int:
    parsed = {name: text(partial, name) for name, partial in partials.items()}
    finder = DependencyFinder({name: partial.tree for name, partial in parsed.items()})
    with limit_analysis() as counter:
        trace_template(text(content), parsed, finder)
    return MAX_STEPS - counter.remaining


def test_a_value_has_each_origin_once() -> None:
    assert printed("{% set x = A %}" + "{% set x = x ~ x %}" * 20 + "{{ x }}") == ["A"]
    assert steps("{% set x = A %}" + "{% set x = x ~ x %}" * 20 + "{{ x }}") < 200


def test_values_with_endless_origins_are_cut_off() -> None:
    assert printed("{% set x = A %}" + "{% set x = x.a ~ x.b %}" * 30 + "{{ x }}") == []


def test_names_that_a_partial_does_not_use_do_not_make_it_traced_again() -> None:
    few, many = ("".join(f"{{% set x{n} = A %}}{{% include 'p' %}}" for n in range(width)) for width in (10, 20))
    partial = "{{ A | upper }}" * 100
    assert steps(many, p=partial) - steps(few, p=partial) < 10 * 10
    assert steps(many, p=partial + "{{ x1 }}") - steps(many, p=partial) > 100


def test_a_partial_sees_what_a_macro_of_its_includer_prints_now() -> None:
    partials = {"p": text("{{ m() }}", "p")}
    content = "{% macro m() %}{{ y }}{% endmacro %}{% set y = A %}{% include 'p' %}{% set y = B %}{% include 'p' %}"
    finder = DependencyFinder({"p": partials["p"].tree})
    assert [found.origin.input for found in trace_template(text(content), partials, finder)] == ["A", "B"]


def test_handlebars_values_are_traced_too() -> None:
    source = Source.of_text("{{#if A}}{{#each B}}{{item}}{{this.x}}{{/each}}{{C.y}}{{/if}}", syntax="handlebars")
    found = trace_template(ParsedText("content", source, tree=ENGINE.parse(source)), {}, DependencyFinder({}))
    assert [(one.origin.input, one.origin.keys[-1]) for one in found] == [("B", "*"), ("B", "x"), ("C", "y")]
