"""Infer the type of each expression, and the types of its names where it is true and where it is false."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import nodes

from promptpack.linter.analysis_meter import count_steps
from promptpack.linter.types import lookups
from promptpack.linter.types.filters_and_tests import apply_filter, apply_test, keyword_arguments
from promptpack.linter.types.lattice import (
    ANY,
    INTEGER,
    NEVER,
    AnyType,
    BooleanType,
    ListType,
    MappingType,
    MissingReason,
    MissingType,
    ObjectType,
    Property,
    TextType,
    TupleType,
    Type,
    describe,
    is_never,
    members,
    type_of,
    union,
)
from promptpack.linter.types.narrowing import (
    TypeScope,
    constant_key,
    falsy,
    handlebars_falsy,
    handlebars_truthy,
    merge_scopes,
    narrow_scope,
    truthy,
)
from promptpack.linter.types.operations import Narrowing, check_arithmetic, check_comparison, use_item
from promptpack.linter.types.problems import DEAD_BRANCH, MAYBE_MISSING, WRONG_KIND, ProblemCollector, spell
from promptpack.linter.types.signatures import COLLECTIONS, FUNCTIONS, ITERABLE, LISTS, SLICEABLE, item_of
from promptpack.problem import Problem
from promptpack.template.tree import path_looked_up

_ARITHMETIC: Final = (nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow)
CallMacro = Callable[[ObjectType, list[Type], dict[str, Type], TypeScope, nodes.Call], Type]


@dataclass(frozen=True, slots=True)
class Inference:
    """The type of an expression, and the scopes in which it is true and false; None if it never is."""

    type: Type
    true: TypeScope | None
    false: TypeScope | None


_UNREACHABLE: Final = Inference(NEVER, None, None)


class ExpressionChecker:
    """Infers the types of expressions and collects their problems."""

    def __init__(self, collector: ProblemCollector, call_macro: CallMacro) -> None:
        self._collector = collector
        self._call_macro = call_macro

    def infer_used(self, node: nodes.Node, scope: TypeScope) -> Type:
        """Return the type of an expression whose value is used here, and report it if it is missing."""
        return self._collector.use(self.infer_type(node, scope))

    def infer_type(self, node: nodes.Node, scope: TypeScope) -> Type:
        """Return the type of an expression; a missing value is reported only where it is used."""
        if not isinstance(node, (nodes.Name, nodes.Getattr, nodes.Getitem, nodes.Const, nodes.Filter)):
            return self.infer(node, scope).type
        count_steps()
        match node:
            case nodes.Name():
                return self._name(node, scope)
            case nodes.Const():
                return type_of(node.value)
            case nodes.Filter():
                return self._filter(node, scope)
        return self._look_up(node, scope)

    def infer_condition(self, node: nodes.Node, scope: TypeScope) -> Inference:
        """Infer an expression that is used as a condition."""
        inferred = self.infer(node, scope)
        used = self._collector.use(inferred.type)
        if any(isinstance(one, ListType) and one.form == "lazy" for one in members(used)):
            message = f"{spell(node)} is a lazy list, which counts as true even when it is empty"
            self._collector.add(
                Problem(DEAD_BRANCH, message, self._collector.locate(node), "add '| list' before it", "warning")
            )
        if inferred.true is None and inferred.false is None:
            return Inference(used, scope, scope)
        return inferred

    def infer(self, node: nodes.Node, scope: TypeScope) -> Inference:
        """Infer the type of an expression, and the scopes in which it is true and false."""
        match node:
            case nodes.Name() | nodes.Getattr() | nodes.Getitem():
                return _by_path(node, self.infer_type(node, scope), scope)
            case nodes.Const():
                return _by_type(self.infer_type(node, scope), scope)
            case nodes.Filter():
                return _by_filter(node, self.infer_type(node, scope), scope)
        count_steps()
        match node:
            case nodes.TemplateData():
                return _by_type(TextType(), scope)
            case nodes.And():
                left = self.infer_condition(node.left, scope)
                right = _UNREACHABLE if left.true is None else self.infer(node.right, left.true)
                type_ = union((falsy(left.type), right.type))
                return Inference(type_, right.true, merge_scopes(left.false, right.false))
            case nodes.Or():
                left = self.infer_condition(node.left, scope)
                right = _UNREACHABLE if left.false is None else self.infer(node.right, left.false)
                type_ = union((truthy(left.type), right.type))
                return Inference(type_, merge_scopes(left.true, right.true), right.false)
            case nodes.Not():
                inferred = self.infer_condition(node.node, scope)
                return Inference(_boolean(inferred.false, inferred.true), inferred.false, inferred.true)
            case nodes.CondExpr():
                return self._choose(node, scope)
            case nodes.Compare():
                return self._compare(node, scope)
            case nodes.Test():
                return self._test(node, scope)
            case nodes.Call():
                return self._call(node, scope)
        return _by_type(self._other(node, scope), scope)

    def _other(self, node: nodes.Node, scope: TypeScope) -> Type:
        match node:
            case nodes.BinExpr() if isinstance(node, _ARITHMETIC):
                left, right = self.infer_used(node.left, scope), self.infer_used(node.right, scope)
                return check_arithmetic(node, left, right, self._collector)
            case nodes.Neg() | nodes.Pos():
                return check_arithmetic(node, self.infer_used(node.node, scope), None, self._collector)
            case nodes.Concat():
                for part in node.nodes:
                    self.infer_used(part, scope)
                return TextType()
            case nodes.List():
                return ListType(union(self.infer_type(item, scope) for item in node.items))
            case nodes.Tuple():
                return TupleType(tuple(self.infer_type(item, scope) for item in node.items))
            case nodes.Dict():
                return self._mapping(node, scope)
        for child in node.iter_child_nodes():
            self.infer(child, scope)
        return ANY

    def _name(self, node: nodes.Name, scope: TypeScope) -> Type:
        known = scope.get(node.name)
        if known is None:
            # The compiler reports a name that nothing sets.
            return ObjectType("function") if node.name in FUNCTIONS else ANY
        if not any(isinstance(one, MissingType) and one.is_unset for one in members(known)):
            return known
        certain, possible = f"{node.name!r} is not set here", f"{node.name!r} may be unset here"
        hint = "set it in every branch, or before them, or give it a default"
        at = self._collector.locate_lazily(node)
        missing = MissingType(MissingReason(MAYBE_MISSING, certain, possible, hint, at))
        return union(missing if isinstance(one, MissingType) and one.is_unset else one for one in members(known))

    def _look_up(self, node: nodes.Getattr | nodes.Getitem, scope: TypeScope) -> Type:
        owner = self.infer_used(node.node, scope)
        key = constant_key(node)
        if key is not None:
            return lookups.look_up(owner, key, node, self._collector)
        assert isinstance(node, nodes.Getitem)  # noqa: S101 -- the other kind of lookup always has a key
        if isinstance(node.arg, nodes.Slice):
            return self._slice(owner, node, scope)
        return lookups.look_up_index(owner, self.infer_used(node.arg, scope), node, self._collector)

    def _slice(self, owner: Type, node: nodes.Getitem, scope: TypeScope) -> Type:
        for part in node.arg.iter_child_nodes():
            self.infer_used(part, scope)
        accepted = self._collector.expect(owner, SLICEABLE, "a slice", node.node, self._collector.locate_lazily(node))
        return union(ListType(union(one.items)) if isinstance(one, TupleType) else one for one in members(accepted))

    def _mapping(self, node: nodes.Dict, scope: TypeScope) -> Type:
        properties: dict[str, Property] = {}
        known = True
        for pair in node.items:
            value = self.infer_type(pair.value, scope)
            if isinstance(pair.key, nodes.Const) and isinstance(pair.key.value, str):
                properties[pair.key.value] = Property(value, required=True)
            else:
                self.infer_used(pair.key, scope)
                known = False
        return MappingType(properties, None if known else ANY)

    def _choose(self, node: nodes.CondExpr, scope: TypeScope) -> Inference:
        count = self._collector.count
        test = self.infer_condition(node.test, scope)
        if test.true is None:
            message = "the value before 'if' is never used: the condition is never true"
            self._collector.add_dead_branch(node.test, message, count)
        elif test.false is None and node.expr2 is not None:
            message = "the value after 'else' is never used: the condition is always true"
            self._collector.add_dead_branch(node.test, message, count)
        first = self.infer(node.expr1, test.true) if test.true else _UNREACHABLE
        second = Inference(MissingType(), None, test.false)
        if node.expr2 is not None:
            second = self.infer(node.expr2, test.false) if test.false else _UNREACHABLE
        true, false = merge_scopes(first.true, second.true), merge_scopes(first.false, second.false)
        return Inference(union((first.type, second.type)), true, false)

    def _compare(self, node: nodes.Compare, scope: TypeScope) -> Inference:
        left = self.infer_type(node.expr, scope)
        sides = [(operand.expr, self.infer_used(operand.expr, scope)) for operand in node.ops]
        is_in = node.ops[0].op in ("in", "notin")
        before = node.expr, use_item(left, sides[0], self._collector) if is_in else self._collector.use(left)
        if len(sides) == 1:
            return self._narrowed(check_comparison(node.ops[0].op, before, sides[0], self._collector), scope)
        for operand, side in zip(node.ops, sides, strict=True):
            check_comparison(operand.op, before, side, self._collector)
            before = side
        return Inference(BooleanType(), scope, scope)

    def _test(self, node: nodes.Test, scope: TypeScope) -> Inference:
        inferred = self.infer(node.node, scope)
        arguments = [self.infer_used(argument, scope) for argument in node.args]
        narrowing = apply_test(node, inferred.type, arguments, self._collector)
        return self._narrowed(narrowing, scope)

    def _narrowed(self, narrowing: Narrowing | None, scope: TypeScope) -> Inference:
        if narrowing is None:
            return Inference(BooleanType(), scope, scope)
        subject, type_, holds, fails = narrowing
        true = None if is_never(holds(type_)) else narrow_scope(scope, subject, holds)
        false = None if is_never(fails(type_)) else narrow_scope(scope, subject, fails)
        if true is None and false is None:
            true = false = scope
        return Inference(_boolean(true, false), true, false)

    def _filter(self, node: nodes.Filter, scope: TypeScope) -> Type:
        assert node.node is not None  # noqa: S101 -- only the filter of a block has none, and is not inferred here
        return self.infer_filtered(node, self.infer_type(node.node, scope), scope)

    def infer_filtered(self, node: nodes.Filter, given: Type, scope: TypeScope) -> Type:
        """Return the type of the result of a filter."""
        positional = [self.infer_type(argument, scope) for argument in node.args]
        named = {name: self.infer_type(value, scope) for name, value in keyword_arguments(node).items()}
        return apply_filter(node, given, positional, named, self._collector)

    def _call(self, node: nodes.Call, scope: TypeScope) -> Inference:
        if isinstance(node.node, nodes.ImportedName):
            return self._handlebars(node, node.node.importname.rpartition(".")[2], scope)
        if isinstance(node.node, nodes.EnvironmentAttribute):
            return Inference(ANY, scope, scope)
        positional = [self.infer_type(argument, scope) for argument in node.args]
        named = {keyword.key: self.infer_type(keyword.value, scope) for keyword in node.kwargs}
        return _by_type(self._call_result(node, positional, named, scope), scope)

    def _call_result(self, node: nodes.Call, positional: list[Type], named: dict[str, Type], scope: TypeScope) -> Type:
        called = node.node
        if isinstance(called, nodes.Name) and called.name in FUNCTIONS and scope.get(called.name) is None:
            if called.name == "dict" and not node.args and node.dyn_kwargs is None:
                return MappingType({name: Property(one, required=True) for name, one in named.items()}, None)
            return FUNCTIONS[called.name]
        if isinstance(called, nodes.Getattr):
            owner = self.infer_used(called.node, scope)
            if not (isinstance(owner, ObjectType) and owner.attributes and called.attr in owner.attributes):
                return lookups.call_method(owner, called.attr, positional, called, self._collector)
            callee = owner.attributes[called.attr]
        else:
            callee = self.infer_used(called, scope)
        return union(self._result(one, node, positional, named, scope) for one in members(callee))

    def _result(
        self, one: Type, node: nodes.Call, positional: list[Type], named: dict[str, Type], scope: TypeScope
    ) -> Type:
        if isinstance(one, ObjectType) and one.macro is not None:
            return self._call_macro(one, positional, named, scope, node)
        if not isinstance(one, (AnyType, ObjectType)):
            message = f"{spell(node.node)} is {describe(one)} and cannot be called"
            self._collector.add(Problem(WRONG_KIND, message, self._collector.locate(node), "remove the parentheses"))
        return ANY

    def _handlebars(self, node: nodes.Call, function: str, scope: TypeScope) -> Inference:
        if function in ("look_up", "follow"):
            return self.infer(path_looked_up(node) or node, scope)
        if function == "numbered":
            pair = (INTEGER, BooleanType(), BooleanType(), item_of(self.infer_type(node.args[0], scope)))
            return Inference(ListType(TupleType(pair)), scope, scope)
        subject: nodes.Node = node.args[-1]
        if isinstance(subject, nodes.Call):
            subject = path_looked_up(subject) or subject
        given = self.infer_type(subject, scope)
        if function == "truth":
            return self._narrowed((subject, given, handlebars_truthy, handlebars_falsy), scope)
        used = self._collector.use(given)
        if function == "items":
            at = self._collector.locate_lazily(node)
            return Inference(self._collector.expect(used, LISTS, "'{{#each}}'", subject, at), scope, scope)
        return Inference(TextType(), scope, scope)

    def infer_iterable(self, node: nodes.Node, scope: TypeScope) -> Type:
        """Return the type of the value that a loop iterates over."""
        given = self.infer_used(node, scope)
        at = self._collector.locate_lazily(node)
        accepted = self._collector.expect(given, ITERABLE, "a loop", node, at)
        if any(isinstance(one, TextType) for one in members(accepted)):
            self._collector.warn_meaningless(accepted, COLLECTIONS, "a loop", node, at)
        return accepted


def _by_path(node: nodes.Node, type_: Type, scope: TypeScope) -> Inference:
    true = None if is_never(truthy(type_)) else narrow_scope(scope, node, truthy)
    false = None if is_never(falsy(type_)) else narrow_scope(scope, node, falsy)
    return Inference(type_, true, false)


def _by_filter(node: nodes.Filter, type_: Type, scope: TypeScope) -> Inference:
    inferred = _by_type(type_, scope)
    if node.node is not None and node.name in ("default", "d") and _is_falsy_default(node):
        return Inference(type_, narrow_scope(inferred.true, node.node, truthy), inferred.false)
    return inferred


def _by_type(type_: Type, scope: TypeScope) -> Inference:
    return Inference(type_, None if is_never(truthy(type_)) else scope, None if is_never(falsy(type_)) else scope)


def _boolean(true: Any, false: Any) -> Type:
    return BooleanType(frozenset(value for value, scope in ((True, true), (False, false)) if scope is not None))


def _is_falsy_default(node: nodes.Filter) -> bool:
    given = node.args[0] if node.args else keyword_arguments(node).get("default_value")
    if given is None:
        return not node.kwargs
    if isinstance(given, (nodes.List, nodes.Dict)):
        return not given.items
    return isinstance(given, nodes.Const) and not given.value
