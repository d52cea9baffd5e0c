"""An expression compiled to a function has the same values, problems and steps as in a template."""

from collections.abc import Callable
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2.runtime import Undefined

from promptpack.problem import PromptpackError
from promptpack.template.engine import Engine
from promptpack.template.failure import RENDER_ERRORS, render_error
from promptpack.template.meter import meter, metered
from promptpack.template.model import Limits, Source
from promptpack.template.runtime import IncludeStack

LIMITS = Limits(steps=400, items=12)
TEXTS = st.sampled_from(["a", "A", "b", "", "long " * 30])
PLAIN = TEXTS | st.integers(-1, 2) | st.none() | st.booleans()
LISTS = st.lists(TEXTS, max_size=4) | st.lists(PLAIN, max_size=4) | st.lists(TEXTS, min_size=10, max_size=14)
RECORDS = st.fixed_dictionaries({"id": TEXTS | PLAIN, "needs": LISTS | PLAIN}, optional={"rare": LISTS})
VALUES = st.fixed_dictionaries(
    {
        "R": st.lists(RECORDS, max_size=4) | st.lists(RECORDS | PLAIN, max_size=3) | PLAIN,
        "W": LISTS | PLAIN,
        "D": st.dictionaries(TEXTS, PLAIN, max_size=2),
        "N": st.fixed_dictionaries({}, optional={"a": PLAIN | st.fixed_dictionaries({"b": PLAIN | LISTS})}) | PLAIN,
    },
    optional={"range": PLAIN},
)
FILTERS = st.sampled_from(
    [
        'map(attribute="id")', 'map(attribute="needs")', 'map(attribute="rare")', 'map(attribute="0")', 'map("upper")',
        "unique(case_sensitive=true)", "unique", "sort(case_sensitive=true)", "sort", "sort(reverse=true)", "flatten",
        'reject("in", W)', 'select("in", W)', 'select("in", R | map(attribute="id") | list)', 'reject("in", "ab")',
        'reject("in", W | map("upper"))', 'select("string")', "list", "first", "length", "join", "reverse", "sum",
        'selectattr("id", "eq", "a")', 'rejectattr("rare")',
    ]
)  # fmt: skip
STARTS = st.sampled_from(["R", "W", "D", "R[0]", "R.id", "D.a", "[W, W]", "[W, missing]", "range(3)", "dict(a=W)"])
CHAINS = st.builds(lambda start, more: " | ".join([start, *more]), STARTS, st.lists(FILTERS, max_size=5))
OPERATORS = ["==", "!=", "in", "not in", "and", "or not", "<", "~", "if W else"]
TESTS = ["defined", "undefined", "mapping", "string", "none", "true", "not false", "number"]
# Paths that occur several times are looked up once, also if they do not exist.
PATHS = st.sampled_from(["D.a", "D.a.b", 'D["a"]', "R.id", "missing.a", "N.a.b", "N.a.b.c", 'N["a"].b', "N.a"])
CHECKS = st.builds("({} is {})".format, PATHS | CHAINS, st.sampled_from(TESTS))
SIDES = CHAINS | PATHS | CHECKS | st.sampled_from(["['a', 1]", "'a'", "1"])
EXPRESSIONS = CHAINS | st.recursive(
    SIDES, lambda inner: st.builds("({}) {} ({})".format, inner, st.sampled_from(OPERATORS), inner), max_leaves=4
)


PRINTED = (bool, int, str, list, dict, type(None))


ENGINE = Engine(limits=LIMITS)


def run_metered(source: Source, run: Callable[[], Any]) -> tuple[str, int]:
    """Return the value or the problems as text, and the remaining steps."""
    with metered(LIMITS):
        try:
            value = run()
            result = str(value) if isinstance(value, Undefined) else value
        except RENDER_ERRORS as error:
            result = [str(problem) for problem in render_error(error, source).problems]
        except PromptpackError as error:
            result = [problem.message for problem in error.problems]
        used = meter()
        assert used is not None
        return (repr(result) if isinstance(result, PRINTED) else type(result).__name__), used.steps


def both(text: str, values: dict[str, Any]) -> tuple[tuple[str, int], tuple[str, int]]:
    source = Source.of_text(text)
    tree = ENGINE.prepare_expression(source)
    function: Any = ENGINE.load_expression(tree, source).root_render_func
    code = ENGINE.load(tree, source)
    scope = code.start_context(values, IncludeStack())

    def assigned() -> Any:
        list(code.root_render_func(scope))
        return scope.vars["result"]

    return run_metered(source, lambda: function(values)), run_metered(source, assigned)


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS, VALUES)
@example('R | map(attribute="id") | unique(case_sensitive=true) | list | length', {"R": [{"id": "a"}] * 3, "W": []})
@example('W | reject("in", W) | length', {"R": [], "W": ["a"]})
@example('R | map(attribute="needs") | flatten | reject("in", W) | list', {"R": [{"needs": ["a", "b"]}], "W": ["b"]})
@example('R | map(attribute="id") | sort(case_sensitive=true)', {"R": [{"id": "b"}, {"id": "a"}], "W": ["b"]})
@example("W | sort(case_sensitive=true)", {"R": [], "W": ["b " * 60, "a"]})
@example("N.a.b == N.a.b and N.a.b is defined and N.a.c is not defined", {"N": {"a": {"b": "x"}}})
@example("N.a is mapping and N.a.b is string and N.a.b not in ['a', 'b']", {"N": {"a": {"b": "x"}}})
@example("N.a.b == missing", {"N": {"a": {"b": "x" * 100}}})
def test_an_expression_has_the_same_result_as_in_a_template(text: str, values: dict[str, Any]) -> None:
    (result, steps), (template_result, template_steps) = both(text, values)
    assert result == template_result
    # A filter that is stopped has counted only a part of its work.
    assert steps == template_steps or max(steps, template_steps) < 0
