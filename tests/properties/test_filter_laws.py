"""Filters, tests, functions and methods on any plain data: a result or a problem, never an error of Python."""

import inspect
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack import ContextError, PackError
from promptpack.template import history
from promptpack.template.compiling import compile as compile_template
from promptpack.template.engine import Engine
from promptpack.template.language import FILTERS, FUNCTIONS, METHODS, TESTS
from promptpack.template.model import Source

ENGINE = Engine()
SCALARS = st.sampled_from([None, True, 0, -1, 2.5, 10**30, "", "ab", "{}", "[1]", "json-schema"])
KEYS = st.sampled_from(["a", "name", "role", "content", "function", "parameters", "properties", "type", "schema_text"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)
CALLABLES = sorted(
    [
        *(("filter", name) for name in FILTERS),
        *(("test", name) for name in TESTS),
        *(("function", name) for name in FUNCTIONS),
        *(("method", name) for names in METHODS.values() for name in names),
    ]
)


@st.composite
def calls(draw: st.DrawFn) -> str:
    """Draw a call with up to three arguments, one of them by its name."""
    kind, name = draw(st.sampled_from(CALLABLES))
    arguments = ["a", "b", "c"][: draw(st.integers(0, 3))]
    if kind == "filter" and arguments and draw(st.booleans()):
        function = getattr(history, name, None) or inspect.unwrap(FILTERS[name])
        if not inspect.isbuiltin(function):
            arguments[-1] = f"{draw(st.sampled_from(list(inspect.signature(function).parameters)))}={arguments[-1]}"
    called = f"{name}({', '.join(arguments)})"
    match kind:
        case "filter":
            return draw(st.sampled_from(["{{ x | %s }}", "{{ [x] | map(attribute='a') | %s }}"])) % called
        case "test":
            return f"{{{{ x is {called} }}}}"
        case "function":
            return f"{{{{ {called} }}}}"
        case _:
            return f"{{{{ x.{called} }}}}"


@settings(max_examples=1_500)
@given(calls(), st.fixed_dictionaries(dict.fromkeys("abcx", VALUES)))
def test_a_call_gives_a_result_or_a_problem(template: str, context: dict[str, Any]) -> None:
    try:
        compile_template(Source.of_text(template), ENGINE).render(context)
    except (ContextError, PackError) as error:
        assert all(problem.message and problem.hint for problem in error.problems)
