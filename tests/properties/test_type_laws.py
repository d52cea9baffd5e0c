"""Laws of the type checker: on closed types it misses no failure, and every error that it reports always fails."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from promptpack.linter.types.narrowing import TypeScope
from promptpack.linter.types.schemas import from_schema
from promptpack.linter.types.statements import StatementChecker
from promptpack.problem import ContextError, PackError, Problem
from promptpack.template.compiling import compile, compile_expression  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import UNPLACED, Source

Draw = Callable[[st.SearchStrategy[Any]], Any]
KEYS = ("id", "goal", "note", "tags")
WORDS = ("red", "green", "blue")
INPUTS = ("A", "B")
ENGINE = Engine()
quick = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def object_of(fields: dict[str, tuple[dict[str, Any], bool]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: schema for name, (schema, _) in fields.items()},
        "required": [name for name, (_, required) in fields.items() if required],
        "additionalProperties": False,
    }


leaves = st.sampled_from(
    [
        {"type": "null"},
        {"type": "boolean"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "string"},
        {"type": "string", "minLength": 1},
        {"enum": list(WORDS[:2])},
        {"const": "red"},
        {"type": ["string", "null"]},
    ]
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from(KEYS), st.tuples(inner, st.booleans()), min_size=1, max_size=3).map(object_of),
        inner.map(lambda item: {"type": "array", "items": item}),
        st.tuples(inner, inner).map(lambda pair: {"anyOf": list(pair)}),
    ),
    max_leaves=5,
)


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that match one of the schemas above; equal schemas share a strategy, which is validated once."""
    return _values_of(json.dumps(schema))


@cache
def _values_of(text: str) -> st.SearchStrategy[Any]:
    schema = json.loads(text)
    if "anyOf" in schema:
        return st.one_of(*(values_of(one) for one in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    match schema["type"]:
        case "object":
            required = {name: values_of(schema["properties"][name]) for name in schema["required"]}
            optional = {
                name: values_of(one) for name, one in schema["properties"].items() if name not in schema["required"]
            }
            return st.fixed_dictionaries(required, optional=optional)
        case "array":
            return st.lists(values_of(schema["items"]), max_size=2)
        case list() as kinds:
            return st.one_of(*(values_of({"type": kind}) for kind in kinds))
        case "string":
            return st.sampled_from(["red", "x"] if schema.get("minLength") else ["", "red", "x"])
        case kind:
            simple: dict[str, list[Any]] = {
                "null": [None],
                "boolean": [True, False],
                "integer": [0, 3],
                "number": [0.0, 1.5, 2],
            }
            return st.sampled_from(simple[kind])


names = st.sampled_from(INPUTS)
paths = st.tuples(names, st.lists(st.sampled_from(KEYS), max_size=2)).map(lambda parts: ".".join([parts[0], *parts[1]]))
constants = st.sampled_from(['"red"', '"grey"', "3", "true", "none", "[]", '["red", 3]', '{"id": 1}', '""'])
tests = st.sampled_from(
    ["defined", "undefined", "none", "string", "mapping", "number", "boolean", "true", "false", "sequence", "iterable",
     "integer", "even", "eq('red')", "in(['red', 'grey'])"]
)  # fmt: skip
filters = st.sampled_from(
    ["upper", "length", "list", "json", "default('')", "default('', true)", "abs", "round", "join", "items", "sort",
     "dictsort", "int", "string", "trim", "unique", "reverse", "map('string')", "map(attribute='id')", "sum", "count",
     "selectattr('note', 'defined')", "select('string')", "batch(2)", "join(sep='')", "replace('a')", "history"]
)  # fmt: skip


def eager(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return expressions all of whose operands are always evaluated."""
    return st.one_of(
        st.tuples(inner, filters).map(lambda pair: f"({pair[0]}) | {pair[1]}"),
        st.tuples(inner, st.sampled_from(["==", "!=", "<", ">=", "+", "-", "*", "~", "%", "in", "not in"]), inner).map(
            lambda parts: f"(({parts[0]}) {parts[1]} ({parts[2]}))"
        ),
        st.tuples(inner, tests).map(lambda pair: f"(({pair[0]}) is {pair[1]})"),
        inner.map(lambda one: f"(not ({one}))"),
        inner.map(lambda one: f"({one}).id"),
        inner.map(lambda one: f"({one}).upper()"),
        inner.map(lambda one: f"({one}).items()"),
    )


def short_circuiting(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda parts: f"(({parts[0]}) {parts[1]} ({parts[2]}))"
        ),
        st.tuples(inner, inner, inner).map(lambda parts: f"(({parts[0]}) if ({parts[1]}) else ({parts[2]}))"),
        eager(inner),
    )


atoms = st.one_of(paths, paths, paths, constants)
eager_expressions = st.recursive(atoms, eager, max_leaves=3)
expressions = st.recursive(atoms, short_circuiting, max_leaves=4)
conditions = st.one_of(
    expressions,
    st.tuples(paths, tests).map(lambda pair: f"{pair[0]} is {pair[1]}"),
    st.tuples(paths, tests, st.sampled_from(["and", "or"]), paths, tests).map(
        lambda parts: f"{parts[0]} is {parts[1]} {parts[2]} {parts[3]} is not {parts[4]}"
    ),
)


def statements(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(conditions, inner, inner).map(
            lambda parts: f"{{% if {parts[0]} %}}{parts[1]}{{% else %}}{parts[2]}{{% endif %}}"
        ),
        st.tuples(conditions, inner).map(lambda parts: f"{{% if {parts[0]} %}}{parts[1]}{{% endif %}}"),
        st.tuples(names, expressions, inner).map(
            lambda parts: f"{{% for {parts[0]} in {parts[1]} %}}{parts[2]}{{% endfor %}}"
        ),
        st.tuples(names, expressions, inner).map(
            lambda parts: f"{{% with {parts[0]} = {parts[1]} %}}{parts[2]}{{% endwith %}}"
        ),
        st.tuples(inner, inner).map("".join),
    )


prints = expressions.map(lambda one: f"{{{{ {one} }}}}")
sets = st.tuples(names, expressions).map(lambda pair: f"{{% set {pair[0]} = {pair[1]} %}}")
templates = st.recursive(st.one_of(prints, prints, sets), statements, max_leaves=4)


@st.composite
def scenes(draw: Draw) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw the types of the inputs, and contexts that match them."""
    declared = {name: draw(schemas) for name in INPUTS}
    matching = st.fixed_dictionaries({name: values_of(schema) for name, schema in declared.items()})
    contexts = [draw(matching) for _ in range(4)]
    return {name: from_schema(schema) for name, schema in declared.items()}, contexts


def failures_of(template: str, contexts: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Problem | None]]:
    """Yield each context with the problem that its render fails with, or None."""
    compiled = compile(Source.of_text(template), ENGINE)
    for context in contexts:
        try:
            compiled.render(context)
        except ContextError as error:
            yield context, error.problems[0]
        else:
            yield context, None


def check(template: str, known: dict[str, Any]) -> tuple[Problem, ...]:
    checker = StatementChecker(ENGINE)
    try:
        checker.check_template(Source.of_text(template), TypeScope(known))
    except PackError:
        reject()
    return checker.problems


@quick
@given(scenes(), templates)
def test_no_render_fails_if_the_checker_reports_nothing(
    scene: tuple[dict[str, Any], list[dict[str, Any]]], template: str
) -> None:
    known, contexts = scene
    problems = check(template, known)
    for context, failure in failures_of(template, contexts):
        assert failure is None or problems, f"{failure}\n{template}\n{context}"


@quick
@given(scenes(), eager_expressions)
def test_an_error_fails_with_every_context(scene: tuple[dict[str, Any], list[dict[str, Any]]], expression: str) -> None:
    known, contexts = scene
    template = f"{{{{ {expression} }}}}"
    errors = [problem for problem in check(template, known) if problem.severity == "error"]
    if errors:
        for context, failure in failures_of(template, contexts):
            assert failure is not None, f"{errors[0]}\n{template}\n{context}"


@quick
@given(scenes(), conditions, eager_expressions)
def test_an_error_after_a_condition_fails_whenever_the_condition_holds(
    scene: tuple[dict[str, Any], list[dict[str, Any]]], condition: str, expression: str
) -> None:
    known, contexts = scene
    template = f"{{% if {condition} %}}\n{{{{ {expression} }}}}{{% endif %}}"
    errors = [
        one for one in check(template, known) if one.severity == "error" and one.location and one.location.line == 2
    ]
    if errors:
        decide = compile_expression(Source.of_text(condition), ENGINE)
        for context, failure in failures_of(template, contexts):
            try:
                holds = decide.evaluate(context)
            except ContextError:
                continue
            assert not holds or failure is not None, f"{errors[0]}\n{template}\n{context}"


@quick
@given(scenes(), conditions)
def test_a_condition_reported_as_impossible_never_holds(
    scene: tuple[dict[str, Any], list[dict[str, Any]]], condition: str
) -> None:
    known, contexts = scene
    source = Source.of_text(condition, UNPLACED)
    try:
        checked = StatementChecker(ENGINE).check_expression(source, TypeScope(known))
        decide = compile_expression(source, ENGINE)
    except PackError:
        reject()
    for context in contexts:
        try:
            holds = bool(decide.evaluate(context))
        except ContextError:
            continue
        assert (checked.true if holds else checked.false) is not None, f"{condition} is {holds} in {context}"
