"""The rules of a pack as one function: it evaluates all of them within one meter, with the code of expressions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import nodes

from promptpack.lazy import cached_property
from promptpack.problem import ContextError
from promptpack.template.expression_codegen import Condition
from promptpack.template.includes import place
from promptpack.template.model import Expression, Source
from promptpack.template.runtime import PackTemplate

CompiledRule = tuple[Expression | None, Expression, frozenset[str]]
"""`when`, `require`, and the names of the values without which the rule is skipped."""


class RuleFailure(NamedTuple):
    """The number of a rule that does not hold, and the error if it cannot be evaluated."""

    number: int
    error: ContextError | None


class RuleSet:
    """Evaluates rules; compiled on first use."""

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self._rules = rules

    def evaluate(self, values: Mapping[str, Any]) -> tuple[list[RuleFailure], list[int]]:
        """Return the rules that fail, in order, and the numbers of those that lack a value; runs inside a meter."""
        run: Any = self._code.root_render_func
        failed, skipped = run(values)
        return [RuleFailure(*row) for row in failed], skipped

    def warm(self) -> None:
        """Compile the rules now."""
        if self._rules:
            _ = self._code

    @cached_property
    def _code(self) -> PackTemplate:
        """The code of all rules, compiled as if their sources were one text."""
        sources: list[Source] = []
        conditions = [
            Condition(None if when is None else _place(when, sources), _place(require, sources), tuple(sorted(names)))
            for when, require, names in self._rules
        ]
        return self._rules[0][1].engine.load_conditions(conditions, sources[0].followed_by(sources[1:]))


def _place(expression: Expression, sources: list[Source]) -> nodes.Template:
    return place(expression.engine.prepare_expression(expression.source), expression.source, sources)
