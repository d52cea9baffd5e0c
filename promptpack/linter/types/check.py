"""A template or an expression, and what is known of its names -> what is wrong with it, before it is ever rendered."""

from collections.abc import Mapping
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.linter.types.lattice import Type
from promptpack.linter.types.narrowing import Env
from promptpack.linter.types.report import Report, Steps, TooMuchError
from promptpack.linter.types.statements import Statements
from promptpack.problem import Problem
from promptpack.template import Engine, Source


@dataclass(frozen=True, slots=True)
class Checked:
    """What an expression told, and what is known when it is true and when it is false; None: it never is."""

    problems: tuple[Problem, ...]
    true: Env | None
    false: Env | None


def check_template(
    source: Source, engine: Engine, known: Env | Mapping[str, Type], steps: Steps | None = None
) -> tuple[Problem, ...]:
    """Check a template that compiles."""
    report = Report(source, steps or Steps())
    walker = Statements(engine, report)
    try:
        walker.template(engine.read(source), _env(known))
        walker.finish()
    except (TooMuchError, RecursionError):
        pass  # what a hostile template hides behind its size is stopped by its limits
    return tuple(report.problems)


def check_expression(
    source: Source, engine: Engine, known: Env | Mapping[str, Type], steps: Steps | None = None
) -> Checked:
    """Check an expression that compiles, as in `when` and `require`."""
    report = Report(source, steps or Steps())
    env = _env(known)
    (assignment,) = engine.read_expression(source).find_all(nodes.Assign)
    try:
        seen = Statements(engine, report).expressions.condition(assignment.node, env)
    except (TooMuchError, RecursionError):
        return Checked(tuple(report.problems), env, env)
    return Checked(tuple(report.problems), seen.true, seen.false)


def _env(known: Env | Mapping[str, Type]) -> Env:
    return known if isinstance(known, Env) else Env(dict(known))
