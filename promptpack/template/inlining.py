"""Includes replaced by the partials themselves: to set up an include takes longer than to render most partials."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Final

from jinja2 import nodes

from promptpack.template.model import Source
from promptpack.template.positions import shift
from promptpack.template.tree import copy_tree, descendants

# The characters of partials that may be inlined into one template, so that it stays small.
_MAX_INLINED: Final = 20_000


class Inliner:
    """Inlines partials that only print and include nothing, outside loops, macros and blocks."""

    def __init__(
        self,
        trees: Mapping[str, nodes.Template],
        sources: Mapping[str, Source],
        is_pure: Callable[[nodes.Template], bool],
    ) -> None:
        self._trees = trees
        self._sources = sources
        self._is_pure = is_pure

    def inline(self, tree: nodes.Template, source: Source) -> tuple[nodes.Template, list[Source]]:
        """Return a tree with partials in it, and their sources: its nodes are placed as if those followed its own."""
        sources = [source]
        body = list(self._statements(tree.body, sources))
        return nodes.Template(body, lineno=tree.lineno), sources[1:]

    def _statements(self, body: Iterable[nodes.Node], sources: list[Source]) -> Iterator[nodes.Node]:
        for node in body:
            if isinstance(node, nodes.Include) and (partial := self._partial(node, sources)):
                yield from place(partial[0], partial[1], sources).body
            elif isinstance(node, nodes.If):
                yield self._branches(node, sources)
            else:
                yield node

    def _branches(self, node: nodes.If, sources: list[Source]) -> nodes.If:
        branches = copy(node)
        branches.body = list(self._statements(node.body, sources))
        branches.elif_ = [self._branches(branch, sources) for branch in node.elif_]
        branches.else_ = list(self._statements(node.else_, sources))
        return branches

    def _partial(self, node: nodes.Include, sources: Sequence[Source]) -> tuple[nodes.Template, Source] | None:
        name = node.template.value if isinstance(node.template, nodes.Const) else ""
        tree = self._trees.get(name) if node.with_context and isinstance(name, str) else None
        if tree is None or tree.find(nodes.Include) is not None or not self._is_pure(tree):
            return None
        source = self._sources[name]
        is_short = sum(len(one.text) for one in [*sources[1:], source]) <= _MAX_INLINED
        is_jinja = source.syntax == sources[0].syntax == "jinja"
        is_compilable: bool = tree.is_lazy  # type: ignore[attr-defined]  # set by the engine
        return (tree, source) if is_short and is_jinja and is_compilable else None


def place(tree: nodes.Template, source: Source, sources: list[Source]) -> nodes.Template:
    """Return a copy of a tree as if its source followed the others, and add its source to them."""
    placed = copy_tree(tree)
    before = sum(source.line_count for source in sources)
    for node in descendants(placed):
        if node.lineno is not None:  # Jinja leaves it out of some nodes
            node.lineno = shift(node.lineno, before)
    sources.append(source)
    return placed
