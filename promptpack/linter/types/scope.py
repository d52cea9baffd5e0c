"""What is known of every name at one place of a template: the types of inputs, loops, `set`, `with` and macros."""

from jinja2 import nodes

from promptpack.linter.types.narrowing import Env
from promptpack.linter.types.report import Report, Steps, TooMuchError
from promptpack.linter.types.statements import Statements
from promptpack.template import Engine, Source


def env_at(source: Source, engine: Engine, env: Env, probe: str) -> Env | None:
    """Find what is known where the template prints the name `probe`; None when no way leads there."""
    walker = _Probing(engine, Report(source, Steps()), probe)
    try:
        walker.template(engine.read(source), env)
        walker.finish()
    except (TooMuchError, RecursionError, _FoundError):
        pass  # what was found until then is all there is to say
    return walker.found


class _FoundError(Exception):
    """The walk has come to the place."""


class _Probing(Statements):
    def __init__(self, engine: Engine, report: Report, probe: str) -> None:
        super().__init__(engine, report)
        self.found: Env | None = None
        self._probe = probe

    def _statement(self, node: nodes.Node, env: Env) -> Env:
        if isinstance(node, nodes.Output) and any(
            isinstance(child, nodes.Name) and child.name == self._probe for child in node.nodes
        ):
            self.found = env
            raise _FoundError
        return super()._statement(node, env)
