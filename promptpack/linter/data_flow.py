"""Data flow analysis: which inputs a template prints, and through which filters; no expression is evaluated."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce

from jinja2 import nodes

from promptpack.linter.analysis_meter import count_steps, limit_analysis
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.subject import Subject
from promptpack.template.includes import IncludeWalker
from promptpack.template.names import DependencyFinder
from promptpack.template.tree import path_looked_up

_MAX_DEPTH = 16
_ANY_KEY = "*"
# A subscript or slice of a filter's output, as in `(X | json)[1:-1]`, is recorded as a filter of this name.
CUT = "[]"
_NOTHING = nodes.Const(None)


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


@dataclass(frozen=True, slots=True)
class DataFlow:
    """The values that a prompt prints, by the role of the message; incomplete if it takes too many steps to find."""

    printed: Mapping[str, tuple[PrintedValue, ...]]
    is_complete: bool

    @property
    def all_printed(self) -> Iterator[PrintedValue]:
        """The values of all roles."""
        return (found for printed in self.printed.values() for found in printed)


InputOrigins = tuple[InputOrigin, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Macro:
    node: nodes.Macro
    scope: "TraceScope"


BoundValue = InputOrigins | _Macro | Mapping[str, _Macro]
TraceScope = ChainMap[str, BoundValue]


@dataclass(slots=True)
class _PrintedValues:
    """The values that a text prints itself, and those of its partials, which texts share."""

    values: dict[PrintedValue, None] = field(default_factory=dict)
    included: "list[_PrintedValues]" = field(default_factory=list)


def trace_prompt(subject: Subject) -> DataFlow:
    """Return the values that the messages and slots of a pack print; cached for all rules."""
    return subject.cached("printed", lambda: _trace_prompt(subject))


def _trace_prompt(subject: Subject) -> DataFlow:
    walker = _Walker(subject.partials, subject.dependencies)
    printed: dict[str, list[_PrintedValues]] = {}
    with limit_analysis() as steps:
        for text in subject.texts:
            if text.kind in ("content", "detail", "slot") and not text.is_constant:
                found = text.cached_with(subject.engine.analysed, "printed", partial(walker.find_printed, text))
                printed.setdefault(text.role, []).append(found)
    return DataFlow({role: tuple(_values_of(found)) for role, found in printed.items()}, not steps.is_exceeded)


def trace_template(
    text: ParsedText, partials: Mapping[str, ParsedText], dependencies: DependencyFinder
) -> tuple[PrintedValue, ...]:
    """Return every value that a template and its partials print."""
    found = _PrintedValues()
    with limit_analysis():
        _Walker(partials, dependencies).trace(text, found)
    return tuple(_values_of([found]))


def _values_of(several: Iterable[_PrintedValues]) -> Iterator[PrintedValue]:
    pending, seen = list(several)[::-1], set()
    while pending:
        printed = pending.pop()
        if id(printed) not in seen:
            seen.add(id(printed))
            yield from printed.values
            pending += reversed(printed.included)


class _Walker:
    """Follows values through texts; each partial once for all texts that give it the same values."""

    def __init__(self, partials: Mapping[str, ParsedText], dependencies: DependencyFinder) -> None:
        self._dependencies = dependencies
        self._includes: IncludeWalker[ParsedText, _PrintedValues] = IncludeWalker(partials.get)
        self._imports: IncludeWalker[ParsedText, Mapping[str, _Macro]] = IncludeWalker(partials.get)
        self._depth = 0

    def find_printed(self, text: ParsedText) -> _PrintedValues:
        """Return the values that a text prints."""
        printed = _PrintedValues()
        self.trace(text, printed)
        return printed

    def trace(self, text: ParsedText, printed: _PrintedValues, scope: TraceScope | None = None) -> None:
        """Add the values that a text prints to `printed`."""
        self._text, self._printed = text, printed
        self._run(text.tree.body, ChainMap() if scope is None else scope)

    def _run(self, body: Iterable[nodes.Node], scope: TraceScope) -> None:
        for node in body:
            count_steps()
            self._statement(node, scope)

    def _statement(self, node: nodes.Node, scope: TraceScope) -> None:  # noqa: C901 -- one branch per kind of tag
        match node:
            case nodes.Output():
                for child in node.nodes:
                    if not isinstance(child, nodes.TemplateData):
                        self._print(self._value(child, scope), start_of(child))
            case nodes.For():
                inner = scope.new_child({"loop": ()})
                self._bind(node.target, _below(self._value(node.iter, scope)), inner)
                self._run(node.body, inner.new_child())
                if node.find(nodes.NSRef) is not None:
                    self._run(node.body, inner.new_child())  # a later iteration sees what an earlier one has set
                self._run(node.else_, scope.new_child())
            case nodes.If():
                self._branches([node.body, *(branch.body for branch in node.elif_), node.else_], scope)
            case nodes.Assign():
                self._bind(node.target, self._value(node.node, scope), scope)
            case nodes.AssignBlock():
                filters = _filters_of(node.filter)
                self._bind(node.target, _through(self._captured(node.body, scope.new_child()), filters), scope)
            case nodes.With():
                inner = scope.new_child()
                for target, value in zip(node.targets, node.values, strict=True):
                    self._bind(target, self._value(value, scope), inner)
                self._run(node.body, inner)
            case nodes.Macro():
                scope[node.name] = _Macro(node, scope)
            case nodes.CallBlock():
                called = scope.new_child({"caller": self._captured(node.body, scope.new_child())})
                self._print(self._value(node.call, called), node.lineno)
            case nodes.FilterBlock():
                self._print(
                    _through(self._captured(node.body, scope.new_child()), _filters_of(node.filter)), node.lineno
                )
            case nodes.Include() | nodes.Extends():
                self._include(node.template, scope)
            case nodes.FromImport() | nodes.Import():
                self._import(node, scope)
            case nodes.Block() | nodes.Scope():
                self._run(node.body, scope.new_child())

    def _branches(self, branches: list[list[nodes.Node]], scope: TraceScope) -> None:
        ends: dict[str, list[BoundValue]] = {}
        for branch in branches:
            inner = scope.new_child()
            self._run(branch, inner)
            for name, value in inner.maps[0].items():
                ends.setdefault(name, []).append(value)
        for name, values in ends.items():
            if len(values) < len(branches):
                values.append(scope.get(name, (InputOrigin(name),)))
            scope[name] = reduce(_joined, values)

    def _include(self, template: nodes.Expr, scope: TraceScope) -> None:
        found = self._dependencies.find_in_partials(template)
        seen = {name: scope[name] for _, needed in found for name in needed.names.intersection(scope)}
        count_steps(len(seen) // 128)
        if not all(isinstance(value, tuple) for value in seen.values()):
            seen = dict(scope)  # a macro may use any name

        def enter(_: str, partial: ParsedText) -> _PrintedValues:
            outer, printed = (self._text, self._printed), _PrintedValues()
            self.trace(partial, printed, ChainMap({}, seen))
            self._text, self._printed = outer
            return printed

        key = frozenset((name, tuple(one.items()) if isinstance(one, Mapping) else one) for name, one in seen.items())
        self._printed.included += (printed for _, printed in self._includes.visit(template, key, enter))

    def _import(self, node: nodes.FromImport | nodes.Import, scope: TraceScope) -> None:
        def enter(_: str, partial: ParsedText) -> Mapping[str, _Macro]:
            return {macro.name: _Macro(macro, ChainMap()) for macro in partial.tree.find_all(nodes.Macro)}

        macros: dict[str, _Macro] = {}
        for _, found in self._imports.visit(node.template, None, enter):
            macros |= found
        if isinstance(node, nodes.Import):
            scope[node.target] = macros
            return
        for name in node.names:
            original, alias = (name, name) if isinstance(name, str) else name
            if original in macros:
                scope[alias] = macros[original]

    def _captured(self, body: Iterable[nodes.Node], scope: TraceScope) -> InputOrigins:
        """Return the output of a body as a value, without recording it as printed."""
        outer, self._printed = self._printed, _PrintedValues()
        self._run(body, scope)
        inner, self._printed = self._printed, outer
        return _merged((found.origin,) for found in _values_of([inner]))

    def _print(self, value: InputOrigins, position: int) -> None:
        self._printed.values |= dict.fromkeys(PrintedValue(origin, position, self._text) for origin in value)

    def _bind(self, target: nodes.Node, value: InputOrigins, scope: TraceScope) -> None:
        match target:
            case nodes.Name():
                scope[target.name] = value
            case nodes.NSRef():
                owner = next((one for one in scope.maps if target.name in one), scope.maps[0])
                owner[target.name] = _joined(owner.get(target.name), value)
            case nodes.Tuple() | nodes.List():
                for item in target.items:
                    self._bind(item, _below(value), scope)

    def _value(self, node: nodes.Node, scope: TraceScope) -> InputOrigins:
        count_steps()
        match node:
            case nodes.Name():
                return _value_of(node.name, scope)
            case nodes.Getattr():
                return _below(self._value(node.node, scope), node.attr)
            case nodes.Getitem():
                key = node.arg.value if isinstance(node.arg, nodes.Const) else None
                return _below(self._value(node.node, scope), key if isinstance(key, str) else _ANY_KEY)
            case nodes.Filter():
                inner = [node.node] if node.node is not None else []
                return _through(self._values((*inner, *_arguments(node)), scope), (node.name,))
            case nodes.Call():
                return self._call(node, scope)
            case nodes.CondExpr():
                return self._values([node.expr1, *([node.expr2] if node.expr2 is not None else [])], scope)
            case nodes.Compare() | nodes.Test() | nodes.Not():
                return ()
        return self._values(node.iter_child_nodes(), scope)

    def _values(self, several: Iterable[nodes.Node], scope: TraceScope) -> InputOrigins:
        return _merged([self._value(node, scope) for node in several])

    def _call(self, node: nodes.Call, scope: TraceScope) -> InputOrigins:
        path = path_looked_up(node)
        if path is not None:
            return self._value(path, scope)
        called: nodes.Node = node.node
        macro = _find_macro(called, scope)
        if macro is not None:
            return self._run_macro(macro, node, scope)
        arguments = self._values(_arguments(node), scope)
        if isinstance(called, nodes.Getattr):
            return _merged((_below(self._value(called.node, scope)), arguments))
        is_caller = isinstance(called, nodes.Name) and called.name == "caller"
        return _merged((self._value(called, scope), arguments)) if is_caller else arguments

    def _run_macro(self, macro: _Macro, call: nodes.Call, scope: TraceScope) -> InputOrigins:
        if self._depth >= _MAX_DEPTH:
            return ()
        names = [argument.name for argument in macro.node.args]
        given: dict[str, BoundValue] = dict(zip(names, (self._value(one, scope) for one in call.args), strict=False))
        given |= {keyword.key: self._value(keyword.value, scope) for keyword in call.kwargs}
        others = self._values(_arguments(call), scope)
        inner = macro.scope.new_child({"caller": scope.get("caller", ()), "varargs": others, "kwargs": others})
        self._depth += 1
        defaults = dict(zip(names[::-1], macro.node.defaults[::-1], strict=False))
        for name in names:
            inner[name] = given[name] if name in given else self._value(defaults.get(name, _NOTHING), inner)
        value = self._captured(macro.node.body, inner)
        self._depth -= 1
        return value


def _arguments(node: nodes.Filter | nodes.Call) -> tuple[nodes.Node, ...]:
    return (*node.args, *(keyword.value for keyword in node.kwargs))


def _find_macro(called: nodes.Node, scope: TraceScope) -> _Macro | None:
    match called:
        case nodes.Name():
            found = scope.get(called.name)
            return found if isinstance(found, _Macro) else None
        case nodes.Getattr(node=nodes.Name(name=module)):
            macros = scope.get(module)
            return macros.get(called.attr) if isinstance(macros, Mapping) else None
    return None


def _value_of(name: str, scope: TraceScope) -> InputOrigins:
    value = scope.get(name, (InputOrigin(name),))
    return value if isinstance(value, tuple) else ()


def _below(value: InputOrigins, key: str = _ANY_KEY) -> InputOrigins:
    """Return an item of a value; after a filter, this is recorded as the filter `CUT`."""
    return _merged(
        (replace(one, filters=(*one.filters, CUT)) if one.filters else replace(one, keys=(*one.keys, key)),)
        for one in value
    )


def _through(value: InputOrigins, filters: tuple[str, ...]) -> InputOrigins:
    return _merged((replace(origin, filters=(*origin.filters, *filters)),) for origin in value)


def _merged(values: Iterable[InputOrigins]) -> InputOrigins:
    found = tuple(dict.fromkeys(origin for value in values for origin in value))
    count_steps(sum(32 + len(origin.keys) + len(origin.filters) for origin in found) // 256)
    return found


def _joined(before: object, value: BoundValue) -> BoundValue:
    return _merged((before, value)) if isinstance(before, tuple) and isinstance(value, tuple) else value


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
