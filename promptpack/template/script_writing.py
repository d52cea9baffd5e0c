"""Jinja's syntax tree -> script: for templates that say nothing which a script cannot."""

from collections.abc import Iterable
from typing import Any

from jinja2 import nodes

from promptpack.template.engine import Engine
from promptpack.template.language import PRINTED_BY
from promptpack.template.model import Expression, Source, Template
from promptpack.template.script import Script, UnusualError

# Jinja's words for them.
_LENGTHS = ("length", "count")


def write_script(template: Template, engine: Engine) -> Script | None:
    """Write the script of a template that was compiled with an engine; None where there can be none."""
    try:
        return _Writer(engine).template(template.source)
    except UnusualError:
        return None


def write_condition(expression: Expression, engine: Engine) -> Script | None:
    """Write an expression as a value of a script; None where there can be none."""
    assignment = engine.read_expression(expression.source).body[0]
    assert isinstance(assignment, nodes.Assign)  # noqa: S101 -- the form in which expressions are read
    try:
        return _value(assignment.node)
    except UnusualError:
        return None


class _Writer:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def template(self, source: Source) -> Script:
        if source.syntax != "jinja":
            raise UnusualError
        return self._steps(self._engine.read(source).body)

    def _steps(self, body: Iterable[nodes.Node]) -> Script:
        return [step for node in body for step in self._step(node)]

    def _step(self, node: nodes.Node) -> Script:
        match node:
            case nodes.Output():
                return [_put(child) for child in node.nodes]
            case nodes.If():
                otherwise = self._steps(node.else_)
                for branch in reversed(node.elif_):
                    otherwise = [["if", _value(branch.test), self._steps(branch.body), otherwise]]
                return [["if", _value(node.test), self._steps(node.body), otherwise]]
            case nodes.Include(template=nodes.Const(value=str() as name), with_context=True, ignore_missing=False):
                # The engine has seen to it that there is such a partial, and that none includes itself.
                return self.template(self._engine.partials[name])
        raise UnusualError


def _put(node: nodes.Expr) -> Any:
    if isinstance(node, nodes.TemplateData):
        return node.data
    if isinstance(node, nodes.Name) and node.name in PRINTED_BY:
        raise UnusualError
    return ["put", _value(node)]


def _value(node: nodes.Node) -> Script:
    match node:
        case nodes.Const(value=(str() | bool() | int() | None) as constant):
            return ["value", constant]
        case nodes.Name(name=name):
            return ["name", name]
        case nodes.Getattr(attr=key) | nodes.Getitem(arg=nodes.Const(value=str() as key)):
            return ["get", _value(node.node), key]
        case nodes.Not():
            return ["not", _value(node.node)]
        case nodes.And():
            return ["and", _value(node.left), _value(node.right)]
        case nodes.Or():
            return ["or", _value(node.left), _value(node.right)]
        case nodes.Filter(node=nodes.Expr() as inner, kwargs=[], dyn_args=None, dyn_kwargs=None):
            return _filtered(node, inner)
    raise UnusualError


def _filtered(node: nodes.Filter, inner: nodes.Expr) -> Script:
    match node.name, node.args:
        case name, [] if name in _LENGTHS:
            return ["length", _value(inner)]
        case "join", [nodes.Const(value=str() as between)]:
            return ["join", _value(inner), between]
        case "fenced", []:
            return ["fenced", _value(inner), ""]
        case "fenced", [nodes.Const(value=str() as tag)] if "`" not in tag and len(tag.splitlines()) <= 1:
            return ["fenced", _value(inner), tag]
    raise UnusualError
