"""A template or an expression, with the types of its names -> its problems, before it is ever rendered."""

from collections.abc import Mapping
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.linter.types.lattice import Type
from promptpack.linter.types.narrowing import TypeScope
from promptpack.linter.types.problem_collector import NodeLimitError, NodeMeter, ProblemCollector
from promptpack.linter.types.statements import StatementChecker
from promptpack.problem import Problem
from promptpack.template.engine import Engine
from promptpack.template.includes import TooManyIncludesError
from promptpack.template.model import Source


@dataclass(frozen=True, slots=True)
class CheckedExpression:
    """The problems of an expression, and the scopes in which it is true and false; None if it never is."""

    problems: tuple[Problem, ...]
    true: TypeScope | None
    false: TypeScope | None


def check_template(
    source: Source, engine: Engine, known: TypeScope | Mapping[str, Type], meter: NodeMeter | None = None
) -> tuple[Problem, ...]:
    """Check a template that compiles."""
    collector = ProblemCollector(source, meter or NodeMeter())
    checker = StatementChecker(engine, collector)
    try:
        checker.template(engine.parse(source), _as_scope(known))
        checker.finish()
    except (NodeLimitError, TooManyIncludesError, RecursionError):
        pass  # a hostile template of this size is stopped by the limits of rendering
    return tuple(collector.problems)


def check_expression(
    source: Source, engine: Engine, known: TypeScope | Mapping[str, Type], meter: NodeMeter | None = None
) -> CheckedExpression:
    """Check an expression that compiles, as in `when` and `require`."""
    collector = ProblemCollector(source, meter or NodeMeter())
    scope = _as_scope(known)
    (assignment,) = engine.parse_expression(source).find_all(nodes.Assign)
    try:
        inferred = StatementChecker(engine, collector).expressions.infer_condition(assignment.node, scope)
    except (NodeLimitError, TooManyIncludesError, RecursionError):
        return CheckedExpression(tuple(collector.problems), scope, scope)
    return CheckedExpression(tuple(collector.problems), inferred.true, inferred.false)


def _as_scope(known: TypeScope | Mapping[str, Type]) -> TypeScope:
    return known if isinstance(known, TypeScope) else TypeScope(dict(known))
