"""The types of the names that a template sets before one of its positions: by loops, `set`, `with` and macros."""

from collections.abc import Mapping
from contextlib import suppress

from jinja2 import nodes

from promptpack.linter.step_limit import limit_steps
from promptpack.linter.types.lattice import Type
from promptpack.linter.types.narrowing import TypeScope
from promptpack.linter.types.packs import rendering_scope
from promptpack.linter.types.statements import StatementChecker
from promptpack.pack.building import CompiledSections
from promptpack.pack.pack_compiler import BUILT_IN_NAMES
from promptpack.template.engine import Engine
from promptpack.template.model import Source


def names_set_before(probe: str, source: Source, pack: CompiledSections) -> Mapping[str, Type]:
    """Return the types of the names that are set where a template of a pack prints the name `probe`."""
    checker = _ProbingChecker(pack.compiler.engine, probe)
    with limit_steps(), suppress(_FoundError):
        checker.check_template(source, rendering_scope(pack))
    known = (*pack.inputs, *BUILT_IN_NAMES)
    types = {name: checker.found.get(name) for name in checker.found.types if name not in known}
    return {name: one for name, one in types.items() if one is not None}


class _FoundError(Exception):
    """The probe is found."""


class _ProbingChecker(StatementChecker):
    def __init__(self, engine: Engine, probe: str) -> None:
        super().__init__(engine)
        self.found = TypeScope({})
        self._probe = probe

    def _statement(self, node: nodes.Node, scope: TypeScope) -> TypeScope:
        if isinstance(node, nodes.Output) and any(
            isinstance(child, nodes.Name) and child.name == self._probe for child in node.nodes
        ):
            self.found = scope
            raise _FoundError
        return super()._statement(node, scope)
