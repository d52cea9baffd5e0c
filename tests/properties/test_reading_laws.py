"""What is read without Jinja against Jinja's own parser: the same steps, names and partials, or left to Jinja."""

from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jinja2 import nodes

from promptpack.template import Source
from promptpack.template.engine import late_engine
from promptpack.template.names import find_needs
from promptpack.template.reading import Reading, read_expression, read_template
from promptpack.template.tree import is_certain
from promptpack.template.vocabulary import PRINTED_BY
from tests.properties.template_grammar import MACROS, templates

ENGINE = late_engine()
_CALCULATIONS = {nodes.Add: "+", nodes.Sub: "-", nodes.Mul: "*", nodes.Div: "/"}
_COMPARISONS = {
    "eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "in": "in", "notin": "not in"
}  # fmt: skip

pieces = st.sampled_from((
    "{{", "}}", "{%", "%}", "{#", "#}", "-", "+", " ", "\n", "'", '"', "(", ")", "[", "]", "|", ".", ",", "=", "~", "\\",
    "a", "if", "else", "in", "is", "not", "and", "0", "1.5", "é", "for x in a", "endif", "\r", "set a = b",
))  # fmt: skip
changes = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), pieces), max_size=2)


values = st.recursive(
    st.sampled_from(["a", "b.c", "d['e']", "loop.index", "'x'", '"}}"', "0", "1.5", "true", "none", "HISTORY", "[]"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["| upper", "| join('-')", "is defined", "is not none", ".c", "[0]"])),
        st.tuples(
            inner, st.sampled_from(["and", "or", "==", "<", "in", "not in", "+", "-", "~", "*", "is sameas"]), inner
        ),
        st.tuples(inner, st.just("if"), inner, st.just("else"), inner),
        inner.map("not {}".format).map(lambda value: [value]),
        inner.map("({})".format).map(lambda value: [value]),
        inner.map("[a, {}]".format).map(lambda value: [value]),
        inner.map("a | map('upper') | select('in', {}) | default(b, boolean=true)".format).map(lambda value: [value]),
    ).map(" ".join),
    max_leaves=6,
)
signs = st.sampled_from(["", "", "-", "+"])
spaces = st.sampled_from(["", " ", "\n", "\n  ", "x\n", " y ", "{# c #}", "{#- d -#}\n", "字"])
tags = values.map("set x = {}".format) | st.sampled_from(["include 'p'", "include 'q'"])
blocks = st.tuples(spaces, signs, tags, signs, spaces).map(lambda parts: "{}{{%{} {} {}%}}{}".format(*parts))
outputs = st.tuples(spaces, signs, values, signs, spaces).map(lambda parts: "{}{{{{{} {} {}}}}}{}".format(*parts))
everyday = st.recursive(
    outputs | blocks,
    lambda inner: st.one_of(
        st.tuples(values, signs, inner, spaces, signs, inner).map(
            lambda parts: "{{% if {} {}%}}{}{}{{%{} else %}}{}{{% endif %}}".format(*parts)
        ),
        st.tuples(values, inner, signs).map(lambda parts: "{{% for x in {} %}}{}{{% endfor {}%}}".format(*parts)),
        st.lists(inner, max_size=3).map("".join),
    ),
    max_leaves=6,
)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Write a template with a few letters replaced by pieces of the language."""
    text = draw(everyday | templates()).removeprefix(MACROS)
    for start, length, piece in draw(changes):
        text = text[:start] + piece + text[start + length :]
    return text


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(damaged())
@example(" {%- if a %}\n  x\n  {%+ elif b is not c -%}\n {% else %}{% endif +%}\n{% include 'p' %}\n")
@example(
    "{% if a %}{% set x = 1 %}{% elif x %}{% set y = x %}{% elif y %}{{ y }}{% else %}{{ x }}{% endif %}{{ x ~ y }}"
)
@example("{# a #}  {# b -#}  \n  {{ HISTORY }}{{- [a, 'b'][0] | select('in', c) | list -}} {% set z = a if b else c %}")
@example("{% for a, b in c if a is defined %}{{ loop.index }}{% include 'p' %}{% else %}{{ a }}{% endfor %}")
def test_a_template_is_read_as_jinja_reads_it(text: str) -> None:
    reading = read_template(text)
    if reading is not None:
        source = Source.of_text(text)
        compare(reading, ENGINE.read(source), ENGINE.parse(source))
        assert merged(reading.script) == merged(steps_of(ENGINE.read(source).body))
        assert list(dict.fromkeys(name for name, _ in reading.includes)) == included(ENGINE.read(source))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(damaged())
@example("{{ not a in b and c | f == 1 or d is not sameas none }}")
@example("{{ a is divisibleby 3 if b.c['d'][0] >= 0.5 else (x - y - z) * 2 }}")
@example("{{ a is string | lower }}")
def test_an_expression_is_read_as_jinja_reads_it(text: str) -> None:
    for written in text.replace("}}", "{{").replace("%}", "{{").split("{{"):
        reading = read_expression(written)
        if reading is not None:
            source = Source.of_text(written)
            read = ENGINE.read_expression(source)
            compare(reading, read, ENGINE.parse_expression(source))
            assert reading.script == value_of(read.body[0].node)  # type: ignore[attr-defined]


def test_most_templates_of_everyday_parts_are_read() -> None:
    text = "{% for tool in TOOLS %}\n- {{ tool.name | upper }}\n{% endfor %}{% if A and not B %}{{ A }}{% endif %}"
    assert read_template(text) is not None


def compare(reading: Reading, read: nodes.Template, tree: nodes.Template) -> None:
    """Hold what both read against each other; that Jinja's tree meets the policy is seen by its being there."""
    assert reading.names == {use.name for use in find_needs(read, lambda _: None).names}
    assert is_certain(tree)


def included(tree: nodes.Template) -> list[str]:
    return list(dict.fromkeys(node.template.value for node in tree.find_all(nodes.Include)))  # type: ignore[attr-defined]


def merged(script: list[Any]) -> list[Any]:
    """Put texts that follow each other into one."""
    found: list[Any] = []
    for step in map(with_merged_bodies, script):
        if isinstance(step, str) and found and isinstance(found[-1], str):
            found[-1] += step
        elif step != "":
            found.append(step)
    return found


def with_merged_bodies(step: Any) -> Any:
    match step:
        case ["if" | "for", *head, body, otherwise]:
            return [step[0], *head, merged(body), merged(otherwise)]
    return step


def steps_of(body: list[nodes.Node]) -> list[Any]:
    return [step for node in body for step in step_of(node)]


def step_of(node: nodes.Node) -> list[Any]:
    match node:
        case nodes.Output():
            return [put(child) for child in node.nodes]
        case nodes.If():
            otherwise = steps_of(node.else_)
            for branch in reversed(node.elif_):
                otherwise = [["if", value_of(branch.test), steps_of(branch.body), otherwise]]
            return [["if", value_of(node.test), steps_of(node.body), otherwise]]
        case nodes.For():
            targets = node.target.items if isinstance(node.target, nodes.Tuple) else [node.target]
            names = [target.name for target in targets]  # type: ignore[attr-defined]
            test = node.test and value_of(node.test)
            return [["for", names, value_of(node.iter), test, steps_of(node.body), steps_of(node.else_)]]
        case nodes.Assign():
            return [["set", node.target.name, value_of(node.node)]]  # type: ignore[attr-defined]
        case nodes.Include():
            assert node.with_context
            assert not node.ignore_missing
            return [["include", node.template.value]]  # type: ignore[attr-defined]
    raise AssertionError(node)


def put(node: nodes.Expr) -> Any:
    if isinstance(node, nodes.TemplateData):
        return node.data
    if isinstance(node, nodes.Name) and node.name in PRINTED_BY:
        return ["put", ["filter", ["name", node.name], PRINTED_BY[node.name], [], []]]
    return ["put", value_of(node)]


def value_of(node: Any) -> Any:  # noqa: C901 -- one branch a kind of node
    match node:
        case nodes.Const():
            return ["value", node.value]
        case nodes.Name():
            return ["name", node.name]
        case nodes.Getattr():
            return ["get", value_of(node.node), node.attr]
        case nodes.Getitem(arg=nodes.Const(value=str() as key)):
            return ["get", value_of(node.node), key]
        case nodes.Getitem():
            return ["item", value_of(node.node), value_of(node.arg)]
        case nodes.List():
            return ["list", *map(value_of, node.items)]
        case nodes.Not():
            return ["not", value_of(node.node)]
        case nodes.And() | nodes.Or():
            return [type(node).__name__.lower(), value_of(node.left), value_of(node.right)]
        case nodes.Add() | nodes.Sub() | nodes.Mul() | nodes.Div():
            return [_CALCULATIONS[type(node)], value_of(node.left), value_of(node.right)]
        case nodes.Concat():
            value, *others = map(value_of, node.nodes)
            for other in others:
                value = ["~", value, other]
            return value
        case nodes.Compare():
            pairs = [part for operand in node.ops for part in (_COMPARISONS[operand.op], value_of(operand.expr))]
            return ["compare", value_of(node.expr), *pairs]
        case nodes.CondExpr():
            return ["choose", value_of(node.test), value_of(node.expr1), value_of(node.expr2)]
        case nodes.Filter() | nodes.Test():
            named = [[keyword.key, value_of(keyword.value)] for keyword in node.kwargs]
            kind = type(node).__name__.lower()
            return [kind, value_of(node.node), node.name, [value_of(item) for item in node.args], named]
    raise AssertionError(node)
