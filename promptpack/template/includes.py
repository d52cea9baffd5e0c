"""The one way to follow `include`, `import` and `extends`: each partial once per scope, within limits.

An include may be replaced by the partial itself: to set it up takes longer than to render most partials.
"""

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Final, Generic, NamedTuple, Optional, TypeVar

from jinja2 import nodes

from promptpack.template.model import Source
from promptpack.template.positions import shift
from promptpack.template.tree import copy_tree, descendants

LOADING: Final = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
MAX_VISITS: Final = 10_000
"""How many partials a walk may visit, each counted once per scope."""
MAX_VISIT_DEPTH: Final = 32
"""How deep partials may include each other; rendering stops sooner, see `runtime.MAX_INCLUDE_DEPTH`."""
# The characters of partials that may be inlined into one template, so that it stays small.
_MAX_INLINED: Final = 20_000

Visited = TypeVar("Visited")
Result = TypeVar("Result")


class TooManyIncludesError(Exception):
    """A walk visits too many partials, or partials include each other too deeply; `partial` is where it stopped."""

    def __init__(self, partial: str) -> None:
        super().__init__(partial)
        self.partial = partial


class _Visiting(threading.local):
    """The partials that a thread visits now, each inside the one before."""

    def __init__(self) -> None:
        self.names: list[str] = []


class IncludeWalker(Generic[Visited, Result]):
    """Visits the partials that templates name, and caches the result of each visit."""

    def __init__(
        self,
        find: Callable[[str], Visited | None],
        max_visits: int = MAX_VISITS,
        base: Optional["IncludeWalker[Visited, Result]"] = None,
        changed: Collection[str] = (),
    ) -> None:
        """Take the partials to visit here, and a walker that visits all others; without it, visit them all here."""
        self._find = find
        self._max_visits = max_visits
        self._base = base
        self._changed = changed
        self._results: dict[tuple[str, Hashable], Result] = {}
        self._visiting = _Visiting()

    def visit(
        self, template: nodes.Expr, scope: Hashable, enter: Callable[[str, Visited], Result]
    ) -> Iterator[tuple[str, Result]]:
        """Enter each partial that a tag names, unless it was entered with the same scope or is being visited now."""
        for name in constant_names(template):
            walker = self
            while walker._base is not None and name not in walker._changed:
                walker = walker._base
            partial = None if name in walker._visiting.names else walker._find(name)
            if partial is not None:
                key = name, scope
                if key not in walker._results:
                    walker._results[key] = walker._entered(name, partial, enter)
                yield name, walker._results[key]

    @property
    def _visits(self) -> int:
        return len(self._results) + (self._base._visits if self._base else 0)

    def _entered(self, name: str, partial: Visited, enter: Callable[[str, Visited], Result]) -> Result:
        visiting = self._visiting.names
        if self._visits >= self._max_visits or len(visiting) >= MAX_VISIT_DEPTH:
            raise TooManyIncludesError(name)
        visiting.append(name)
        try:
            return enter(name, partial)
        finally:
            visiting.pop()


class LoadingTag(NamedTuple):
    """A tag that loads a partial."""

    node: nodes.Node
    target: str


def loading_tags(tree: nodes.Template) -> Iterator[LoadingTag]:
    """Yield the tags of a template that load partials, once for each partial."""
    for node in tree.find_all(LOADING):
        yield from (LoadingTag(node, target) for target in constant_names(node.template))  # type: ignore[attr-defined]


def find_cycles(tags: Mapping[str, Sequence[LoadingTag]]) -> Iterator[tuple[str, LoadingTag]]:
    """Yield the tags by which partials include themselves, directly or through others, each with its partial."""
    groups = _connected({name: [tag.target for tag in found if tag.target in tags] for name, found in tags.items()})
    for name, found in tags.items():
        yield from ((name, tag) for tag in found if groups.get(tag.target) == groups[name])


def _connected(graph: Mapping[str, list[str]]) -> dict[str, int]:
    """Return the strongly connected group of each node, by Tarjan's algorithm; a node without a cycle is alone."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    groups: dict[str, int] = {}
    path: list[str] = []
    for root in graph:
        waiting = [(root, iter(graph[root]))] if root not in order else []
        while waiting:
            node, targets = waiting[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                path.append(node)
            target = next((one for one in targets if one not in groups), None)
            if target is None:
                waiting.pop()
                if lowest[node] == order[node]:
                    start = path.index(node)
                    groups |= dict.fromkeys(path[start:], order[node])
                    del path[start:]
                if waiting:
                    parent = waiting[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
            elif target in order:
                lowest[node] = min(lowest[node], order[target])
            else:
                waiting.append((target, iter(graph[target])))
    return groups


def constant_names(template: nodes.Expr) -> Iterator[str]:
    """Yield the names of partials that an `include`, `import` or `extends` writes in quotes."""
    items = template.items if isinstance(template, (nodes.List, nodes.Tuple)) else [template]
    for item in items:
        if isinstance(item, nodes.Const) and isinstance(item.value, str):
            yield item.value


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
        body = list(self._statements(tree.body, sources, frozenset(_written_names(tree))))
        return nodes.Template(body, lineno=tree.lineno), sources[1:]

    def _statements(
        self, body: Iterable[nodes.Node], sources: list[Source], written: frozenset[str]
    ) -> Iterator[nodes.Node]:
        for node in body:
            if isinstance(node, nodes.Include) and (partial := self._partial(node, sources, written)):
                yield from place(partial[0], partial[1], sources).body
            elif isinstance(node, nodes.If):
                yield self._branches(node, sources, written)
            else:
                yield node

    def _branches(self, node: nodes.If, sources: list[Source], written: frozenset[str]) -> nodes.If:
        branches = copy(node)
        branches.body = list(self._statements(node.body, sources, written))
        branches.elif_ = [self._branches(branch, sources, written) for branch in node.elif_]
        branches.else_ = list(self._statements(node.else_, sources, written))
        return branches

    def _partial(
        self, node: nodes.Include, sources: Sequence[Source], written: frozenset[str]
    ) -> tuple[nodes.Template, Source] | None:
        name = node.template.value if isinstance(node.template, nodes.Const) else ""
        tree = self._trees.get(name) if node.with_context and isinstance(name, str) else None
        if tree is None or tree.find(nodes.Include) is not None or not self._is_pure(tree):
            return None
        # A template that reads a name before it sets it reads the input, in all its loops too; an include does not.
        if any(isinstance(one, nodes.Name) and one.name in written for one in descendants(tree)):
            return None
        source = self._sources[name]
        is_short = sum(len(one.text) for one in [*sources[1:], source]) <= _MAX_INLINED
        is_jinja = source.syntax == sources[0].syntax == "jinja"
        is_compilable: bool = tree.is_lazy  # type: ignore[attr-defined]  # set by the engine
        return (tree, source) if is_short and is_jinja and is_compilable else None


def _written_names(tree: nodes.Template) -> Iterator[str]:
    """Yield the names that a template sets, imports or defines as macros."""
    for node in descendants(tree):
        if isinstance(node, nodes.Macro) or (isinstance(node, nodes.Name) and node.ctx != "load"):
            yield node.name
        elif isinstance(node, nodes.Import):
            yield node.target
        elif isinstance(node, nodes.FromImport):
            yield from (one if isinstance(one, str) else one[1] for one in node.names)


def place(tree: nodes.Template, source: Source, sources: list[Source]) -> nodes.Template:
    """Return a copy of a tree as if its source followed the others, and add its source to them."""
    placed = copy_tree(tree)
    before = sum(source.line_count for source in sources)
    for node in descendants(placed):
        if node.lineno is not None:  # Jinja leaves it out of some nodes
            node.lineno = shift(node.lineno, before)
    sources.append(source)
    return placed
