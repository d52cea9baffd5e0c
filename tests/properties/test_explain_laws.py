"""An explained prompt has the text of the prompt, its spans cover it, name every input in it, and show no secret."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptpack import Budget, ContextError, Explanation, Library, Pack, PackError, Prompt
from promptpack.cli.explain_html import write_html
from promptpack.cli.explain_text import write_text
from promptpack.prompt.provenance.explaining import trace_text
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source, Syntax
from promptpack.template.tracing.engine import PieceOrigin, TracingEngine
from promptpack.template.tracing.traced_text import TracedText
from tests.properties.template_grammar import PARTIALS, contexts, templates
from tests.properties.test_handlebars_laws import NAMES, VALUES, WHOLE
from tests.properties.test_handlebars_laws import PARTIALS as PARTIAL_NAMES

PACKS = Path(__file__).parent / "explained_packs"
SHIPPED = Library.open()


def trace(text: str, partials: dict[str, str], context: Any, syntax: Syntax = "jinja") -> tuple[str, TracedText] | None:
    """Return the ordinary text and the traced one, or None if the template cannot be rendered."""
    engine = Engine({name: Source.of_text(one, name, syntax) for name, one in partials.items()}, caching=True)
    template = compile(Source.of_text(text, "main", syntax), engine)
    try:
        expected = template.render(context)
    except ContextError:
        return None
    traced = TracingEngine(engine).trace(template).render(context)
    assert isinstance(traced, TracedText)
    return expected, traced


def assert_covers(traced: TracedText) -> None:
    assert sum(size for size, _ in traced.runs) == len(traced)
    assert all(size > 0 for size, _ in traced.runs)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(templates(), contexts)
def test_a_traced_template_has_the_text_of_the_template(text: str, context: dict[str, Any]) -> None:
    found = trace(text, PARTIALS, context)
    if found is not None:
        assert found[0] == found[1]
        assert_covers(found[1])


@settings(max_examples=40)
@given(WHOLE, WHOLE, st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_a_traced_handlebars_template_has_the_text_of_the_template(
    text: str, partial: str, context: dict[str, Any]
) -> None:
    partials = {name: partial.replace("{{> ", "{{! ") for name in PARTIAL_NAMES}
    try:
        found = trace(text, partials, context, "handlebars")
    except PackError:
        return
    if found is not None:
        assert found[0] == found[1]
        assert_covers(found[1])


# Texts that no template contains, so that their way through a template can be followed.
CANARIES = {"A": "q1a", "B": "q2b", "C": "q3c"}
CANARY_CONTEXT = {"A": "q1a", "B": {"x": "q2b", "l": ["q2b", "_q2b"]}, "C": [{"n": "q3c", "m": {"q3c": "q3c"}}]}
STATEMENTS = (
    "text\n", "{{ A }}", "{{ B.x }}", "{{ B }}", "{{ C[0].n | upper }}", "{{ A ~ x }}", "{{ x }}", "{{ y }}",
    "{% set x = A %}", "{% set x = B.x ~ A %}", "{% set x %}{{ C[0].n }}-{% endset %}", "{% set x, y = A, B.l %}",
    "{% for x in B.l %}{{ x }}{% endfor %}", "{% for c in C %}{{ c.n }}{{ c.m }}{% set x = c %}{% endfor %}",
    "{% for k, v in B.items() %}{{ k }}{{ v }}{% endfor %}", "{{ m(x) }}", "{{ m(A, y=B.x) }}", "{{ late() }}",
    "{% filter upper %}{{ B.x }}{% endfilter %}", "{% call wrap() %}{{ A }}{% endcall %}",
    "{% call(z) give(B.x) %}{{ z }}{% endcall %}", "{% with x = C %}{{ x }}{% include 'p' %}{% endwith %}",
    "{% include 'p' %}", "{% include 'q' %}", "{% from 'lib' import show %}{{ show(A) }}", "{{ A if B.x else C }}",
    "{% import 'lib' as lib with context %}{{ lib.show(x) }}{{ lib.shown }}", "{{ x | fenced }}", "{{ n.v }}",
    "{% set n.v = A %}", "{% set n.v = n.v ~ B.x %}", "{% if A %}{% set x = C[0].n %}{% else %}{% set x = B %}{% endif %}",
    "{{ loop }}", "{{ [A, x] | join }}", "{{ {'k': x} }}", "{{ '%s' | format(x) }}", "{{ A.replace('q', x) }}",
    "{% block b1 %}{{ x }}{{ A }}{% endblock %}", "{{ (x, y) }}", "{% for w in B.l %}{% set n.v = n.v ~ w %}{% endfor %}",
    "{{ x | default(A) }}", "{{ fill(n) }}",
)  # fmt: skip
HEAD = (
    "{% set n = namespace(v='') %}{% set x = '' %}{% set y = '' %}"
    "{% macro m(v, y='') %}<{{ v }}{{ y }}>{% endmacro %}{% macro wrap() %}({{ caller() | trim }}){% endmacro %}"
    "{% macro give(v) %}{{ caller(v) }}{% endmacro %}{% macro late() %}{{ x }}{{ n.v }}{% endmacro %}"
    "{% macro fill(space) %}{% set space.v = C[0].n %}{% endmacro %}"
)
CANARY_PARTIALS = {
    "p": "p:{{ x | default('') }}{% include 'q' %}{% for x in C %}{{ x.n }}{% endfor %}",
    "q": "{{ y | default('') }}{{ A }}{% set x = B %}{{ x }}",
    "lib": "{% macro show(v) %}[{{ v }}]{% endmacro %}{% set shown = 'no' %}",
    "base": "{% set x = B.x %}<{% block body %}{{ A }}{% endblock %}|{% block end %}{{ x }}{% endblock %}>",
}


def bodies(options: tuple[str, ...] = STATEMENTS) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([one for one in options if "block" not in one]), max_size=8).map("".join)


def assert_canaries_are_named(traced: TracedText) -> None:
    for piece, origin in traced.pieces():
        assert isinstance(origin, PieceOrigin)
        names = {read.name for read in origin.reads or ()}
        inside = {name for name, canary in CANARIES.items() if canary in piece.lower()}
        assert inside <= names, (piece, origin)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(bodies())
def test_a_text_that_contains_an_input_names_it(body: str) -> None:
    found = trace(HEAD + body, CANARY_PARTIALS, CANARY_CONTEXT)
    if found is not None:
        assert found[0] == found[1]
        assert_canaries_are_named(found[1])


@pytest.mark.parametrize(
    "body",
    [
        "{{ fill(n) }}{{ late() }}",
        "{% set x = A %}{{ late() }}{% set x = B %}",
        "{% set x = A %}{% block b %}{{ x }}{% endblock %}{% set x = B %}",
        "{% for x in B.l %}{% block b scoped %}{{ x }}{% endblock %}{% endfor %}",
    ],
)
def test_a_name_with_several_values_names_the_right_one(body: str) -> None:
    found = trace(HEAD + body, CANARY_PARTIALS, CANARY_CONTEXT)
    assert found is not None
    assert found[0] == found[1]
    assert_canaries_are_named(found[1])


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{{% macro m{i}() %}}" for i in range(40)) + "{{ A }}" + "{% endmacro %}" * 40 + "{{ m0() }}",
        "".join(f"{{% block b{i} %}}" for i in range(40)) + "{{ A }}" + "{% endblock %}" * 40,
    ],
)
def test_nested_macros_and_blocks_are_analysed_in_bounded_time(text: str) -> None:
    found = trace(text, {}, {"A": "a"})
    assert found is not None
    assert found[0] == found[1]


@settings(max_examples=40)
@given(bodies(), bodies())
def test_blocks_of_a_parent_name_their_inputs(body: str, end: str) -> None:
    blocks = f"{{% block body %}}{{{{ super() }}}}{HEAD}{body}{{{{ y }}}}{{% endblock %}}{{% block end %}}{HEAD}{end}{{% endblock %}}"
    child = "{% extends 'base' %}{% set y = C[0].n %}" + blocks
    found = trace(child, CANARY_PARTIALS, CANARY_CONTEXT)
    if found is not None:
        assert found[0] == found[1]
        assert_canaries_are_named(found[1])


def shipped_prompts() -> Iterator[Prompt]:
    for entry in SHIPPED.list():
        pack = SHIPPED.get(f"{entry.name}@{entry.version}", entry.locale)
        for test in () if pack.abstract else pack.tests[:3]:
            if "problems" not in test.expect:
                yield pack.render(test.context)


def check(prompt: Prompt) -> Explanation:
    """Check the laws of one prompt."""
    traced, explanation = trace_text(prompt), prompt.explain()
    assert traced == prompt.to_text()
    assert_covers(traced)
    position = 0
    for span in explanation.spans:
        assert span.start == position < span.end
        assert span.text == explanation.text[span.start : span.end]
        position = span.end
    assert position == len(explanation.text)
    if not any(declared.secret for declared in prompt.pack.inputs.values()):
        assert explanation.text == prompt.to_text()
    json.dumps(explanation.to_dict())
    return explanation


def test_the_shipped_prompts_are_covered() -> None:
    assert sum(1 for prompt in shipped_prompts() if check(prompt).spans) > 25


_TEXTS = st.text(
    st.sampled_from("aB [\n]:`\\<>&\"'{%}中\u200b\u202e\ue000\r\t") | st.characters(codec="utf-8"), max_size=12
)
_LINES = st.lists(_TEXTS | st.sampled_from(["[system]", "[user x]", "\\[tool]", "system:", "[INFO]:"]), max_size=4)
_HOSTILE = _LINES.map("\n".join)
_HISTORY = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": _HOSTILE})
    | st.fixed_dictionaries(
        {"role": st.just("user"), "content": st.lists(_HOSTILE.map(lambda t: {"type": "text", "text": t}), max_size=2)}
    )
    | st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.none() | _HOSTILE,
            "tool_calls": st.just([{"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}}]),
        }
    ),
    max_size=3,
)
_DATA = st.recursive(
    _HOSTILE | st.integers(), lambda inner: st.dictionaries(st.sampled_from("ab"), inner), max_leaves=3
)
CONTEXTS = st.fixed_dictionaries(
    {"TEXT": _HOSTILE, "DATA": _DATA, "FLAG": st.booleans()}, optional={"KEY": _HOSTILE, "HISTORY": _HISTORY}
)


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.open(str(PACKS))


@pytest.mark.parametrize("model", ["", "wrap-1"])
@pytest.mark.parametrize("name", ["messages", "braces", "slots"])
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(context=CONTEXTS, limit=st.none() | st.integers(60, 400))
def test_spans_cover_every_prompt(
    library: Library, name: str, model: str, context: dict[str, Any], limit: int | None
) -> None:
    pack: Pack = library.get(name).for_model(model)
    try:
        prompt = pack.render(context)
        prompt = prompt if limit is None else prompt.within(Budget(limit))
    except ContextError:
        return
    check(prompt)


@pytest.mark.parametrize("name", ["messages", "braces", "slots"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=_HOSTILE, data=_HOSTILE, said=_HOSTILE, is_nested=st.booleans())
def test_a_span_names_the_inputs_in_it_and_trusts_them_no_more(
    library: Library, name: str, text: str, data: str, said: str, is_nested: bool
) -> None:
    values = {
        "TEXT": f"q1a{text}",
        "DATA": {"a": f"{data}q2b"} if is_nested else f"{data}q2b",
        "HISTORY": [{"role": "user", "content": f"{said}q3c{said}"}],
    }
    try:
        explanation = check(library.get(name).for_model("wrap-1").render(values, FLAG=True))
    except ContextError:
        return
    for span in explanation.spans:
        names = {re.split(r"[.\[]", one)[0] for one in span.inputs}
        inside = {one for one, canary in zip(values, ("q1a", "q2b", "q3c"), strict=True) if canary in span.text.lower()}
        assert inside <= names
        assert not inside & {"TEXT", "HISTORY"} or span.trust != "trusted"


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=_HOSTILE, secret=st.text(st.sampled_from("aB]:`\\<>&\"'{%}中|é"), max_size=6))
def test_a_secret_is_hidden_in_every_form(library: Library, text: str, secret: str) -> None:
    canary = f"k7f3{secret}9x2"
    prompt = library.get("messages").render(TEXT=text + canary, DATA={"a": canary}, FLAG=True, KEY=canary)
    assert canary in trace_text(prompt)
    explanation = check(prompt)
    for form in (
        write_text(explanation),
        write_html(explanation),
        json.dumps(explanation.to_dict()),
        repr(explanation),
    ):
        assert "k7f3" not in form
        assert "9x2" not in form


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(context=CONTEXTS)
def test_the_page_shows_the_text_and_nothing_of_it_is_markup(library: Library, context: dict[str, Any]) -> None:
    try:
        explanation = library.get("messages").render(context).explain()
    except ContextError:
        return
    page = write_html(explanation)
    body = page[page.index("<pre>\n") + 6 : page.index("</pre>")]
    assert set(re.findall(r"<[^>]*>", body)) <= set(
        re.findall(r'<span class="[a-z ]+" tabindex="0" data-origin="[^"<>]*">|</span>|</?i>', body)
    )
    shown = re.sub(r"<i>U\+([0-9A-F]+)</i>", lambda found: chr(int(found[1], 16)), body)
    assert unescape(re.sub(r"<[^>]*>", "", shown)) == explanation.text


def test_an_explanation_does_not_change_the_code_of_a_template() -> None:
    pack = SHIPPED.get("planner", "en")
    content: Any = pack.messages[0].content
    before = content.code.compiled.code
    pack.render(pack.tests[0].context).explain()
    assert content.code.compiled.code is before
    root = next(one for one in before.co_consts if getattr(one, "co_name", "") == "root")
    assert "refuse_output" in root.co_names
    assert "trace" not in root.co_names
