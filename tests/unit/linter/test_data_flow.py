import pytest

from promptpack.linter.data_flow import trace_template
from promptpack.linter.parsed_texts import ParsedText
from promptpack.template.engine import Engine
from promptpack.template.model import Source

ENGINE = Engine()
PARTIALS = {"loud": "x {{ A | upper }}", "macros": "{% macro box(x) %}{{ x }}{% endmacro %}"}


def text(content: str, name: str = "") -> ParsedText:
    source = Source.of_text(content)
    return ParsedText("content", source, ENGINE.parse(source), name=name)


def printed(content: str) -> list[str]:
    partials = {name: text(partial, name) for name, partial in PARTIALS.items()}
    return [
        " | ".join((".".join((found.origin.input, *found.origin.keys)), *found.origin.filters))
        for found in trace_template(text(content), partials)
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


def test_handlebars_values_are_traced_too() -> None:
    source = Source.of_text("{{#if A}}{{#each B}}{{item}}{{/each}}{{C}}{{/if}}", syntax="handlebars")
    found = trace_template(ParsedText("content", source, ENGINE.parse(source)), {})
    assert [one.origin.input for one in found] == ["B", "C"]
