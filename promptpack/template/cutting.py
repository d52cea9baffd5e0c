"""A template cut into parts: those whose text is a function of the values of known names can be kept, see `kept`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import nodes

from promptpack.template.generator import METHOD
from promptpack.template.language import FUNCTIONS
from promptpack.template.names import constant_names, find_needs
from promptpack.template.policy import APPLIES_TEST
from promptpack.template.quick import IN_PLACE
from promptpack.template.tree import descendants

Parse = Callable[[str], nodes.Template | None]

# What does nothing but look at values and print them.
_PURE: Final = (
    nodes.BinExpr, nodes.Compare, nodes.Concat, nodes.CondExpr, nodes.ExprStmt, nodes.For, nodes.Getattr,
    nodes.Getitem, nodes.If, nodes.Keyword, nodes.Literal, nodes.Operand, nodes.Output, nodes.Pair, nodes.Slice,
    nodes.Template, nodes.UnaryExpr, nodes.With,
)  # fmt: skip
# The one test that tells values apart that are equal.
_BY_IDENTITY: Final = "sameas"


def cut(tree: nodes.Template, parse: Parse) -> nodes.Template:
    """Put what is worth keeping into scopes, each with the names that it depends on; `quick` writes their code."""
    if tree.find(nodes.Extends) is not None:
        return tree
    stored = frozenset(_stored(tree))
    parts = [_Part(node, _names_of(node, stored, parse)) for node in _elements(tree.body)]
    body = [node for run in _runs(parts) for node in run.nodes(tree.environment)]
    return nodes.Template(body, lineno=tree.lineno, environment=tree.environment)


@dataclass(frozen=True, slots=True)
class _Part:
    """A statement, and the names that its text depends on; None where it depends on more, or does more than print."""

    node: nodes.Node
    names: frozenset[str] | None

    def is_within(self, names: frozenset[str]) -> bool:
        return self.names is not None and self.names <= names


@dataclass(slots=True)
class _Run:
    """Neighbours; those that are kept together, with the names that they depend on."""

    parts: list[_Part]
    names: frozenset[str] | None = None

    def nodes(self, environment: Any) -> list[nodes.Node]:
        body = [part.node for part in self.parts]
        if self.names is None:
            return body
        scope = nodes.Scope(body, lineno=body[0].lineno, environment=environment)
        scope.names = tuple(sorted(self.names))  # type: ignore[attr-defined]  # for `quick`
        return [scope]


def _runs(parts: Iterable[_Part]) -> list[_Run]:
    """Put parts together: a slow one with those of its neighbours that depend on nothing else."""
    runs = [_Run([])]
    for part in parts:
        last = runs[-1]
        if last.names is not None and part.is_within(last.names):
            last.parts.append(part)
        elif part.names is not None and _is_slow(part.node):
            before = last.parts if last.names is None else []
            own = len(before)
            while own and before[own - 1].is_within(part.names):
                own -= 1
            runs.append(_Run([*before[own:], part], part.names))
            del before[own:]
        elif last.names is None:
            last.parts.append(part)
        else:
            runs.append(_Run([part]))
    return runs


def _elements(body: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    for node in body:
        if isinstance(node, nodes.Output):
            for child in node.nodes:
                yield nodes.Output([child], lineno=child.lineno, environment=node.environment)
        else:
            yield node


def _stored(tree: nodes.Template) -> Iterator[str]:
    """Give every name that is set anywhere, whatever for."""
    for node in descendants(tree):
        match node:
            case nodes.Name() if node.ctx != "load":
                yield node.name
            case nodes.Macro():
                yield node.name
            case nodes.Import():
                yield node.target
            case nodes.FromImport():
                yield from (name if isinstance(name, str) else name[1] for name in node.names)


def _names_of(node: nodes.Node, stored: frozenset[str], parse: Parse) -> frozenset[str] | None:
    if not _is_pure(node, parse):
        return None
    names = frozenset(use.name for use in find_needs(nodes.Template([node]), parse).names)
    return None if names & stored else names


def _is_pure(tree: nodes.Node, parse: Parse) -> bool:
    return all(_does_nothing_else(node, parse) for node in (tree, *descendants(tree)))


def _does_nothing_else(node: nodes.Node, parse: Parse) -> bool:
    match node:
        case nodes.Name():
            return node.name not in FUNCTIONS
        case nodes.Call():
            return isinstance(node.node, nodes.Getattr) and node.node.ctx == METHOD
        case nodes.Test():
            return node.name != _BY_IDENTITY
        case nodes.Filter():
            return node.node is not None and _applies_by_value(node)
        case nodes.Include():
            # Without the context, Jinja's code would write past the text that is kept.
            trees = [parse(name) for name in constant_names(node.template)]
            return node.with_context and all(tree is not None and _is_pure(tree, parse) for tree in trees)
    return isinstance(node, _PURE)


def _applies_by_value(node: nodes.Filter) -> bool:
    """Say whether the test or filter that a filter applies to each item, if any, looks at values alone."""
    if node.name not in APPLIES_TEST and node.name != "map":
        return True
    place = APPLIES_TEST.get(node.name, 0)
    applied = node.args[place] if place < len(node.args) else nodes.Const("")
    if node.dyn_args or node.dyn_kwargs or not isinstance(applied, nodes.Const):
        return False
    return applied.value != _BY_IDENTITY and applied.value not in APPLIES_TEST


def _is_slow(node: nodes.Node) -> bool:
    """Say whether a part takes longer to write than to find what was kept of it."""
    return any(
        isinstance(inner, (nodes.For, nodes.Include))
        or (isinstance(inner, nodes.Filter) and inner.name not in IN_PLACE)
        for inner in (node, *descendants(node))
    )
