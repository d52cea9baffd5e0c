"""What each printed expression reads: the names from outside that its text may depend on.

The analysis follows assignments, loops, macros, blocks and partials. It may name too much, where a name has several
values, but never too little.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from jinja2 import nodes

from promptpack.template.codegen import METHOD
from promptpack.template.includes import constant_names
from promptpack.template.language import FUNCTIONS
from promptpack.template.loops import COUNTER
from promptpack.template.tracing.generator import number_of
from promptpack.template.tree import HANDLEBARS_VALUES, children, path_looked_up

if TYPE_CHECKING:
    from promptpack.template.tracing.engine import TracingEngine

Use = Literal["value", "fenced", "condition"]


class NameRead(NamedTuple):
    """A name from outside, the path below it, and how its value is used.

    A `condition` decides which text is printed, but its value is not in the text.
    """

    name: str
    path: str = ""
    use: Use = "value"
    is_exact: bool = True
    """Whether the value at the path is used as it is."""

    def below(self, step: str) -> NameRead:
        """Return the read of a value below this one."""
        return self._replace(path=self.path + step) if self.is_exact else self


Reads = frozenset[NameRead]
NameReads = dict[str, Reads]
_NOTHING: Final[Reads] = frozenset()
_CONDITIONS: Final = (nodes.Compare, nodes.Test, nodes.Not)
_FENCED: Final = "fenced"
_DEFAULTS: Final = ("d", "default")
# Stands for what all namespaces hold: one may have several names, and a macro or a partial may change it.
_NAMESPACES: Final = "namespace"
# Numbers and truths of a loop, which no item can influence.
_COUNTS: Final = ("depth", "depth0", "first", "index", "index0", "last", "length", "revindex", "revindex0")


class Analysis:
    """What the pieces of a template read, and the analyses of the partials that it includes, by their numbers."""

    def __init__(self) -> None:
        self.pieces: dict[int, Reads] = {}
        self.sites: dict[int, dict[str, Analysis]] = {}
        self.printed: Reads = _NOTHING
        """The reads of the whole text."""
        self.exports: NameReads = {}

    def add(self, node: nodes.Node, reads: Reads, stored: Reads) -> Reads:
        """Note what a piece reads, and what namespaces in it hold; visited several times, it reads all of it."""
        number = number_of(node)
        own = frozenset(read for read in reads if read.name != _NAMESPACES)
        self.pieces[number] = self.pieces.get(number, _NOTHING) | (own if own == reads else own | stored)
        return reads


class Analyser:
    """Analyses one template with its partials, again and again until nothing new is found."""

    def __init__(self, engine: TracingEngine) -> None:
        self._engine = engine
        self._found: dict[object, Reads] = {}
        self._has_grown = True
        self._partials: dict[tuple[str, frozenset[tuple[str, Reads]]], Analysis] = {}
        self._analysis = Analysis()
        self._uses: dict[str, frozenset[str]] = {}

    def analyse(self, tree: nodes.Template) -> Analysis:
        """Return the analysis of a template."""
        while self._has_grown:
            self._has_grown = False
            self._partials.clear()
            analysis = self._enter(tree, {})
        return analysis

    def _enter(self, tree: nodes.Template, names: NameReads) -> Analysis:
        outer, self._analysis = self._analysis, Analysis()
        found, own = self._analysis, dict(names)
        found.printed = self._body(tree.body, own)
        found.exports = {name: reads for name, reads in own.items() if names.get(name) != reads}
        self._analysis = outer
        return found

    def _grow(self, key: object, reads: Reads) -> Reads:
        """Add to what is known about a macro, a block, a name or the namespaces, before it is complete."""
        before = self._found.get(key, _NOTHING)
        if not reads <= before:
            self._has_grown = True
            self._found[key] = before | reads
        return self._found.get(key, _NOTHING)

    def _body(self, body: Iterable[nodes.Node], names: NameReads) -> Reads:
        """Visit statements, and return what the text reads that they print."""
        return _union([self._statement(node, names) for node in body])

    def _statement(self, node: nodes.Node, names: NameReads) -> Reads:  # noqa: C901 -- one branch per kind
        match node:
            case nodes.Output():
                return _union(self._piece(child, names) for child in node.nodes)
            case nodes.For():
                return self._loop(node, names)
            case nodes.If():
                return self._branches(node, names)
            case nodes.Assign():
                self._bind(node.target, self._value(node.node, names), names)
            case nodes.AssignBlock():
                self._bind(node.target, self._captured(node, node.filter, names), names)
            case nodes.With():
                inner = dict(names)
                for target, value in zip(node.targets, node.values, strict=True):
                    self._bind(target, self._value(value, names), inner)
                return self._body(node.body, inner)
            case nodes.Macro():
                self._set(node.name, self._macro(node, names), names)
            case nodes.CallBlock():
                return self._add(node, self._call_block(node, names))
            case nodes.FilterBlock():
                return self._add(node, self._captured(node, node.filter, names))
            case nodes.Block():
                return self._block(node, names)
            case nodes.Include():
                return self._include(node, names)
            case nodes.Import() | nodes.FromImport():
                self._import(node, names)
            case nodes.Extends():
                trees = map(self._engine.find_partial, constant_names(node.template))
                return _union(self._body(tree.body, names) for tree in trees if tree is not None)
        return _NOTHING

    def _piece(self, node: nodes.Node, names: NameReads) -> Reads:
        return _NOTHING if isinstance(node, nodes.TemplateData) else self._add(node, self._value(node, names))

    def _add(self, node: nodes.Node, reads: Reads) -> Reads:
        return self._analysis.add(node, reads, self._found.get(_NAMESPACES, _NOTHING))

    def _loop(self, node: nodes.For, names: NameReads) -> Reads:
        values = self._value(node.iter, names)
        inner = {**names, "loop": _derived(values)}
        *counters, target = _targets(node)
        for counter in counters:
            self._bind(counter, _NOTHING, inner)
        self._bind(target, frozenset(read.below("[*]") for read in values), inner)
        return self._body(node.body, inner) | self._body(node.else_, dict(names))

    def _branches(self, node: nodes.If, names: NameReads) -> Reads:
        bodies = [node.body, *(branch.body for branch in node.elif_), node.else_]
        branches = [dict(names) for _ in bodies]
        printed = _union(self._body(body, branch) for body, branch in zip(bodies, branches, strict=True))
        changed = {name for branch in branches for name in branch if branch[name] != names.get(name)}
        for name in changed:
            free = names.get(name, frozenset((NameRead(name),)))
            names[name] = _union(branch.get(name, free) for branch in branches)
        return printed

    def _bind(self, target: nodes.Node, reads: Reads, names: NameReads) -> None:
        if isinstance(target, nodes.Name):
            self._set(target.name, reads, names)
        elif isinstance(target, nodes.Tuple):
            for item in target.items:
                self._bind(item, _derived(reads), names)
        elif isinstance(target, nodes.NSRef):
            self._grow(_NAMESPACES, frozenset(read for read in _derived(reads) if read.name != _NAMESPACES))

    def _set(self, name: str, reads: Reads, names: NameReads) -> None:
        names[name] = reads
        self._grow(("name", name), reads)

    def _at_any_time(self, names: NameReads) -> NameReads:
        """Return names with all values that they ever get: a macro or a block runs when it is called."""
        known = {key[1]: reads for key, reads in self._found.items() if isinstance(key, tuple) and key[0] == "name"}
        return {
            name: names.get(name, frozenset((NameRead(name),))) | known.get(name, _NOTHING)
            for name in {**names, **known}
        }

    def _captured(
        self, node: nodes.AssignBlock | nodes.FilterBlock, used: nodes.Filter | None, names: NameReads
    ) -> Reads:
        printed = frozenset(read._replace(is_exact=False) for read in self._body(node.body, dict(names)))
        return printed if used is None else self._filtered(used, printed, names)

    def _macro(self, node: nodes.Macro, names: NameReads) -> Reads:
        arguments = {argument.name: _NOTHING for argument in node.args}
        special = dict.fromkeys(("caller", "kwargs", "varargs"), _NOTHING)
        known = {node.name: self._found.get(id(node), _NOTHING)}
        printed = self._body(node.body, {**self._at_any_time(names), **known, **special, **arguments})
        defaults = _derived(_union(self._value(default, names) for default in node.defaults))
        return self._grow(id(node), printed | defaults)

    def _call_block(self, node: nodes.CallBlock, names: NameReads) -> Reads:
        called = self._value(node.call, names)
        arguments = {argument.name: _derived(called) for argument in node.args}
        return called | _derived(self._body(node.body, {**names, **arguments}))

    def _block(self, node: nodes.Block, names: NameReads) -> Reads:
        key = "block", node.name
        inner = {**self._at_any_time(names), "super": self._found.get(key, _NOTHING)}
        return self._grow(key, self._body(node.body, inner))

    def _include(self, node: nodes.Include, names: NameReads) -> Reads:
        partials = self._find_partials(node.template, names if node.with_context else {})
        self._analysis.sites.setdefault(number_of(node), {}).update(partials)
        return _union(partial.printed for partial in partials.values())

    def _import(self, node: nodes.Import | nodes.FromImport, names: NameReads) -> None:
        partials = self._find_partials(node.template, names if node.with_context else {}).values()
        exports = _merge(partial.exports for partial in partials)
        if isinstance(node, nodes.Import):
            self._set(node.target, _union(exports.values()), names)
            return
        for entry in node.names:
            name, alias = (entry, entry) if isinstance(entry, str) else entry
            self._set(alias, exports.get(name, _NOTHING), names)

    def _find_partials(self, template: nodes.Expr, names: NameReads) -> dict[str, Analysis]:
        return {name: self._partial(name, names) for name in constant_names(template) if name in self._engine.partials}

    def _partial(self, name: str, names: NameReads) -> Analysis:
        tree = self._engine.find_partial(name)
        assert tree is not None  # noqa: S101 -- the caller checks
        if name not in self._uses:
            self._uses[name] = self._engine.dependencies.find(self._engine.partial_trees[name]).names
        known = {one: reads for one, reads in names.items() if one in self._uses[name]}
        key = name, frozenset(known.items())
        if key not in self._partials:
            self._partials[key] = self._enter(tree, known)
        return self._partials[key]

    def _value(self, node: nodes.Node, names: NameReads) -> Reads:
        match node:
            case nodes.Name():
                return self._name(node.name, names)
            case nodes.Getattr() if node.ctx != METHOD:
                is_count = isinstance(node.node, nodes.Name) and node.node.name == "loop" and node.attr in _COUNTS
                owner = _NOTHING if is_count else self._value(node.node, names)
                return frozenset(read.below(f".{node.attr}") for read in owner)
            case nodes.Getitem() if isinstance(node.arg, nodes.Const):
                key = node.arg.value
                step = f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
                return frozenset(read.below(step) for read in self._value(node.node, names))
            case nodes.Filter() if node.node is not None:
                return self._filtered(node, self._value(node.node, names), names)
            case nodes.Call():
                return self._call(node, names)
            case nodes.CondExpr():
                chosen = (self._value(one, names) for one in (node.expr1, node.expr2) if one is not None)
                return _as_conditions(self._value(node.test, names)) | _union(chosen)
            case nodes.Concat() | nodes.Or() | nodes.And():
                joined = _union(self._value(child, names) for child in children(node))
                return frozenset(read._replace(is_exact=False) for read in joined)
        inner = _union(self._value(child, names) for child in children(node))
        return _as_conditions(inner) if isinstance(node, _CONDITIONS) else _derived(inner)

    def _name(self, name: str, names: NameReads) -> Reads:
        if name in names:
            return names[name]
        return (
            _NOTHING if name != _NAMESPACES and (name in FUNCTIONS or name == COUNTER) else frozenset((NameRead(name),))
        )

    def _filtered(self, node: nodes.Filter, value: Reads, names: NameReads) -> Reads:
        rest = (child for child in children(node) if child is not node.node)
        options = _union(self._value(child, names) for child in rest)
        if node.name == _FENCED:
            return frozenset(read._replace(use=_FENCED) for read in value) | _as_conditions(options)
        if node.name in _DEFAULTS:
            return value | options
        return _derived(value | options)

    def _call(self, node: nodes.Call, names: NameReads) -> Reads:
        if isinstance(node.node, nodes.ImportedName):  # Handlebars
            path = path_looked_up(node)
            if path is not None:
                return self._value(path, names)
            values = _union(self._value(child, names) for child in node.args)
            return _as_conditions(values) if node.node.importname == f"{HANDLEBARS_VALUES}.truth" else values
        called = self._value(node.node, names) if isinstance(node.node, nodes.Name) else _NOTHING
        rest = (child for child in children(node) if child is not node.node or not isinstance(child, nodes.Name))
        return called | _derived(_union(self._value(child, names) for child in rest))


def _targets(loop: nodes.For) -> list[nodes.Node]:
    """Return the counters of a loop, and its target."""
    target, values = loop.target, loop.iter
    if isinstance(target, nodes.Tuple):
        is_numbered = isinstance(values, nodes.Call) and isinstance(values.node, nodes.ImportedName)
        if is_numbered or getattr(target.items[0], "name", None) == COUNTER:
            return list(target.items)
    return [target]


def _union(reads: Iterable[Reads]) -> Reads:
    return _NOTHING.union(*reads)


def _merge(several: Iterable[NameReads]) -> NameReads:
    merged: NameReads = {}
    for names in several:
        for name, reads in names.items():
            merged[name] = merged.get(name, _NOTHING) | reads
    return merged


def _derived(reads: Reads) -> Reads:
    """Return the reads of a computed value: a fence in it may be gone."""
    return frozenset(read._replace(use="value" if read.use == _FENCED else read.use, is_exact=False) for read in reads)


def _as_conditions(reads: Reads) -> Reads:
    return frozenset(read._replace(use="condition", is_exact=False) for read in reads)
