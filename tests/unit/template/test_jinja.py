"""Jinja's documented behaviour, construct by construct, and the documented differences, row by row."""

import re
from pathlib import Path
from typing import Any

import pytest
from jinja2 import DictLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from promptpack import PromptpackError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.language import JINJA_FILTER_NAMES, JINJA_TEST_NAMES
from promptpack.template.model import Source

PARTIALS = {
    "p": "p",
    "base": "<{% block head %}base{% endblock %}|{% block body %}{% endblock %}>",
    "tools": "{% macro twice(a, b='!') %}{{ a }}{{ a }}{{ b }}{% endmacro %}{% set kept = 'kept' %}",
    "sees": "{{ name | default('nothing') }}",
}
CONTEXT: dict[str, Any] = {
    "name": "Ada Lovelace",
    "text": "  some Words, in-between and 中文  ",
    "lines": "one\ntwo\n\nthree",
    "numbers": [3, 1, 2, 3],
    "words": ["b", "A", "c", "B"],
    "users": [
        {"name": "Bo", "age": 30, "on": True, "at": {"city": "Rome"}},
        {"name": "al", "age": 25, "on": False, "at": {"city": "Oslo"}},
        {"name": "Cy", "age": 30, "on": True, "at": {"city": "Bern"}},
    ],
    "empty": [],
    "map": {"b": 2, "A": 3, "c": 1},
    "nothing": None,
    "yes": True,
}
FILTERS = {
    "abs": ["-3 | abs", "2.5 | abs"],
    "batch": ["numbers | batch(2) | list", "numbers | batch(3, 0) | list", "numbers | batch(0) | list", "numbers | batch(-1, 0) | list", "[] | batch(0) | list"],
    "capitalize": ["name | capitalize", "'éCOLE' | capitalize"],
    "center": ["'[' ~ (name | center(20)) ~ ']'", "'a' | center(0)"],
    "count": ["numbers | count", "name | count", "map | count"],
    "d": ["missing | d('x')", "nothing | d('x', true)"],
    "default": ["missing | default('x')", "'' | default('x')", "'' | default('x', true)", "name | default('x')"],
    "dictsort": ["map | dictsort", "map | dictsort(true)", "map | dictsort(false, 'value')", "map | dictsort(reverse=true)"],
    "first": ["numbers | first", "name | first", "empty | first | default('none')"],
    "float": ["'2.5' | float", "'x' | float", "'x' | float(1.5)", "3 | float"],
    "format": ["'%s is %d' | format(name, 3)", "'%(a)05.1f' | format(a=2)", "'%s' | format(1, a=2)", "'%d' | format('x')", "'50%%' | format()"],
    "groupby": ["users | groupby('age') | length", "(users | groupby('age') | first).grouper", "(users | groupby('at.city') | first).list | length", "(users | groupby('gone', default='x') | first).grouper"],
    "indent": ["lines | indent", "lines | indent(2, true)", "lines | indent(2, true, true)", "lines | indent('> ')"],
    "int": ["'42' | int", "'x' | int", "'x' | int(7)", "'2a' | int(base=16)", "3.9 | int"],
    "items": ["map | items | list", "missing | items | list"],
    "join": ["words | join", "words | join(', ')", "users | join('/', attribute='name')", "numbers | join('+')"],
    "last": ["numbers | last", "name | last"],
    "length": ["numbers | length", "empty | length"],
    "list": ["'abc' | list", "map | list", "range(3) | list"],
    "lower": ["name | lower"],
    "map": ["words | map('upper') | list", "users | map(attribute='name') | list", "users | map(attribute='at.city') | join", "users | map(attribute='gone', default='-') | list", "words | map('replace', 'A', 'x') | list", "nothing | map('upper') | list", "0 | map('upper') | list", "false | map(attribute='x') | list", "5 | map('upper') | list"],
    "max": ["numbers | max", "words | max", "words | max(case_sensitive=true)", "(users | max(attribute='age')).name"],
    "min": ["numbers | min", "words | min", "(users | min(attribute='age')).name"],
    "reject": ["numbers | reject('odd') | list", "words | reject('in', ['b']) | list", "nothing | reject | list"],
    "rejectattr": ["users | rejectattr('on') | map(attribute='name') | list", "users | rejectattr('age', 'gt', 26) | list", "nothing | rejectattr('x') | list"],
    "replace": ["name | replace('a', 'o')", "name | replace('a', 'o', 1)", "name | replace('', '-')"],
    "reverse": ["name | reverse", "numbers | reverse | list", "range(3) | reverse | list", "map.items() | reverse | list", "map.values() | reverse | join", "map.keys() | reverse | first"],
    "round": ["2.55 | round", "2.55 | round(1)", "2.51 | round(1, 'ceil')", "2.59 | round(1, 'floor')", "42.55 | round | int"],
    "safe": ["name | safe", "(name | safe) ~ '<'"],
    "select": ["nothing | select('odd') | list", "0 | select | list", "missing | select | list", "numbers | select('odd') | list", "['', 'a'] | select | list"],
    "selectattr": ["false | selectattr('x') | list", "users | selectattr('on') | map(attribute='name') | list", "users | selectattr('at.city', 'eq', 'Oslo') | list"],
    "slice": ["numbers | slice(0) | list", "numbers | slice(-2) | list", "numbers | slice(3) | list", "numbers | slice(3, 0) | list"],
    "sort": ["numbers | sort", "words | sort", "words | sort(case_sensitive=true)", "numbers | sort(reverse=true)", "users | sort(attribute='age,name') | map(attribute='name') | list"],
    "string": ["42 | string", "name | string"],
    "sum": ["numbers | sum", "users | sum(attribute='age')", "numbers | sum(start=10)"],
    "title": ["'the in-between words' | title", "\"it's\" | title"],
    "trim": ["text | trim", "'xaxx' | trim('x')"],
    "truncate": ["text | truncate(12)", "text | truncate(12, true)", "text | truncate(12, false, '…', 0)", "'short' | truncate(4)"],
    "unique": ["numbers | unique | list", "words | unique | list", "words | unique(true) | list", "users | unique(attribute='age') | list | length"],
    "upper": ["name | upper"],
    "wordcount": ["text | wordcount"],
    "wordwrap": ["text | wordwrap(10)", "'abcdefghij' | wordwrap(4)", "'abcdefghij' | wordwrap(4, false)", "text | wordwrap(10, true, '/')"],
}  # fmt: skip
TESTS = {
    "!=": ["1 is ne 2"], "<": ["1 is lt 2"], "<=": ["1 is le 1"], "==": ["1 is eq 1"], ">": ["1 is gt 2"], ">=": ["1 is ge 2"],
    "boolean": ["yes is boolean", "1 is boolean"],
    "defined": ["name is defined", "missing is defined", "map.b is defined", "map.z is defined"],
    "divisibleby": ["9 is divisibleby(3)", "9 is divisibleby 2"],
    "eq": ["numbers is eq([3, 1, 2, 3])"], "equalto": ["1 is equalto 2"], "ne": ["1 is ne 1"],
    "even": ["2 is even", "3 is even"], "odd": ["3 is odd", "2 is odd"],
    "false": ["false is false", "0 is false"], "true": ["true is true", "1 is true"],
    "filter": ["'upper' is filter", "'nope' is filter"], "test": ["'odd' is test", "'nope' is test"],
    "float": ["1.0 is float", "1 is float"], "integer": ["1 is integer", "true is integer"],
    "ge": ["2 is ge 2"], "gt": ["2 is gt 2"], "greaterthan": ["3 is greaterthan 2"],
    "le": ["2 is le 2"], "lt": ["2 is lt 2"], "lessthan": ["1 is lessthan 2"],
    "in": ["1 is in numbers", "'x' is in 'xyz'", "'b' is in map"],
    "iterable": ["numbers is iterable", "1 is iterable", "name is iterable"],
    "lower": ["'a' is lower", "name is lower"], "upper": ["'A' is upper", "name is upper"],
    "mapping": ["map is mapping", "numbers is mapping"],
    "none": ["nothing is none", "0 is none"],
    "number": ["1 is number", "1.5 is number", "'1' is number", "true is number"],
    "sameas": ["yes is sameas true", "1 is sameas true"],
    "sequence": ["numbers is sequence", "name is sequence", "1 is sequence"],
    "string": ["name is string", "1 is string"],
    "undefined": ["missing is undefined", "name is undefined"],
}  # fmt: skip
EXPRESSIONS = [
    "1 + 2 * 3 - 4 / 8", "7 // 2", "7 % 3", "2 ** 3 ** 2", "-2 ** 2", "'a' * 3", "'a' ~ 1 ~ 'b'", "[1] + [2]", "(1,)", "()",
    "1 < 2 < 3", "1 == 1.0", "'a' in 'abc'", "4 not in numbers", "not yes", "yes and 1", "0 or 'x'", "yes or missing",
    "'x' if yes", "'x' if not yes else 'y'", "('x' if not yes) is defined", "numbers[0]", "numbers[-1]", "numbers[1:3]",
    "name[::-1]", "map['A']", "map.A", "users[0].at.city", "users[0]['at']['city']", "{'a': 1, 'b': [2]}", "1_000", "1e3",
    "0x1f", "0b11", "'it\\'s'", "\"\\n\\t\\u4e2d\"", "name.upper()", "name.split(' ')", "map.get('z', 5)", "map.keys() | list",
    "range(1, 10, 3) | list", "dict(a=1, b=2)", "numbers.index(2)", "true", "none", "False", "-1 | abs", "(-1) | abs",
    "name | upper | lower | length", "missing.x is defined", "numbers[9] is defined", "users | map(attribute='name') | map('lower') | join('-')",
    "range(3)[1]", "range(5)[1:3] | list", "range(5)[-1]", "range(3)[7] is defined", "range(1, 9, 2).start", "range(9).index(3)", "range(9).count(3)", "range(3).nope is defined", "2 in range(3)", "range(3) | length",
    "'abc' % {'a': 1}", "'abc' % [1]", "'%s' % 'x'", "'%(b)s' % map", "'%(z)s' % map", "'%s-%s' % (1, 'b')", "'%s' % (1, 2)", "'%5.2f|%-5s|%05d' % (1.5, 'a', 42)", "'abc' % 1",
    "'{} {}'.format(1, 'b')", "'{1}{0}'.format('a', 'b')", "'{x:>5}|{x:^5}|{y:.2f}'.format(x='a', y=1.239)", "'{:,}'.format(1234567)", "'{:02d}'.format(7)", "'{{}}'.format()", "'{}'.format()", "'{:%}'.format(0.5)", "'{:{}}'.format('a', 3)",
    "'a'.center(5, '*')", "'7'.zfill(3)", "'a'.ljust(3) ~ '|'", "'a'.rjust(3)", "'aB'.swapcase()", "'a,b,a'.split(sep=',')", "map.copy()", "dict(map, **{'d': 4})", "dict(map, d=4)",
    "missing", "missing.x", "map.zz", "1 / 0", "'a' + 1", "numbers < 3", "[1, 2] | map('nope') | list", "'x' is nope", "name.nope()",
]  # fmt: skip
STATEMENTS = [
    "{# a comment #}a{#- another -#} b", "{% raw %}{{ name }}{% endraw %}", "a {%- if yes %} b {%- endif -%} c", "  {% if yes %}\n  a\n  {% endif %}\nb",
    "{%+ if yes %}a{% endif %}", "{{ '{{' }}", "a\n", "{% if nothing %}a{% elif yes %}b{% else %}c{% endif %}", "{% if missing %}{% endif %}",
    "{% for n in numbers %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.length }} {% endfor %}",
    "{% for n in numbers %}{% if loop.first %}[{% endif %}{{ n }}{% if loop.last %}]{% else %},{% endif %}{% endfor %}",
    "{% for n in numbers %}{{ loop.cycle('a', 'b') }}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}",
    "{% for n in numbers %}{{ loop.previtem | default('-') }}{{ loop.nextitem | default('-') }} {% endfor %}",
    "{% for u in users %}{% if loop.changed(u.age) %}{{ u.age }}{% endif %}{% endfor %}", "{% for n in empty %}x{% else %}none{% endfor %}",
    "{% for n in numbers if n > 1 %}{{ loop.index }}:{{ n }} {% else %}none{% endfor %}", "{% for k, v in map.items() %}{{ k }}={{ v }} {% endfor %}",
    "{% for k in map %}{{ k }}{% endfor %}", "{% for c in name %}{{ c }}.{% endfor %}", "{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}",
    "{% for n in 5 %}{% endfor %}", "{% for n in missing %}{% endfor %}", "{% for x in [1] %}{% set y = x %}{% endfor %}{{ y }}",
    "{% set a = 1 %}{% if yes %}{% set a = 2 %}{% endif %}{{ a }}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a %}x{{ name }}{% endset %}{{ a }}",
    "{% set a | upper %}x{{ name }}{% endset %}{{ a }}", "{% set ns = namespace(n=0) %}{% for x in numbers %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}",
    "{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}", "{% with %}{% set a = 1 %}{{ a }}{% endwith %}{{ a is defined }}",
    "{% macro m(a, b='x', c=none) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(a=3, c=4) }}", "{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}", "{% macro m(a) %}{{ varargs | join(',') }}{{ kwargs.b }}{% endmacro %}{{ m(1, 2, 3, b=4) }}",
    "{% macro m(a) %}[{{ caller(a) }}]{% endmacro %}{% call(x) m(7) %}<{{ x }}>{% endcall %}", "{% filter upper %}a{{ name }}{% endfilter %}",
    "{% filter replace('a', 'o') | trim %} a {% endfilter %}", "{% include 'p' %}.", "{% include 'p' ignore missing %}.", "{% include ['p', 'sees'] %}.",
    "{% include 'sees' without context %}.", "{% set name = 'new' %}{% include 'sees' %}.", "{% import 'tools' as t %}{{ t.twice('a') }}{{ t.kept }}",
    "{% from 'tools' import twice, kept as k %}{{ twice('a', b='?') }}{{ k }}", "{% from 'tools' import nope %}{{ nope }}",
    "{% extends 'base' %}{% block head %}{{ super() }}+{% endblock %}{% block body %}{{ name }}{% endblock %}lost",
    "{% set _ = 5 | map('upper') %}{% set _x = nothing | sort if false %}ok", "{% set lazy = 5 | select %}ok", "{% set lazy = 5 | unique %}ok", "{% set lazy = users | map(attribute='nope') %}ok",
    "{% set _private = 1 %}{{ _private }}", "{% for _ in range(2) %}x{% endfor %}", "{% macro _m(_a) %}{{ _a }}{% endmacro %}{{ _m(1) }}", "{% import 'tools' as _t %}{{ _t.twice('a') }}",
    "{% macro a() %}{{ b() }}{{ later }}{% endmacro %}{% macro b() %}b{% endmacro %}{% set later = 1 %}{{ a() }}", "{% if yes %}{% set name = 'x' %}{% endif %}{{ name }}", "{% if not yes %}{% set name = 'x' %}{% endif %}{{ name }}",
    "{% for n in [1, 2] %}{% block b scoped %}{{ n }}{% endblock %}{% endfor %}",
]  # fmt: skip


def print_as_we_do(value: Any) -> Any:
    return dump(value) if value is None or isinstance(value, (bool, float, dict, list, tuple)) else value


def dump(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=2)


def stock(**options: Any) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=DictLoader(PARTIALS),
        **options,
    )


PRINTING = stock(finalize=print_as_we_do)
PLAIN = stock()
ENGINE = Engine({name: Source.of_text(text, name) for name, text in PARTIALS.items()})


def by_jinja(text: str, context: dict[str, Any], environment: ImmutableSandboxedEnvironment = PRINTING) -> str:
    try:
        return environment.from_string(text).render(context)
    except Exception:  # noqa: BLE001 -- that it fails is what is compared
        return "error"


def by_us(text: str, context: dict[str, Any]) -> str:
    try:
        return compile(Source.of_text(text), ENGINE).render(context)
    except PromptpackError:
        return "error"


TEMPLATES = [
    *(f"{{{{ {text} }}}}" for texts in (*FILTERS.values(), *TESTS.values(), EXPRESSIONS) for text in texts),
    *STATEMENTS,
]


@pytest.mark.parametrize("text", TEMPLATES)
def test_documented_features_print_as_in_jinja(text: str) -> None:
    assert by_us(text, CONTEXT) == by_jinja(text, CONTEXT)


def test_every_filter_and_test_of_jinja_has_cases() -> None:
    assert sorted(FILTERS) == sorted(JINJA_FILTER_NAMES)
    assert sorted(TESTS) == sorted(JINJA_TEST_NAMES)


PAGE = Path(__file__).parents[3] / "docs" / "reference" / "templates.md"
X = {"a": 1, "items": [1], "yes": True, "none": None, "text": "a-b", "half": 0.5}


def read_differences() -> list[tuple[str, str, str]]:
    """Return the template, Jinja's text and our text of every row; the page writes `⏎` for a newline."""
    section = PAGE.read_text(encoding="utf-8").split("## Where templates differ from Jinja\n")[1].split("\n## ")[0]
    rows = [re.split(r"(?<!\\)\|", line)[2:5] for line in section.split("\n") if line.startswith("|")][2:]
    return [tuple(_cell(cell) for cell in row) for row in rows]  # type: ignore[misc]


def _cell(text: str) -> str:
    return text.strip().strip("`").replace("\\|", "|").replace("⏎", "\n")


@pytest.mark.parametrize(("text", "jinja", "ours"), read_differences())
def test_differences_are_as_documented(text: str, jinja: str, ours: str) -> None:
    theirs = re.sub(r"<(generator object|built-in method) [^>]*>", r"<\1 …>", by_jinja(text, {"X": X}, PLAIN))
    assert theirs == jinja
    if ours.startswith("PP"):
        with pytest.raises(PromptpackError, match=f"{ours} "):
            compile(Source.of_text(text), ENGINE).render({"X": X})
    else:
        assert by_us(text, {"X": X}) == ours
    assert theirs != ours
