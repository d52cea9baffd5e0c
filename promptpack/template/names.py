"""The names and partials that a template depends on, by Jinja's scoping rules."""

from collections import ChainMap, Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping
from typing import NamedTuple, Optional

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


SetNames = MutableMapping[str, bool]
"""The names that a template has set: true if it surely has, false if only some branches do."""


class NameUse(NamedTuple):
    """A use of a name that may come from outside; `partial` contains it, or is None for the template itself."""

    name: str
    position: int
    partial: str | None = None
    is_set_sometimes: bool = False
    """Whether a branch before it sets the name: only a render shows whether that branch runs."""


class Dependencies(NamedTuple):
    """The names that a template and its partials take from outside, and the partials, directly or through others."""

    names: frozenset[str]
    partials: frozenset[str]
    uses: tuple[NameUse, ...]
    """The uses in the template itself."""
    includes: "tuple[Include, ...]"
    exports: frozenset[str]
    """The names that the template itself sets, outside loops, macros and blocks."""

    def find_unset_uses(self, names: frozenset[str], found: dict[str, frozenset[str]]) -> Iterator[NameUse]:
        """Yield the uses of names that no branch sets, also in partials; `found` are those found in each partial."""
        yield from (use for use in self.uses if use.name in names and not use.is_set_sometimes)
        pending = [(names, include) for include in self.includes]
        for wanted, (partial, inner, known) in pending:
            new = (wanted & inner.names) - known.keys() - found.get(partial, frozenset())
            if new:
                found[partial] = found.get(partial, frozenset()) | new
                yield from (use for use in inner.uses if use.name in new and not use.is_set_sometimes)
                pending += ((new, include) for include in inner.includes)


class Include(NamedTuple):
    """The use of a partial: its dependencies, and those of its names that the includer has set."""

    partial: str
    dependencies: Dependencies
    known: SetNames


class DependencyFinder:
    """Finds the dependencies of templates; those of a partial are found once for all templates."""

    def __init__(
        self,
        partials: Mapping[str, nodes.Template],
        changed: Collection[str] | None = None,
        base: Optional["DependencyFinder"] = None,
    ) -> None:
        """Take the partials, and with a base the names of those that it does not know as they are."""
        changed = partials if changed is None else changed
        self._includes: IncludeWalker[nodes.Template, Dependencies] = IncludeWalker(
            partials.get, base=base._includes if base else None, changed=changed
        )

    def find(self, tree: nodes.Template) -> Dependencies:
        """Return the dependencies of a template, including those of its partials."""
        return self._enter(None, tree)

    def find_in_partials(self, template: nodes.Expr) -> Iterator[tuple[str, Dependencies]]:
        """Yield each partial that a tag names, with its dependencies."""
        return self._includes.visit(template, None, self._enter)

    def _enter(self, partial: str | None, tree: nodes.Template) -> Dependencies:
        visitor = _ScopeVisitor(self, partial)
        scope: SetNames = {}
        visitor.visit_frame(tree.body, scope)
        names = _join(visitor.names, frozenset(use.name for use in visitor.uses))
        uses = tuple(sorted(visitor.uses, key=lambda use: use.position))
        return Dependencies(
            names, frozenset(visitor.partials), uses, tuple(visitor.includes.values()), frozenset(scope)
        )


class _ScopeVisitor:
    """Visits the nodes of one template or partial."""

    def __init__(self, finder: DependencyFinder, partial: str | None) -> None:
        self.uses: dict[NameUse, None] = {}
        self.names: frozenset[str] = frozenset()
        """The names that partials use."""
        self.partials: set[str] = set()
        self.includes: dict[tuple[str, frozenset[tuple[str, bool]]], Include] = {}
        self._finder = finder
        self._partial = partial
        # Macros and blocks that run later, when the names that follow them are set.
        self._later: list[nodes.Macro | nodes.Block] = []

    def visit_frame(self, body: Iterable[nodes.Node], scope: SetNames) -> None:
        """Visit statements whose names are visible only among them; macros see those that are set after them."""
        outer, self._later = self._later, []
        self.visit_all(body, scope)
        later, self._later = self._later, outer
        for node in later:
            if isinstance(node, nodes.Macro):
                self._visit_called(node, scope)
            else:
                self.visit_frame(node.body, dict(scope))

    def visit_all(self, children: Iterable[nodes.Node], scope: SetNames) -> None:
        for child in children:
            if type(child) not in _WITHOUT_NAMES:
                self.visit(child, scope)

    def visit(self, node: nodes.Node, scope: SetNames) -> None:  # noqa: C901 -- one branch per kind of scope
        # Most nodes set no name and open no scope.
        if type(node) in _TRANSPARENT:
            self.visit_all(children(node), scope)
            return
        match node:
            case nodes.Name():
                if node.ctx != "load":
                    scope[node.name] = True
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
                self.visit_frame(node.body, dict(scope))
                self.visit(node.target, scope)
            case nodes.With():
                inner = dict(scope)
                self.visit_all(node.values, scope)
                self.visit_all(node.targets, inner)
                self.visit_frame(node.body, inner)
            case nodes.Macro():
                scope[node.name] = True
                self._later.append(node)
            case nodes.CallBlock():
                self.visit(node.call, scope)
                self._visit_called(node, scope)
            case nodes.Import():
                scope[node.target] = True
                self._visit_partial(node.template, scope if node.with_context else {})
            case nodes.FromImport():
                scope.update((name if isinstance(name, str) else name[1], True) for name in node.names)
                self._visit_partial(node.template, scope if node.with_context else {})
            case nodes.Include():
                self._visit_partial(node.template, scope)
            case nodes.Extends():
                exported = self._visit_partial(node.template, scope)
                scope.update((name, scope.get(name, False)) for name in exported)
            case nodes.NSRef():
                self.visit(nodes.Name(node.name, "load", lineno=node.lineno), scope)
            case nodes.Block():
                self._later.append(node)
            case nodes.FilterBlock():
                self.visit_frame(node.iter_child_nodes(), dict(scope))
            case _:
                self.visit_all(children(node), scope)

    def _add_use(self, name: str, position: int, scope: SetNames) -> None:
        if not scope.get(name):
            self.uses[NameUse(name, position, self._partial, name in scope)] = None

    def _visit_for(self, node: nodes.For, scope: SetNames) -> None:
        self.visit(node.iter, scope)
        inner = dict(scope)
        self.visit(node.target, inner)
        if node.test is not None:
            self.visit(node.test, dict(inner))
        self.visit_frame(node.body, {**inner, "loop": True})
        self.visit_frame(node.else_, dict(scope))

    def _visit_if(self, node: nodes.If, scope: SetNames) -> None:
        surely: Counter[str] = Counter()
        sometimes: dict[str, bool] = {}
        for branch in (node, *node.elif_):
            self.visit(branch.test, scope)
        branches = [node.body, *(branch.body for branch in node.elif_), node.else_]
        for body in branches:
            own: dict[str, bool] = {}
            self.visit_all(body, ChainMap(own, scope))
            surely.update(name for name, is_sure in own.items() if is_sure)
            sometimes |= own
        scope.update((name, scope.get(name, False) or surely[name] == len(branches)) for name in sometimes)

    def _visit_called(self, node: nodes.Macro | nodes.CallBlock, scope: SetNames) -> None:
        inner = {**scope, **dict.fromkeys((*_IN_EVERY_MACRO, *(argument.name for argument in node.args)), True)}
        self.visit_all(node.defaults, inner)
        self.visit_frame(node.body, inner)

    def _visit_partial(self, template: nodes.Expr, scope: SetNames) -> frozenset[str]:
        """Visit the partials that a tag names, and return the names that they set."""
        self.visit(template, scope)
        exports: frozenset[str] = frozenset()
        for name, dependencies in self._finder.find_in_partials(template):
            known = {one: scope[one] for one in dependencies.names & scope.keys()}
            key = name, frozenset(known.items())
            if key not in self.includes:
                self.includes[key] = Include(name, dependencies, known)
                surely = frozenset(one for one, is_sure in known.items() if is_sure)
                self.names = _join(self.names, dependencies.names - surely if surely else dependencies.names)
            if name not in self.partials:
                self.partials |= {name, *dependencies.partials}
            exports |= dependencies.exports
        return exports


def _join(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    """Return the union of two sets; if one contains the other it is not copied, since many templates share it."""
    if right <= left:
        return left
    return right if left <= right else left | right


class LocalNames(NamedTuple):
    """The names that a template itself sets anywhere, those of them that it can call, and its calls by position."""

    values: tuple[str, ...]
    callables: tuple[str, ...]
    calls: frozenset[tuple[str, int]]


def find_local_names(tree: nodes.Template) -> LocalNames:
    """Return the loop variables, arguments, macros and other names that a template sets."""
    imported = [name for one in tree.find_all(nodes.FromImport) for name in one.names]
    callables = [name if isinstance(name, str) else name[1] for name in imported]
    callables += (macro.name for macro in tree.find_all(nodes.Macro))
    values = [one.name for one in tree.find_all(nodes.Name) if one.ctx != "load"]
    values += (one.target for one in tree.find_all(nodes.Import))
    called = (call.node for call in tree.find_all(nodes.Call))
    calls = frozenset((one.name, one.lineno) for one in called if isinstance(one, nodes.Name))
    # The value of an expression is assigned to 'result'.
    names = dict.fromkeys(name for name in (*values, *callables) if name != "result")
    return LocalNames(tuple(names), tuple(dict.fromkeys(callables)), calls)
