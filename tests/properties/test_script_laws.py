"""Scripts against the compiled templates they stand for: the same text, or left to the template."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.problem import ContextError
from promptpack.template import Engine, Limits, Source, compile  # noqa: A004
from promptpack.template.late import Shelf
from promptpack.template.script import UnusualError, follow

PARTIALS = {"inner": Source.of_text("<{{ a }}>\n"), "outer": Source.of_text('{% include "inner" %}\n{{ b.c }}')}
ENGINE = Engine(PARTIALS)
SHELF = Shelf(PARTIALS, Limits())

words = st.sampled_from(["a", "b", "c", "d"])
texts = st.text(st.sampled_from("ab ü`~<[|\n字"), max_size=8)
literals = st.sampled_from(["'x'", "''", "0", "7", "true", "false", "none", '"、"'])
values = st.recursive(
    words | words.map(lambda word: f"{word}.c") | words.map(lambda word: f"{word}['d']") | literals,
    lambda inner: st.one_of(
        inner.map(lambda value: f"(not {value})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(inner, st.sampled_from(["fenced", "fenced('json')", "length", "join(', ')"])).map(
            lambda parts: f"({parts[0]}) | {parts[1]}"
        ),
    ),
    max_leaves=4,
)
pieces = st.recursive(
    texts.map(lambda text: text.replace("{", ""))
    | values.map(lambda value: f"{{{{ {value} }}}}")
    | st.sampled_from(['{% include "outer" %}', '{% include "inner" -%}']),
    lambda inner: st.tuples(values, inner, values, inner, inner).map(
        lambda parts: "{{% if {} %}}{}{{%- elif {} %}}\n{}{{% else -%}} {}{{% endif %}}\n".format(*parts)
    ),
    max_leaves=6,
)
templates = st.lists(pieces, max_size=4).map("".join)
plain = st.recursive(
    texts | st.integers(-9, 9) | st.booleans() | st.none() | st.floats(-1e3, 1e3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(templates, st.dictionaries(words, plain))
def test_a_script_writes_what_its_template_writes(text: str, context: dict[str, Any]) -> None:
    source = Source.of_text(text)
    template = SHELF.template(source, "abcd", lambda: compile(source, ENGINE))
    assert template is not None
    assert template.script is not None
    try:
        written = follow(template.script, context)
    except UnusualError:
        return
    assert written == rendered(template.render, context)


def rendered(render: Any, context: dict[str, Any]) -> str:
    try:
        return str(render(context))
    except ContextError as error:
        return f"refused: {error}"
