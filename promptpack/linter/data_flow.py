"""Data flow analysis: which inputs a template prints, and through which filters; no expression is evaluated."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from jinja2 import nodes

from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.subject import Subject
from promptpack.template.includes import IncludeWalker, TooManyIncludesError, constant_names
from promptpack.template.tree import name_looked_up

# Macros that call macros could take exponential time; no realistic template needs this many steps.
_MAX_STEPS = 20_000
_MAX_DEPTH = 16
_ANY_KEY = "*"
# A subscript or slice of a filter's output, as in `(X | json)[1:-1]`, is recorded as a filter of this name.
CUT = "[]"


@dataclass(frozen=True, slots=True)
class InputOrigin:
    """An input that a value comes from, the keys that lead to it (`*` for any), and the filters applied to it."""

    input: str
    keys: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """A value that is printed; `text` is the template or partial that contains the tag."""

    origin: InputOrigin
    position: int
    text: ParsedText


Value = tuple[InputOrigin, ...]
Scope = dict[str, "Value | _Macro"]


@dataclass(frozen=True, slots=True, eq=False)
class _Macro:
    node: nodes.Macro
    scope: Scope


def trace_prompt(subject: Subject) -> tuple[tuple[ParsedText, tuple[PrintedValue, ...]], ...]:
    """Return the texts of a pack that a model sees, each with the values that it prints; cached for all rules."""
    kinds = ("content", "detail", "slot")
    return subject.cached(
        "printed",
        lambda: tuple((text, trace_template(text, subject.partials)) for text in subject.texts if text.kind in kinds),
    )


def trace_template(text: ParsedText, partials: Mapping[str, ParsedText]) -> tuple[PrintedValue, ...]:
    """Return every value that a template and its partials print."""
    walker = _Walker(text, partials)
    with suppress(TooManyIncludesError):
        walker.run(text.tree.body, {})
    return tuple(dict.fromkeys(walker.printed))


class _Walker:
    def __init__(self, text: ParsedText, partials: Mapping[str, ParsedText]) -> None:
        self.printed: list[PrintedValue] = []
        self._text = text
        self._partials = partials
        self._includes: IncludeWalker[ParsedText, tuple[PrintedValue, ...]] = IncludeWalker(partials.get)
        self._steps = 0
        self._depth = 0

    def run(self, body: Iterable[nodes.Node], scope: Scope) -> None:
        for node in body:
            self._steps += 1
            if self._steps > _MAX_STEPS:
                return
            self._statement(node, scope)

    def _statement(self, node: nodes.Node, scope: Scope) -> None:  # noqa: C901 -- one branch per kind of tag
        match node:
            case nodes.Output():
                for child in node.nodes:
                    self._print(self._value(child, scope), start_of(child))
            case nodes.For():
                inner = dict(scope)
                self._bind(node.target, _below(self._value(node.iter, scope)), inner)
                self.run(node.body, {**inner, "loop": ()})
                self.run(node.else_, dict(scope))
            case nodes.If():
                self._branches([node.body, *(branch.body for branch in node.elif_), node.else_], scope)
            case nodes.Assign():
                self._bind(node.target, self._value(node.node, scope), scope)
            case nodes.AssignBlock():
                filters = _filters_of(node.filter)
                self._bind(node.target, _through(self._captured(node.body, dict(scope)), filters), scope)
            case nodes.With():
                inner = dict(scope)
                for target, value in zip(node.targets, node.values, strict=True):
                    self._bind(target, self._value(value, scope), inner)
                self.run(node.body, inner)
            case nodes.Macro():
                scope[node.name] = _Macro(node, scope)
            case nodes.CallBlock():
                called = dict(scope) | {"caller": self._captured(node.body, dict(scope))}
                self._print(self._value(node.call, called), node.lineno)
            case nodes.FilterBlock():
                self._print(_through(self._captured(node.body, dict(scope)), _filters_of(node.filter)), node.lineno)
            case nodes.Include() | nodes.Extends():
                self._include(node.template, scope)
            case nodes.FromImport() | nodes.Import():
                self._import(node, scope)
            case nodes.Block() | nodes.Scope():
                self.run(node.body, dict(scope))

    def _branches(self, branches: list[list[nodes.Node]], scope: Scope) -> None:
        before = dict(scope)
        for branch in branches:
            inner = dict(before)
            self.run(branch, inner)
            for name, value in inner.items():
                scope[name] = _joined(scope.get(name), value) if name in scope else value

    def _include(self, template: nodes.Expr, scope: Scope) -> None:
        def enter(_: str, partial: ParsedText) -> tuple[PrintedValue, ...]:
            outer, self._text, self.printed = (self._text, self.printed), partial, []
            self.run(partial.tree.body, dict(scope))
            printed = tuple(dict.fromkeys(self.printed))
            self._text, self.printed = outer
            return printed

        for _, printed in self._includes.visit(template, frozenset(scope.items()), enter):
            self.printed += printed

    def _import(self, node: nodes.FromImport | nodes.Import, scope: Scope) -> None:
        found = [self._partials[name] for name in constant_names(node.template) if name in self._partials]
        macros = {macro.name: _Macro(macro, {}) for text in found for macro in text.tree.find_all(nodes.Macro)}
        if isinstance(node, nodes.Import):
            scope.update({f"{node.target}.{name}": macro for name, macro in macros.items()})
            return
        for name in node.names:
            original, alias = (name, name) if isinstance(name, str) else name
            if original in macros:
                scope[alias] = macros[original]

    def _captured(self, body: Iterable[nodes.Node], scope: Scope) -> Value:
        """Return what a body prints as a value, without recording it as printed."""
        outer, self.printed = self.printed, []
        self.run(body, scope)
        inner, self.printed = self.printed, outer
        return tuple(dict.fromkeys(found.origin for found in inner))

    def _print(self, value: Value, position: int) -> None:
        self.printed += (PrintedValue(origin, position, self._text) for origin in value)

    def _bind(self, target: nodes.Node, value: Value, scope: Scope) -> None:
        match target:
            case nodes.Name():
                scope[target.name] = value
            case nodes.NSRef():
                scope[target.name] = _joined(scope.get(target.name), value)
            case nodes.Tuple() | nodes.List():
                for item in target.items:
                    self._bind(item, _below(value), scope)

    def _value(self, node: nodes.Node, scope: Scope) -> Value:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return ()
        match node:
            case nodes.Name():
                value = scope.get(node.name, (InputOrigin(node.name),))
                return () if isinstance(value, _Macro) else value
            case nodes.Getattr():
                return _below(self._value(node.node, scope), node.attr)
            case nodes.Getitem():
                key = node.arg.value if isinstance(node.arg, nodes.Const) else None
                return _below(self._value(node.node, scope), key if isinstance(key, str) else _ANY_KEY)
            case nodes.Filter():
                inner = self._value(node.node, scope) if node.node is not None else ()
                return _through((*inner, *self._arguments(node, scope)), (node.name,))
            case nodes.Call():
                return self._call(node, scope)
            case nodes.CondExpr():
                other = self._value(node.expr2, scope) if node.expr2 is not None else ()
                return (*self._value(node.expr1, scope), *other)
            case nodes.Compare() | nodes.Test() | nodes.Not():
                return ()
        return tuple(origin for child in node.iter_child_nodes() for origin in self._value(child, scope))

    def _arguments(self, node: nodes.Filter | nodes.Call, scope: Scope) -> Value:
        given = (*node.args, *(keyword.value for keyword in node.kwargs))
        return tuple(origin for argument in given for origin in self._value(argument, scope))

    def _call(self, node: nodes.Call, scope: Scope) -> Value:
        name = name_looked_up(node)
        if name is not None:
            value = scope.get(name, (InputOrigin(name),))
            return () if isinstance(value, _Macro) else value
        macro = scope.get(_called_name(node.node))
        if isinstance(macro, _Macro):
            return self._run_macro(macro, node, scope)
        arguments = self._arguments(node, scope)
        if isinstance(node.node, nodes.Getattr):
            return (*_below(self._value(node.node.node, scope)), *arguments)
        if isinstance(node.node, nodes.Name) and node.node.name == "caller":
            return (*self._value(node.node, scope), *arguments)
        return arguments

    def _run_macro(self, macro: _Macro, call: nodes.Call, scope: Scope) -> Value:
        if self._depth >= _MAX_DEPTH:
            return ()
        names = [argument.name for argument in macro.node.args]
        bound: Scope = dict.fromkeys(names, ())
        bound |= dict(zip(names, (self._value(argument, scope) for argument in call.args), strict=False))
        bound |= {keyword.key: self._value(keyword.value, scope) for keyword in call.kwargs}
        self._depth += 1
        value = self._captured(macro.node.body, {**macro.scope, "caller": scope.get("caller", ()), **bound})
        self._depth -= 1
        return value


def _called_name(node: nodes.Expr) -> str:
    match node:
        case nodes.Name():
            return node.name
        case nodes.Getattr(node=nodes.Name(name=module)):
            return f"{module}.{node.attr}"
    return ""


def _below(value: Value, key: str = _ANY_KEY) -> Value:
    """Return an item of a value; after a filter, this is recorded as the filter `CUT`."""
    return tuple(
        replace(origin, filters=(*origin.filters, CUT)) if origin.filters else replace(origin, keys=(*origin.keys, key))
        for origin in value
    )


def _through(value: Value, filters: tuple[str, ...]) -> Value:
    return tuple(replace(origin, filters=(*origin.filters, *filters)) for origin in value)


def _joined(before: "Value | _Macro | None", value: "Value | _Macro") -> "Value | _Macro":
    if isinstance(before, tuple) and isinstance(value, tuple):
        return tuple(dict.fromkeys((*before, *value)))
    return value


def _filters_of(node: nodes.Filter | None) -> tuple[str, ...]:
    names: list[str] = []
    current: nodes.Node | None = node
    while isinstance(current, nodes.Filter):
        names.append(current.name)
        current = current.node
    return tuple(names)


def start_of(node: nodes.Node) -> int:
    """Return the position where an expression starts; Jinja puts a filter at its bar and an addition at its sign."""
    return min((name.lineno for name in node.find_all(nodes.Name)), default=node.lineno)
