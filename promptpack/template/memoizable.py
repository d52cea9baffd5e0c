"""Subtrees of a template whose text depends only on known names: the render cache may hold their texts."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Optional

from jinja2 import nodes

from promptpack.template.codegen import INLINE_FILTERS, METHOD
from promptpack.template.includes import IncludeWalker
from promptpack.template.language import FUNCTIONS
from promptpack.template.names import DependencyFinder
from promptpack.template.policy import APPLIES_TEST
from promptpack.template.tree import descendants

# Nodes that only read values and print them.
_PURE: Final = (
    nodes.BinExpr, nodes.Compare, nodes.Concat, nodes.CondExpr, nodes.ExprStmt, nodes.For, nodes.Getattr,
    nodes.Getitem, nodes.If, nodes.Keyword, nodes.Literal, nodes.Operand, nodes.Output, nodes.Pair, nodes.Slice,
    nodes.Template, nodes.UnaryExpr, nodes.With,
)  # fmt: skip
# The only test that distinguishes equal values.
_BY_IDENTITY: Final = "sameas"


class Memoizer:
    """Wraps the memoizable subtrees of templates that share partials."""

    def __init__(
        self,
        partials: Mapping[str, nodes.Template],
        dependencies: DependencyFinder,
        changed: Collection[str],
        base: Optional["Memoizer"] = None,
    ) -> None:
        """Take the partials, and with a base the names of those that it does not know as they are."""
        self._dependencies = dependencies
        self._includes: IncludeWalker[nodes.Template, bool] = IncludeWalker(
            partials.get, base=base._includes if base else None, changed=changed
        )

    def wrap(self, tree: nodes.Template) -> nodes.Template:
        """Wrap subtrees worth caching in `Scope` nodes that carry the names they depend on; see `output_codegen`."""
        if not _is_slow(tree) or tree.find(nodes.Extends) is not None:
            return tree
        stored = frozenset(_stored_names(tree))
        subtrees = [_Subtree(node, self._names_of(node, stored)) for node in _statements(tree.body)]
        body = [node for run in _runs(subtrees) for node in run.nodes()]
        return nodes.Template(body, lineno=tree.lineno)

    def _names_of(self, node: nodes.Node, stored: frozenset[str]) -> frozenset[str] | None:
        if not self.is_pure(node):
            return None
        names = self._dependencies.find(nodes.Template([node])).names
        return None if names & stored else names

    def is_pure(self, tree: nodes.Node) -> bool:
        """Return whether a subtree only reads values and prints them."""
        return all(self._has_no_side_effect(node) for node in descendants(tree))

    def _has_no_side_effect(self, node: nodes.Node) -> bool:
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
                # Without the context, Jinja's code would write past the cached text.
                return node.with_context and self._includes_only_pure(node.template)
        return isinstance(node, _PURE)

    def _enter(self, _: str, tree: nodes.Template) -> bool:
        return self.is_pure(tree)

    def _includes_only_pure(self, template: nodes.Expr) -> bool:
        found = list(self._includes.visit(template, None, self._enter))
        expected = len(template.items) if isinstance(template, (nodes.List, nodes.Tuple)) else 1
        return len(found) == expected and all(is_pure for _, is_pure in found)


class _Subtree(NamedTuple):
    """A statement and the names that its text depends on; None if it depends on more, or does more than print."""

    node: nodes.Node
    names: frozenset[str] | None

    def depends_on(self, names: frozenset[str]) -> bool:
        return self.names is not None and self.names <= names


class _SubtreeRun(NamedTuple):
    """Adjacent subtrees; with `names`, they are cached together."""

    subtrees: list[_Subtree]
    names: frozenset[str] | None = None

    def nodes(self) -> list[nodes.Node]:
        body = [subtree.node for subtree in self.subtrees]
        if self.names is None:
            return body
        scope = nodes.Scope(body, lineno=body[0].lineno)
        scope.names = tuple(sorted(self.names))  # type: ignore[attr-defined]  # for `output_codegen`
        return [scope]


def _runs(subtrees: Iterable[_Subtree]) -> list[_SubtreeRun]:
    """Join each slow subtree with the neighbours that depend on the same names."""
    runs = [_SubtreeRun([])]
    for subtree in subtrees:
        last = runs[-1]
        if last.names is not None and subtree.depends_on(last.names):
            last.subtrees.append(subtree)
        elif subtree.names is not None and _is_slow(subtree.node):
            before = last.subtrees if last.names is None else []
            own = len(before)
            while own and before[own - 1].depends_on(subtree.names):
                own -= 1
            runs.append(_SubtreeRun([*before[own:], subtree], subtree.names))
            del before[own:]
        elif last.names is None:
            last.subtrees.append(subtree)
        else:
            runs.append(_SubtreeRun([subtree]))
    return runs


def _statements(body: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    for node in body:
        if isinstance(node, nodes.Output):
            for child in node.nodes:
                yield nodes.Output([child], lineno=child.lineno)
        else:
            yield node


def _stored_names(tree: nodes.Template) -> Iterator[str]:
    """Yield every name that the template sets anywhere."""
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


def _applies_by_value(node: nodes.Filter) -> bool:
    """Return whether the test or filter that a filter applies to each item depends on values alone."""
    if node.name not in APPLIES_TEST and node.name != "map":
        return True
    index = APPLIES_TEST.get(node.name, 0)
    applied = node.args[index] if index < len(node.args) else nodes.Const("")
    if node.dyn_args or node.dyn_kwargs or not isinstance(applied, nodes.Const):
        return False
    return applied.value != _BY_IDENTITY and applied.value not in APPLIES_TEST


def _is_slow(node: nodes.Node) -> bool:
    """Return whether a subtree takes longer to render than a lookup in the cache."""
    return any(
        isinstance(inner, (nodes.For, nodes.Include))
        or (isinstance(inner, nodes.Filter) and inner.name not in INLINE_FILTERS)
        for inner in descendants(node)
    )
