"""An expression as a plain function gives what it gives as a template of Jinja's: values, problems and steps."""

from collections.abc import Callable
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2 import nodes
from jinja2.compiler import Frame
from jinja2.runtime import Undefined

from promptpack.problem import PromptpackError
from promptpack.template import Source
from promptpack.template.codegen import PackGenerator
from promptpack.template.engine import Engine
from promptpack.template.failure import RENDER_ERRORS, render_error
from promptpack.template.limits import Limits
from promptpack.template.meter import meter, metered
from promptpack.template.output_codegen import OutputGenerator
from promptpack.template.partials import Trail

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
EXPRESSIONS = CHAINS | st.builds(
    "({}) {} ({})".format, CHAINS, st.sampled_from(["==", "in", "and", "or not", "<", "~", "if W else"]), CHAINS
)


PRINTED = (bool, int, str, list, dict, type(None))


class WithoutChains(PackGenerator):
    """Writes filters one by one."""

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802 -- Jinja's visitor name
        OutputGenerator.visit_Filter(self, node, frame)


FUNCTION_ENGINE, TEMPLATE_ENGINE = Engine(limits=LIMITS), Engine(limits=LIMITS)
TEMPLATE_ENGINE.environment.code_generator_class = WithoutChains


def outcome(source: Source, run: Callable[[], Any]) -> tuple[str, int]:
    """Give the value, or what is said of it, with the steps that are left."""
    with metered(LIMITS):
        try:
            value = run()
            said = str(value) if isinstance(value, Undefined) else value
        except RENDER_ERRORS as error:
            said = [str(problem) for problem in render_error(error, source).problems]
        except PromptpackError as error:
            said = [problem.message for problem in error.problems]
        left = meter()
        assert left is not None
        return (repr(said) if isinstance(said, PRINTED) else type(said).__name__), left.steps


def both(text: str, values: dict[str, Any]) -> tuple[tuple[str, int], tuple[str, int]]:
    source = Source.of_text(text)
    function: Any = FUNCTION_ENGINE.load_expression(FUNCTION_ENGINE.parse_expression(source), source).root_render_func
    code = TEMPLATE_ENGINE.load(TEMPLATE_ENGINE.parse_expression(source), source)
    scope = code.start(values, Trail())

    def assigned() -> Any:
        list(code.root_render_func(scope))
        return scope.vars["result"]

    return outcome(source, lambda: function(values)), outcome(source, assigned)


@settings(max_examples=500, deadline=None)
@given(EXPRESSIONS, VALUES)
@example('R | map(attribute="id") | unique(case_sensitive=true) | list | length', {"R": [{"id": "a"}] * 3, "W": []})
@example('W | reject("in", W) | length', {"R": [], "W": ["a"]})
@example('R | map(attribute="needs") | flatten | reject("in", W) | list', {"R": [{"needs": ["a", "b"]}], "W": ["b"]})
@example('R | map(attribute="id") | sort(case_sensitive=true)', {"R": [{"id": "b"}, {"id": "a"}], "W": ["b"]})
@example("W | sort(case_sensitive=true)", {"R": [], "W": ["b " * 60, "a"]})
def test_a_function_gives_what_a_template_gives(text: str, values: dict[str, Any]) -> None:
    (said, left), (said_by_jinja, left_by_jinja) = both(text, values)
    assert said == said_by_jinja
    # A filter that is stopped had counted less than all of its work.
    assert left == left_by_jinja or max(left, left_by_jinja) < 0
