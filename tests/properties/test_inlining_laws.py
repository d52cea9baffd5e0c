"""An inlined partial never shows: the same text, or the same error at the same place, as an included one."""

from typing import Any
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st

from promptpack.problem import ContextError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source

_PIECES = (
    "text\n", "{{ a }}", "{{ b.c }}", "{{ x }}", "{% if a %}{{ b | upper }}{% endif %}\n", "{{ missing }}",
    "{% for x in b %}{{ loop.index }}{{ x }}{% endfor %}", "{{ a | fenced }}", "\n{{ b.c.d }}", "{{ loop }}",
    "{% with x = a %}{{ x }}{% endwith %}",
)  # fmt: skip
_OUTER = (
    *_PIECES, '{% include "p" %}\n', '{% include "q" %}', '{% if a %}{% include "p" %}{% else %}{% include "q" %}{% endif %}',
    '{% for x in b %}{% include "p" %}{% endfor %}', "{% set x = 1 %}", "{% if a %}{% set x = b %}{% endif %}",
    '{% set a = 7 %}{% include "q" %}', '{% include "p" without context %}',
    "{% for y in b %}{{ a }}{% endfor %}", "{% for a in b %}{{ a }}{% endfor %}", "{% macro a() %}{{ x }}{% endmacro %}",
)  # fmt: skip
_VALUES = st.none() | st.integers(-1, 2) | st.text("ab`", max_size=4) | st.lists(st.integers(0, 2), max_size=2)
_CONTEXTS = st.fixed_dictionaries({"a": _VALUES, "b": _VALUES | st.fixed_dictionaries({"c": _VALUES})})


def pieces(options: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(options), max_size=5).map("".join)


def outcome(text: str, partials: dict[str, Source], context: dict[str, Any]) -> Any:
    try:
        return compile(Source.of_text(text), Engine(partials, caching=True)).render(context)
    except ContextError as error:
        return error.problems


@settings(max_examples=100)
@example('{% for y in b %}{{ a }}{% endfor %}{% include "p" %}{% set a = 7 %}', "{{ a }}", "", {"a": 1, "b": [0]})
@given(pieces(_OUTER), pieces(_PIECES), pieces(_PIECES), _CONTEXTS)
def test_an_inlined_partial_renders_as_an_included_one(text: str, p: str, q: str, context: dict[str, Any]) -> None:
    partials = {name: Source.of_text(partial, name) for name, partial in (("p", p), ("q", q))}
    with patch("promptpack.template.includes._MAX_INLINED", -1):
        expected = outcome(text, partials, context)
    assert outcome(text, partials, context) == expected
