"""The scope at one position of a template: the types of inputs, loops, `set`, `with` and macros there."""

from jinja2 import nodes

from promptpack.linter.types.narrowing import TypeScope
from promptpack.linter.types.problem_collector import NodeLimitError, NodeMeter, ProblemCollector
from promptpack.linter.types.statements import StatementChecker
from promptpack.template.engine import Engine
from promptpack.template.model import Source


def scope_at(source: Source, engine: Engine, scope: TypeScope, probe: str) -> TypeScope | None:
    """Return the scope where the template prints the name `probe`; None if that is never reached."""
    checker = _ProbingChecker(engine, ProblemCollector(source, NodeMeter()), probe)
    try:
        checker.template(engine.parse(source), scope)
        checker.finish()
    except (NodeLimitError, RecursionError, _FoundError):
        pass  # the result is the scope found so far
    return checker.found


class _FoundError(Exception):
    """The probe is found."""


class _ProbingChecker(StatementChecker):
    def __init__(self, engine: Engine, collector: ProblemCollector, probe: str) -> None:
        super().__init__(engine, collector)
        self.found: TypeScope | None = None
        self._probe = probe

    def _statement(self, node: nodes.Node, scope: TypeScope) -> TypeScope:
        if isinstance(node, nodes.Output) and any(
            isinstance(child, nodes.Name) and child.name == self._probe for child in node.nodes
        ):
            self.found = scope
            raise _FoundError
        return super()._statement(node, scope)
