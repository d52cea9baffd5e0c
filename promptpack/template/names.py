"""The names and partials that a template depends on, by Jinja's scoping rules."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from jinja2 import nodes

from promptpack.template.includes import IncludeWalker
from promptpack.template.language import FUNCTIONS
from promptpack.template.tree import children, name_looked_up

_IN_EVERY_MACRO = ("caller", "kwargs", "varargs")
_WITHOUT_NAMES = frozenset((nodes.Const, nodes.TemplateData))
_TRANSPARENT = frozenset((
    nodes.And, nodes.Compare, nodes.Filter, nodes.Getattr, nodes.Getitem, nodes.Keyword, nodes.Not, nodes.Operand,
    nodes.Or, nodes.Output, nodes.Test,
))  # fmt: skip


class NameUse(NamedTuple):
    """A use of a name that the template has not set; `partial` contains it, or is None for the template itself."""

    name: str
    position: int
    partial: str | None = None


class Dependencies(NamedTuple):
    """The names that a template and its partials use but do not set, and the partials, directly or through others."""

    names: frozenset[str]
    partials: frozenset[str]
    uses: tuple[NameUse, ...]
    """The uses in the template itself."""
    includes: "tuple[Include, ...]"

    def find_uses(self, names: frozenset[str], found: dict[str, frozenset[str]]) -> Iterator[NameUse]:
        """Yield the uses of names in the template and its partials; `found` are those found in each partial so far."""
        yield from (use for use in self.uses if use.name in names)
        pending = [(names, include) for include in self.includes]
        for wanted, (partial, inner, known) in pending:
            new = (wanted & inner.names) - known - found.get(partial, frozenset())
            if new:
                found[partial] = found.get(partial, frozenset()) | new
                yield from (use for use in inner.uses if use.name in new)
                pending += ((new, include) for include in inner.includes)


class Include(NamedTuple):
    """The use of a partial: its dependencies, and those of its names that the includer has set."""

    partial: str
    dependencies: Dependencies
    known: frozenset[str]


class DependencyFinder:
    """Finds the dependencies of templates; those of a partial are found once for all templates."""

    def __init__(self, partials: Mapping[str, nodes.Template]) -> None:
        self._includes: IncludeWalker[nodes.Template, Dependencies] = IncludeWalker(partials.get)
        self._includes.visit_all(partials, self._enter)

    def find(self, tree: nodes.Template) -> Dependencies:
        """Return the dependencies of a template, including those of its partials."""
        return self._enter(None, tree)

    def find_in_partials(self, template: nodes.Expr) -> Iterator[tuple[str, Dependencies]]:
        """Yield each partial that a tag names, with its dependencies."""
        return self._includes.visit(template, None, self._enter)

    def _enter(self, partial: str | None, tree: nodes.Template) -> Dependencies:
        visitor = _ScopeVisitor(self, partial)
        visitor.visit_all(tree.body, set())
        names = _join(visitor.names, frozenset(use.name for use in visitor.uses))
        return Dependencies(names, frozenset(visitor.partials), tuple(visitor.uses), tuple(visitor.includes.values()))


class _ScopeVisitor:
    """Visits the nodes of one template or partial; `scope` are the names that are set."""

    def __init__(self, finder: DependencyFinder, partial: str | None) -> None:
        self.uses: dict[NameUse, None] = {}
        self.names: frozenset[str] = frozenset()
        """The names that partials use."""
        self.partials: set[str] = set()
        self.includes: dict[tuple[str, frozenset[str]], Include] = {}
        self._finder = finder
        self._partial = partial

    def visit_all(self, children: Iterable[nodes.Node], scope: set[str]) -> None:
        for child in children:
            if type(child) not in _WITHOUT_NAMES:
                self.visit(child, scope)

    def visit(self, node: nodes.Node, scope: set[str]) -> None:  # noqa: C901 -- one branch per kind of scope
        # Most nodes set no name and open no scope.
        if type(node) in _TRANSPARENT:
            self.visit_all(children(node), scope)
            return
        match node:
            case nodes.Name():
                if node.ctx != "load":
                    scope.add(node.name)
                elif node.name not in FUNCTIONS:
                    self._add_use(node.name, node.lineno, scope)
            case nodes.Call() if name := name_looked_up(node):
                self._add_use(name, node.lineno, scope)
            case nodes.For():
                self._visit_for(node, scope)
            case nodes.If():
                self._visit_if(node, scope)
            case nodes.Assign():
                self.visit(node.node, scope)
                self.visit(node.target, scope)
            case nodes.AssignBlock():
                self.visit_all([node.filter] if node.filter else [], scope)
                self.visit_all(node.body, set(scope))
                self.visit(node.target, scope)
            case nodes.With():
                inner = set(scope)
                self.visit_all(node.values, scope)
                self.visit_all(node.targets, inner)
                self.visit_all(node.body, inner)
            case nodes.Macro() | nodes.CallBlock():
                self._visit_macro(node, scope)
            case nodes.Import():
                scope.add(node.target)
                self._visit_partial(node.template, set())
            case nodes.FromImport():
                scope.update(name if isinstance(name, str) else name[1] for name in node.names)
                self._visit_partial(node.template, set())
            case nodes.Include() | nodes.Extends():
                self._visit_partial(node.template, scope)
            case nodes.NSRef():
                self.visit(nodes.Name(node.name, "load", lineno=node.lineno), scope)
            case nodes.FilterBlock() | nodes.Block():
                self.visit_all(node.iter_child_nodes(), set(scope))
            case _:
                self.visit_all(children(node), scope)

    def _add_use(self, name: str, position: int, scope: set[str]) -> None:
        if name not in scope:
            self.uses[NameUse(name, position, self._partial)] = None

    def _visit_for(self, node: nodes.For, scope: set[str]) -> None:
        self.visit(node.iter, scope)
        inner = set(scope)
        self.visit(node.target, inner)
        if node.test is not None:
            self.visit(node.test, set(inner))
        self.visit_all(node.body, inner | {"loop"})
        self.visit_all(node.else_, set(scope))

    def _visit_if(self, node: nodes.If, scope: set[str]) -> None:
        self.visit(node.test, scope)
        # A name set in any branch counts as set afterwards: only a render shows which branch runs.
        set_inside: set[str] = set()
        for branch in (node.body, node.elif_, node.else_):
            inner = set(scope)
            self.visit_all(branch, inner)
            set_inside |= inner
        scope |= set_inside

    def _visit_macro(self, node: nodes.Macro | nodes.CallBlock, scope: set[str]) -> None:
        if isinstance(node, nodes.Macro):
            scope.add(node.name)
        else:
            self.visit(node.call, scope)
        self.visit_all(node.defaults, scope)
        inner = scope | set(_IN_EVERY_MACRO) | {argument.name for argument in node.args}
        self.visit_all(node.body, inner)

    def _visit_partial(self, template: nodes.Expr, scope: set[str]) -> None:
        self.visit(template, scope)
        for name, dependencies in self._finder.find_in_partials(template):
            known = dependencies.names & scope
            if (name, known) not in self.includes:
                self.includes[name, known] = Include(name, dependencies, known)
                self.names = _join(self.names, dependencies.names - known if known else dependencies.names)
            if name not in self.partials:
                self.partials |= {name, *dependencies.partials}


def _join(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    """Return the union of two sets; if one contains the other it is not copied, since many templates share it."""
    if right <= left:
        return left
    return right if left <= right else left | right
