"""Whatever is proven of a reply at once is what its rules say one by one, within the same limits."""

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from promptpack.problem import ContextError
from promptpack.template import Source, compile_expression, default_engine, metered
from promptpack.template.bounds import Limits
from promptpack.template.proving import Proof

KEYS = ("a", "b", "id", "dependencies")
LEAVES = st.sampled_from(["a", "b", "A", "", "long " * 50, 0, 1, 2.5, True, False, None])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
TEXTS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)
TASKS = st.lists(st.fixed_dictionaries({"id": st.sampled_from("abc"), "dependencies": TEXTS, "a": TREES}), max_size=4)
VALUES = st.fixed_dictionaries({"a": TASKS | TREES, "b": TEXTS | TREES, "id": LEAVES})
PATHS = st.sampled_from(["reply", "reply.a", "reply.b", "reply.id", "reply.a.b", "POOL", "POOL.a", "POOL.b", "POOL.id"])
FILTERS = st.sampled_from(
    [
        'map(attribute="id")', 'map(attribute="dependencies")', 'map(attribute="a")', "flatten", "list", "length",
        "unique(case_sensitive=true)", "sort(case_sensitive=true)", 'reject("in", POOL.b)', 'select("in", reply.b)',
        'reject("in", reply.a | map(attribute="id") | list)', "out_of_order(reply.b)", "trim", "count", "unique", "sort",
    ]
)  # fmt: skip
CHAINS = st.builds(lambda start, more: " | ".join([start, *more]), PATHS, st.lists(FILTERS, max_size=4))
TESTS = st.builds("{} is {}".format, PATHS, st.sampled_from(["defined", "mapping", "string", "not none", "true"]))
SIDES = CHAINS | st.sampled_from(['"a"', "0", "1", "none", '["a", "b"]', "[]"])
COMPARED = st.builds("({}) {} ({})".format, SIDES, st.sampled_from(["==", "!=", "<", ">=", "in", "not in"]), SIDES)
SIMPLE = TESTS | COMPARED | CHAINS
CONDITIONS = st.recursive(
    SIMPLE,
    lambda inner: (
        st.builds("({}) {} ({})".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("not ({})".format, inner)
    ),
    max_leaves=4,
)
RULES = st.lists(st.tuples(st.none() | CONDITIONS, CONDITIONS), min_size=1, max_size=3)
ENGINE = default_engine()


def are_true(rules: list[Any], scope: dict[str, Any], limits: Limits) -> bool:
    with metered(limits):
        try:
            return all(
                (when is not None and not when.evaluate(scope)) or require.evaluate(scope) for when, require in rules
            )
        except ContextError:
            return False


@settings(max_examples=600, deadline=None)
@given(RULES, VALUES, VALUES, st.sampled_from([300, 3_000, 30_000, 1_000_000]))
@example(
    [(None, "not (reply.a | out_of_order(reply.b))")],
    {"a": [{"id": "a", "dependencies": ["a"]}], "b": ["a"]},
    {},
    10**6,
)
@example([(None, 'reply.b | reject("in", POOL.b) | list | length == 0')] * 9, {"b": ["a"] * 400}, {"b": ["a"]}, 50_000)
def test_what_is_proven_is_true(rules: list[Any], reply: Any, pool: Any, steps: int) -> None:
    limits = Limits(steps=steps, items=2_000)
    made = [
        tuple(None if text is None else compile_expression(Source.of_text(text), ENGINE) for text in rule)
        for rule in rules
    ]
    proof: Any = Proof(made, ("reply", "POOL"), limits)  # type: ignore[arg-type]
    if proof.holds(reply, {"POOL": pool}, len(json.dumps(reply))):
        assert are_true(made, {"reply": reply, "POOL": pool}, limits)
