"""The fast code prints the same as Jinja's, for unusual values too, and within every limit."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack import ContextError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.meter import LimitError
from promptpack.template.model import Limits, Source
from promptpack.template.values import _default_writer, to_json

ENGINE = Engine()


def render(text: str, engine: Engine | None = None, **context: Any) -> str:
    return compile(Source.of_text(text, "t"), engine or ENGINE).render(context)


_leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_values = st.recursive(_leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


_numbers = st.floats(1e-4, 1e16) | st.floats(-1e16, -1e-4) | st.integers(-(2**65), 2**65)


@contextmanager
def orjson_is(module: Any) -> Iterator[None]:
    """Replace orjson by another module, or by None."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "orjson", module)
        _default_writer.cache_clear()
        yield
    _default_writer.cache_clear()


def written(value: Any) -> str:
    """Write a value with and without orjson."""
    text = to_json(value)
    with orjson_is(None):
        assert to_json(value) == text
    return text


@settings(deadline=None)
@given(_values, st.integers(1, 8))
def test_json_is_the_same_as_pythons(value: Any, indent: int) -> None:
    assert to_json(value, indent) == json.dumps(value, ensure_ascii=False, indent=indent)


@settings(deadline=None)
@given(_values | st.lists(_numbers) | st.lists(st.characters(max_codepoint=0x2FF)))
def test_json_is_the_same_with_and_without_orjson(value: Any) -> None:
    assert written(value) == json.dumps(value, ensure_ascii=False, indent=2)


@pytest.mark.parametrize("number", [1e-7, 0.00001, 1e-4, 1e15, 1e16, 1e22, -1e-5, -0.0, 5e-324, 2**70, 10**100])
def test_numbers_that_other_writers_format_differently_are_written_as_in_python(number: float) -> None:
    assert written({"n": number}) == json.dumps({"n": number}, indent=2)


@pytest.mark.parametrize("text", ["1e5", "2e-7", "0.00001", "the 0.0000", "e1", "1 e5"])
def test_texts_that_look_like_such_numbers_are_written_unchanged(text: str) -> None:
    assert written({"n": text, text: 1}) == json.dumps({"n": text, text: 1}, indent=2)


@pytest.mark.parametrize("indent", [2, None])
def test_texts_that_are_too_long_together_are_refused_before_writing(
    indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("json.dumps", lambda *_, **__: pytest.fail("written"))
    with pytest.raises(LimitError, match="a text is longer than 4,000,000 characters"):
        to_json(["x" * 3_000_000] * 100, indent)


@pytest.mark.parametrize("value", [["\ud800"], {"k": "\udfff"}, {"\ud800": [2**64]}])
def test_half_of_a_surrogate_pair_is_left_to_python(value: Any) -> None:
    assert written(value) == json.dumps(value, ensure_ascii=False, indent=2)


def test_orjson_writes_only_the_indent_that_it_supports() -> None:
    fake = SimpleNamespace(dumps=lambda *_: b"by orjson", OPT_INDENT_2=1, JSONEncodeError=TypeError)
    with orjson_is(fake):
        assert [to_json(["x"], indent) for indent in (2, 1)] == ["by orjson", '[\n "x"\n]']


def test_keys_of_other_types_print_as_text() -> None:
    assert render("{{ {1: 'a', false: 2} | json(1) }}") == '{\n "1": "a",\n "false": 2\n}'


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("{{ X.a.b }}", "1"),
        ("{{ X.a['b'] }}", "1"),
        ("{{ X.none }}|{{ X.yes }}|{{ X.half }}", "null|true|0.5"),
        ("{{ X.list }}", "[\n  1\n]"),
        ("{% if X.yes %}y{% elif X.none %}n{% else %}e{% endif %}!", "y!"),
        ("{% if X.none %}y{% elif X.yes %}{{ X.a.b }}{% else %}e{% endif %}!", "1!"),
        ("{% if X.none %}y{% endif %}{% if X.yes %}z{% endif %}", "z"),
        ("{% for i in X.list %}{{ loop.index }}{{ loop.last }}{{ loop.length }}{{ loop.first }}{% endfor %}", "1true1true"),
        ("{% for a in [1, 2, 3] %}{{ loop.previtem | default('-') }}{{ loop.nextitem | default('-') }} {% endfor %}", "-2 13 2- "),
        ("{% for a in [1, 2] %}{% set outer = loop %}{% for b in 'xy' %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}", "11 12 21 22 "),
        ("{% set ns = namespace(n=0) %}{% for a in [1, 2, 3] if ns.n < 2 %}{% set ns.n = ns.n + 1 %}{{ loop.index }}{% endfor %}", "12"),
        ("{% for a in 'xy' %}{{ loop.index }}{% for b in 'z' * loop.index %}{{ loop.index0 }}{% if loop.first %}f{% endif %}{% endfor %} {% endfor %}", "10f 20f1 "),
        ("{% for a in 'xy' %}{{ loop.first }} {% for b in [] %}{% else %}{{ loop.index }}{% endfor %} {% endfor %}", "true 1 false 2 "),
        ("{% for k, v in {'a': 1, 'b': 2}.items() %}{{ loop.index }}{{ k }}{{ v }}{{ loop.index0 ~ '.' }}{% endfor %}", "1a10.2b21."),
        ("{% for a in [1, 2] %}{{ loop.index }}{% for b in [3] if loop.index == 2 %}{{ loop.index }}{% endfor %} {% endfor %}", "1 21 "),
        ("{% for a in 'xy' %}{% macro m() %}{{ loop is defined }}{% endmacro %}{{ loop.index }}{{ m() }}{% endfor %}", "1true2true"),
        ("{% for a in 'xy' %}{% set b = loop.index %}{% set c = a ~ b %}{{ c }}{% endfor %}", "x1y2"),
        ("{{ X.a | length }}{{ 'ab' | length }}{{ (1, 2) | length }}", "122"),
        ("{{ 5 | upper }}{{ none | upper }}{{ 'é' | upper }}", "5NULLÉ"),
        ("{{ [1, 'a', none] | join('-') }}", "1-a-null"),
        ("{{ X is mapping }} {{ namespace(a=1) is mapping }} {{ X.q is string }}", "true false false"),
        ("{{ X.none is none }} {{ X.q is defined }} {{ q is undefined }} {{ X.yes is not false }}", "true false true true"),
        ("{{ '{{' }}{{ '%}' }}{% raw %}{x}{% endraw %}", "{{%}{x}"),
    ],
)  # fmt: skip
def test_unusual_values_print_the_same(text: str, printed: str) -> None:
    assert render(text, X={"a": {"b": 1}, "none": None, "yes": True, "half": 0.5, "list": [1]}) == printed


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("{{ X.a }}{{ X.b.c }}", "t:1:16"),
        ("a\n{{ X.a }} {% if X.yes %}{{ X.nope }}{% endif %}", "t:2:29"),
        ("{% if X.a %}{% elif X.nope %}x{% endif %}", "t:1:21"),
        ("{% for a in [1] %}{{ loop.nope }}{% endfor %}", "t:1:26"),
    ],
)
def test_an_error_inside_merged_output_has_its_own_location(text: str, location: str) -> None:
    with pytest.raises(ContextError) as caught:
        render(text, X={"a": "", "b": "text", "yes": True})
    assert str(caught.value).startswith(f"{location}: PP401")


LONG = Limits(output=1_000)


@pytest.mark.parametrize(
    "text",
    [
        "{{ X }}{{ X }}{{ X }}",
        "{% for a in range(20) %}" + "x" * 99 + "{% endfor %}",
        "{% macro m() %}{% for a in range(20) %}" + "x" * 99 + "{% endfor %}{% endmacro %}{% set y = m() %}",
        "{% set y %}{% for a in range(20) %}{{ X }}{% endfor %}{% endset %}",
        "{% set y %}{% for a in range(9) %}{% include 'long' %}{% endfor %}{% endset %}",
        "{% import 'long' as long with context %}{% import 'longer' as longer %}",
        "{% for a in range(3) %}{% if true %}{{ X }}{% endif %}{% endfor %}",
    ],
)
def test_all_output_is_counted(text: str) -> None:
    partials = {"long": Source.of_text("y" * 300, "long"), "longer": Source.of_text("y" * 1_200, "longer")}
    with pytest.raises(ContextError, match="PP422 template writes more than 1,000 characters"):
        render(text, Engine(partials, LONG), X="z" * 400)


def test_the_text_of_an_import_is_not_part_of_the_output() -> None:
    partials = {"long": Source.of_text("y" * 900 + "{% macro m() %}m{% endmacro %}", "long")}
    text = "{% from 'long' import m %}{{ m() }}{% from 'long' import m as n %}{{ n() }}" + "x" * 900
    assert len(render(text, Engine(partials, LONG))) == 902


def test_output_stops_at_the_first_piece_beyond_the_limit() -> None:
    engine = Engine(limits=Limits(output=200_000))
    with pytest.raises(ContextError, match="PP422"):
        render("{% for a in range(50) %}{{ X }}.{% endfor %}", engine, X="z" * 90_000)
