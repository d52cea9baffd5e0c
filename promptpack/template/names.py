"""The names a template takes from outside, with their positions, by Jinja's own scoping rules."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.template.handlebars import name_looked_up
from promptpack.template.language import FUNCTIONS
from promptpack.template.tree import children

_IN_EVERY_MACRO = ("caller", "kwargs", "varargs")


@dataclass(frozen=True, slots=True)
class Use:
    """A name that is used and not set before; `partial` is where, or None for the template itself."""

    name: str
    position: int
    partial: str | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """What a template takes from outside: names, and the partials it includes, directly or through others."""

    names: tuple[Use, ...]
    partials: frozenset[str]


def find_needs(tree: nodes.Template, parse: Callable[[str], nodes.Template | None]) -> Needs:
    """Find what the template and the partials it includes take from outside."""
    walker = _Walker(parse)
    walker.visit_all(tree.body, set())
    return Needs(tuple(dict.fromkeys(walker.uses)), frozenset(walker.partials))


class _Walker:
    def __init__(self, parse: Callable[[str], nodes.Template | None]) -> None:
        self.uses: list[Use] = []
        self.partials: set[str] = set()
        self._parse = parse
        self._partial: str | None = None
        self._open: list[str] = []

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
            self.uses.append(Use(name, position, self._partial))

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
        for name in constant_names(template):
            tree = None if name in self._open else self._parse(name)
            if tree is None:
                continue
            self.partials.add(name)
            outer, self._partial = self._partial, name
            self._open.append(name)
            self.visit_all(tree.body, set(scope))
            self._open.pop()
            self._partial = outer


def constant_names(template: nodes.Expr) -> Iterator[str]:
    """Give the names of partials that are written out in an `include`, `import` or `extends`."""
    items = template.items if isinstance(template, (nodes.List, nodes.Tuple)) else [template]
    for item in items:
        if isinstance(item, nodes.Const) and isinstance(item.value, str):
            yield item.value
