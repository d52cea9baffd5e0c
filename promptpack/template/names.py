"""The names a template takes from outside, with their positions, by Jinja's own scoping rules."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from jinja2 import nodes

from promptpack.template.includes import IncludeWalker
from promptpack.template.language import FUNCTIONS
from promptpack.template.tree import children, name_looked_up

_IN_EVERY_MACRO = ("caller", "kwargs", "varargs")


class Use(NamedTuple):
    """A name that is used before it is set; `partial` is where, or None for the template itself."""

    name: str
    position: int
    partial: str | None = None


class Needs(NamedTuple):
    """What a template takes from outside: names, and the partials it includes, directly or through others."""

    names: tuple[Use, ...]
    partials: frozenset[str]


class NeedsFinder:
    """Finds what templates take from outside; what a partial takes is found once for all templates."""

    def __init__(self, partials: Mapping[str, nodes.Template]) -> None:
        self._includes: IncludeWalker[nodes.Template, Needs] = IncludeWalker(partials.get)
        self._includes.visit_all(partials, self._enter)

    def find(self, tree: nodes.Template) -> Needs:
        """Find what a template and the partials it includes take from outside."""
        return self._enter(None, tree)

    def of_partials(self, template: nodes.Expr) -> Iterator[tuple[str, Needs]]:
        """Yield what each partial that a tag names takes from outside."""
        return self._includes.visit(template, None, self._enter)

    def _enter(self, partial: str | None, tree: nodes.Template) -> Needs:
        reader = _Reader(self, partial)
        reader.visit_all(tree.body, set())
        return Needs(tuple(reader.uses), frozenset(reader.partials))


class _Reader:
    """Reads one template or partial."""

    def __init__(self, finder: NeedsFinder, partial: str | None) -> None:
        self.uses: dict[Use, None] = {}
        self.partials: set[str] = set()
        self._finder = finder
        self._partial = partial
        self._included: set[tuple[str, frozenset[str]]] = set()

    def visit_all(self, children: Iterable[nodes.Node], scope: set[str]) -> None:
        for child in children:
            self.visit(child, scope)

    def visit(self, node: nodes.Node, scope: set[str]) -> None:  # noqa: C901 -- one branch a kind of scope
        match node:
            case nodes.Name():
                if node.ctx != "load":
                    scope.add(node.name)
                elif node.name not in FUNCTIONS:
                    self._use(node.name, node.lineno, scope)
            case nodes.Call() if name := name_looked_up(node):
                self._use(name, node.lineno, scope)
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

    def _use(self, name: str, position: int, scope: set[str]) -> None:
        if name not in scope:
            self.uses[Use(name, position, self._partial)] = None

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
        # A name set in any branch counts as set afterwards: whether that branch ran is a question for run time.
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
        seen = frozenset(scope)
        for name, needs in self._finder.of_partials(template):
            if (name, seen) not in self._included:
                self._included.add((name, seen))
                self.partials |= {name, *needs.partials}
                self.uses |= dict.fromkeys(use for use in needs.names if use.name not in seen)
