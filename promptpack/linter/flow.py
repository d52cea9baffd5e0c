"""Which inputs a template prints, and through which filters: values followed through its scopes, nothing worked out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from jinja2 import nodes

from promptpack.linter.subject import Subject, Text
from promptpack.template.includes import constant_names
from promptpack.template.tree import name_looked_up

# Templates that call macros from macros could be walked through for ever; no honest one takes as many steps.
_MOST_STEPS = 20_000
_DEEPEST = 16
_ANY_KEY = "*"
# A part of what a filter gave, as of `(X | json)[1:-1]`.
CUT = "[]"


@dataclass(frozen=True, slots=True)
class Origin:
    """An input that a value comes from, the keys on the way (`*` for any), and the filters that it went through."""

    input: str
    keys: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Printed:
    """An input's value as it is printed; `text` is the template or the partial that the tag stands in."""

    origin: Origin
    position: int
    text: Text


Value = tuple[Origin, ...]
Scope = dict[str, "Value | _Macro"]


@dataclass(frozen=True, slots=True)
class _Macro:
    node: nodes.Macro
    scope: Scope


def printed_by(subject: Subject) -> tuple[tuple[Text, tuple[Printed, ...]], ...]:
    """Give the texts of a pack that models get to see, each with what it prints; worked out once for all rules."""
    shown = ("content", "detail", "slot")
    return subject.once(
        "printed",
        lambda: tuple((text, find_printed(text, subject.partials)) for text in subject.texts if text.kind in shown),
    )


def find_printed(text: Text, partials: Mapping[str, Text]) -> tuple[Printed, ...]:
    """Find every value that a template and the partials it includes print."""
    walker = _Walker(text, partials)
    walker.run(text.tree.body, {})
    return tuple(dict.fromkeys(walker.printed))


class _Walker:
    def __init__(self, text: Text, partials: Mapping[str, Text]) -> None:
        self.printed: list[Printed] = []
        self._text = text
        self._partials = partials
        self._steps = 0
        self._open: list[str] = []

    def run(self, body: Iterable[nodes.Node], scope: Scope) -> None:
        for node in body:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                return
            self._statement(node, scope)

    def _statement(self, node: nodes.Node, scope: Scope) -> None:  # noqa: C901 -- one branch a kind of tag
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
                known = scope.get(name)
                scope[name] = _joined(known, value) if name in scope else value

    def _include(self, template: nodes.Expr, scope: Scope) -> None:
        for name in constant_names(template):
            partial = self._partials.get(name)
            if partial is None or name in self._open or len(self._open) >= _DEEPEST:
                continue
            outer, self._text = self._text, partial
            self._open.append(name)
            self.run(partial.tree.body, dict(scope))
            self._open.pop()
            self._text = outer

    def _import(self, node: nodes.FromImport | nodes.Import, scope: Scope) -> None:
        found = [self._partials[name] for name in constant_names(node.template) if name in self._partials]
        macros = {macro.name: _Macro(macro, {}) for text in found for macro in text.tree.find_all(nodes.Macro)}
        if isinstance(node, nodes.Import):
            scope.update({f"{node.target}.{name}": macro for name, macro in macros.items()})
            return
        for name in node.names:
            own, shown = (name, name) if isinstance(name, str) else name
            if own in macros:
                scope[shown] = macros[own]

    def _captured(self, body: Iterable[nodes.Node], scope: Scope) -> Value:
        """Give what a body prints as a value, since it is not printed where it stands."""
        outer, self.printed = self.printed, []
        self.run(body, scope)
        inner, self.printed = self.printed, outer
        return tuple(dict.fromkeys(found.origin for found in inner))

    def _print(self, value: Value, position: int) -> None:
        self.printed += (Printed(origin, position, self._text) for origin in value)

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
        if self._steps > _MOST_STEPS:
            return ()
        match node:
            case nodes.Name():
                known = scope.get(node.name, (Origin(node.name),))
                return () if isinstance(known, _Macro) else known
            case nodes.Getattr():
                return _below(self._value(node.node, scope), node.attr)
            case nodes.Getitem():
                key = node.arg.value if isinstance(node.arg, nodes.Const) else None
                return _below(self._value(node.node, scope), key if isinstance(key, str) else _ANY_KEY)
            case nodes.Filter():
                inner = self._value(node.node, scope) if node.node is not None else ()
                return _through((*inner, *self._arguments(node, scope)), (node.name,))
            case nodes.Call():
                return self._called(node, scope)
            case nodes.CondExpr():
                other = self._value(node.expr2, scope) if node.expr2 is not None else ()
                return (*self._value(node.expr1, scope), *other)
            case nodes.Compare() | nodes.Test() | nodes.Not():
                return ()
        return tuple(origin for child in node.iter_child_nodes() for origin in self._value(child, scope))

    def _arguments(self, node: nodes.Filter | nodes.Call, scope: Scope) -> Value:
        given = (*node.args, *(keyword.value for keyword in node.kwargs))
        return tuple(origin for argument in given for origin in self._value(argument, scope))

    def _called(self, node: nodes.Call, scope: Scope) -> Value:
        name = name_looked_up(node)
        if name is not None:
            known = scope.get(name, (Origin(name),))
            return () if isinstance(known, _Macro) else known
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
        if len(self._open) >= _DEEPEST:
            return ()
        names = [argument.name for argument in macro.node.args]
        bound: Scope = dict.fromkeys(names, ())
        bound |= dict(zip(names, (self._value(argument, scope) for argument in call.args), strict=False))
        bound |= {keyword.key: self._value(keyword.value, scope) for keyword in call.kwargs}
        self._open.append("")
        value = self._captured(macro.node.body, {**macro.scope, "caller": scope.get("caller", ()), **bound})
        self._open.pop()
        return value


def _called_name(node: nodes.Expr) -> str:
    match node:
        case nodes.Name():
            return node.name
        case nodes.Getattr(node=nodes.Name(name=module)):
            return f"{module}.{node.attr}"
    return ""


def _below(value: Value, key: str = _ANY_KEY) -> Value:
    """Look into a value; into what a filter gave, that is a filter of its own."""
    return tuple(
        replace(origin, filters=(*origin.filters, CUT)) if origin.filters else replace(origin, keys=(*origin.keys, key))
        for origin in value
    )


def _through(value: Value, filters: tuple[str, ...]) -> Value:
    return tuple(replace(origin, filters=(*origin.filters, *filters)) for origin in value)


def _joined(known: "Value | _Macro | None", value: "Value | _Macro") -> "Value | _Macro":
    if isinstance(known, tuple) and isinstance(value, tuple):
        return tuple(dict.fromkeys((*known, *value)))
    return value


def _filters_of(node: nodes.Filter | None) -> tuple[str, ...]:
    names: list[str] = []
    current: nodes.Node | None = node
    while isinstance(current, nodes.Filter):
        names.append(current.name)
        current = current.node
    return tuple(names)


def start_of(node: nodes.Node) -> int:
    """Give where an expression begins: Jinja places a filter at its bar, and an addition at its sign."""
    return min((name.lineno for name in node.find_all(nodes.Name)), default=node.lineno)
