"""The rules of a pack as one function: it evaluates all of them within one meter, with the code of expressions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import nodes

from promptpack.lazy import cached_property
from promptpack.problem import ContextError, Location
from promptpack.template.expression_codegen import Condition
from promptpack.template.model import Expression, Source
from promptpack.template.partials import PackTemplate
from promptpack.template.positions import shift
from promptpack.template.tree import copy_tree, descendants

Clause = tuple[Expression | None, Expression, frozenset[str]]
"""`when`, `require`, and the names of the values without which the rule is skipped."""


class RuleFailure(NamedTuple):
    """The number of a rule that does not hold, and the error if it cannot be evaluated."""

    number: int
    error: ContextError | None


class RuleSet:
    """Evaluates rules; compiled on first use."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = clauses

    def evaluate(self, values: Mapping[str, Any]) -> tuple[list[RuleFailure], list[int]]:
        """Return the rules that fail, in order, and the numbers of those that lack a value; runs inside a meter."""
        run: Any = self._code.root_render_func
        failed, skipped = run(values)
        return [RuleFailure(*row) for row in failed], skipped

    @cached_property
    def _code(self) -> PackTemplate:
        """The code of all rules, compiled as if their sources were one text."""
        sources: list[Source] = []
        conditions = [
            Condition(None if when is None else _placed(when, sources), _placed(require, sources), tuple(sorted(names)))
            for when, require, names in self._clauses
        ]
        return self._clauses[0][1].engine.load_conditions(conditions, _joined(sources))


def _placed(expression: Expression, sources: list[Source]) -> nodes.Template:
    """Return the tree of an expression as if its source followed the others."""
    tree = copy_tree(expression.engine.prepare_expression(expression.source))
    before = sum(_lines(source) for source in sources)
    for node in descendants(tree):
        if node.lineno is not None:  # Jinja leaves it out of some nodes
            node.lineno = shift(node.lineno, before)
    sources.append(expression.source)
    return tree


def _joined(sources: Sequence[Source]) -> Source:
    def locate(line: int, column: int) -> Location:
        for source in sources:
            if line <= _lines(source):
                return source.locate(line, column)
            line -= _lines(source)
        return sources[-1].locate(1, 1)

    return Source("\n".join(source.text for source in sources), locate)


def _lines(source: Source) -> int:
    return source.text.count("\n") + 1
