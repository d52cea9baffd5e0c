"""Expressions: the type of each, and what is known of the names in it when it holds and when it does not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import nodes

from promptpack.linter.types import lookups
from promptpack.linter.types.applying import apply_filter, apply_test, keywords
from promptpack.linter.types.lattice import (
    ANY,
    NEVER,
    Anything,
    Boolean,
    Field,
    Gap,
    ListOf,
    MappingOf,
    Missing,
    Object,
    Text,
    TupleOf,
    Type,
    describe,
    is_never,
    join,
    members,
    type_of,
)
from promptpack.linter.types.narrowing import (
    Env,
    Part,
    constant_key,
    either,
    falsy,
    handlebars_falsy,
    handlebars_truthy,
    refine,
    truthy,
)
from promptpack.linter.types.operations import arithmetic, compare
from promptpack.linter.types.report import DEAD_BRANCH, MAYBE_MISSING, WRONG_KIND, Report, spell
from promptpack.linter.types.signatures import CUT, FUNCTIONS, LISTS, LOOPED, WALKED
from promptpack.problem import Problem
from promptpack.template.tree import name_looked_up

_ARITHMETIC: Final = (nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow)
CallMacro = Callable[[Object, list[Type], dict[str, Type], Env, nodes.Call], Type]


@dataclass(frozen=True, slots=True)
class Seen:
    """The type of an expression, and what is known when it is true and when it is false; None: it never is."""

    type: Type
    true: Env | None
    false: Env | None


class Expressions:
    """Walks through expressions."""

    def __init__(self, report: Report, call_macro: CallMacro) -> None:
        self._report = report
        self._call_macro = call_macro

    def value(self, node: nodes.Node, env: Env) -> Type:
        """Give the type of an expression whose value is used here."""
        return self._report.use(self.type(node, env))

    def type(self, node: nodes.Node, env: Env) -> Type:
        """Give the type of an expression; what is missing is told by whoever uses it."""
        match node:
            case nodes.Name():
                self._report.step()
                return self._name(node, env)
            case nodes.Getattr() | nodes.Getitem():
                self._report.step()
                return self._look_up(node, env)
            case nodes.Const():
                self._report.step()
                return type_of(node.value)
            case nodes.Filter():
                self._report.step()
                return self._filter(node, env)
        return self.see(node, env).type

    def condition(self, node: nodes.Node, env: Env) -> Seen:
        """See an expression that decides something."""
        seen = self.see(node, env)
        used = self._report.use(seen.type)
        if any(isinstance(one, ListOf) and one.form == "lazy" for one in members(used)):
            message = f"{spell(node)} is a lazy list, which counts as true even when it is empty"
            self._report.tell(
                Problem(DEAD_BRANCH, message, self._report.place(node), "add '| list' before it", "warning")
            )
        if seen.true is None and seen.false is None:
            return Seen(used, env, env)
        return seen

    def see(self, node: nodes.Node, env: Env) -> Seen:
        """See an expression, and what it says as a condition."""
        match node:
            case nodes.Name() | nodes.Getattr() | nodes.Getitem():
                return _by_path(node, self.type(node, env), env)
            case nodes.Const():
                return _by_type(self.type(node, env), env)
            case nodes.Filter():
                return _by_filter(node, self.type(node, env), env)
        self._report.step()
        match node:
            case nodes.TemplateData():
                return _by_type(Text(), env)
            case nodes.And():
                left = self.condition(node.left, env)
                right = Seen(NEVER, None, None) if left.true is None else self.see(node.right, left.true)
                type_ = join((falsy(left.type), right.type))
                return Seen(type_, right.true, either(left.false, right.false))
            case nodes.Or():
                left = self.condition(node.left, env)
                right = Seen(NEVER, None, None) if left.false is None else self.see(node.right, left.false)
                type_ = join((truthy(left.type), right.type))
                return Seen(type_, either(left.true, right.true), right.false)
            case nodes.Not():
                seen = self.condition(node.node, env)
                return Seen(_boolean(seen.false, seen.true), seen.false, seen.true)
            case nodes.CondExpr():
                return self._choose(node, env)
            case nodes.Compare():
                return self._compare(node, env)
            case nodes.Test():
                return self._test(node, env)
            case nodes.Call():
                return self._call(node, env)
        return _by_type(self._other(node, env), env)

    def _other(self, node: nodes.Node, env: Env) -> Type:
        match node:
            case nodes.BinExpr() if isinstance(node, _ARITHMETIC):
                return arithmetic(node, self.value(node.left, env), self.value(node.right, env), self._report)
            case nodes.Neg() | nodes.Pos():
                return arithmetic(node, self.value(node.node, env), None, self._report)
            case nodes.Concat():
                for part in node.nodes:
                    self.value(part, env)
                return Text()
            case nodes.List():
                return ListOf(join(self.type(item, env) for item in node.items))
            case nodes.Tuple():
                return TupleOf(tuple(self.type(item, env) for item in node.items))
            case nodes.Dict():
                return self._mapping(node, env)
        for child in node.iter_child_nodes():
            self.see(child, env)
        return ANY

    def _name(self, node: nodes.Name, env: Env) -> Type:
        known = env.get(node.name)
        if known is None:
            # A name that nothing sets is told when the template is compiled.
            return Object("function") if node.name in FUNCTIONS else ANY
        if not any(isinstance(one, Missing) and one.unset for one in members(known)):
            return known
        gap = Gap(
            MAYBE_MISSING,
            f"{node.name!r} is not set here",
            f"{node.name!r} may not be set here",
            "set it in every branch, or before them, or give it a default",
            self._report.spot(node),
        )
        return join(Missing(gap) if isinstance(one, Missing) and one.unset else one for one in members(known))

    def _look_up(self, node: nodes.Getattr | nodes.Getitem, env: Env) -> Type:
        owner = self.value(node.node, env)
        key = constant_key(node)
        if key is not None:
            return lookups.look_up(owner, key, node, self._report)
        assert isinstance(node, nodes.Getitem)  # noqa: S101 -- the other look-up always has a key
        if isinstance(node.arg, nodes.Slice):
            return self._cut(owner, node, env)
        return lookups.index(owner, self.value(node.arg, env), node, self._report)

    def _cut(self, owner: Type, node: nodes.Getitem, env: Env) -> Type:
        for part in node.arg.iter_child_nodes():
            self.value(part, env)
        kept = self._report.expect(owner, CUT, "a slice", node.node, self._report.spot(node))
        return join(ListOf(join(one.items)) if isinstance(one, TupleOf) else one for one in members(kept))

    def _mapping(self, node: nodes.Dict, env: Env) -> Type:
        fields: dict[str, Field] = {}
        known = True
        for pair in node.items:
            value = self.type(pair.value, env)
            if isinstance(pair.key, nodes.Const) and isinstance(pair.key.value, str):
                fields[pair.key.value] = Field(value, required=True)
            else:
                self.value(pair.key, env)
                known = False
        return MappingOf(fields, None if known else ANY)

    def _choose(self, node: nodes.CondExpr, env: Env) -> Seen:
        told = self._report.count
        test = self.condition(node.test, env)
        if test.true is None:
            self._report.dead(node.test, "the first choice is never taken: its condition never holds", told)
        elif test.false is None and node.expr2 is not None:
            self._report.dead(node.test, "the second choice is never taken: its condition always holds", told)
        first = self.see(node.expr1, test.true) if test.true else Seen(NEVER, None, None)
        second = Seen(Missing(), None, test.false)
        if node.expr2 is not None:
            second = self.see(node.expr2, test.false) if test.false else Seen(NEVER, None, None)
        return Seen(join((first.type, second.type)), either(first.true, second.true), either(first.false, second.false))

    def _compare(self, node: nodes.Compare, env: Env) -> Seen:
        left = self.value(node.expr, env)
        if len(node.ops) == 1:
            operand = node.ops[0]
            right = self.value(operand.expr, env)
            narrowing = compare(operand.op, (node.expr, left), (operand.expr, right), self._report)
            return self._narrowed(narrowing, env)
        before, type_ = node.expr, left
        for operand in node.ops:
            right = self.value(operand.expr, env)
            compare(operand.op, (before, type_), (operand.expr, right), self._report)
            before, type_ = operand.expr, right
        return Seen(Boolean(), env, env)

    def _test(self, node: nodes.Test, env: Env) -> Seen:
        seen = self.see(node.node, env)
        arguments = [self.value(argument, env) for argument in node.args]
        narrowing = apply_test(node, seen.type, arguments, self._report)
        return self._narrowed(narrowing, env)

    def _narrowed(self, narrowing: tuple[nodes.Node, Type, Part, Part] | None, env: Env) -> Seen:
        if narrowing is None:
            return Seen(Boolean(), env, env)
        subject, type_, holds, fails = narrowing
        true = None if is_never(holds(type_)) else refine(env, subject, holds)
        false = None if is_never(fails(type_)) else refine(env, subject, fails)
        if true is None and false is None:
            true = false = env
        return Seen(_boolean(true, false), true, false)

    def _filter(self, node: nodes.Filter, env: Env) -> Type:
        assert node.node is not None  # noqa: S101 -- only the filter of a block has none, and is never seen here
        return self.filtered(node, self.type(node.node, env), env)

    def filtered(self, node: nodes.Filter, given: Type, env: Env) -> Type:
        """Give what a filter makes of a value."""
        positional = [self.type(argument, env) for argument in node.args]
        named = {name: self.type(value, env) for name, value in keywords(node).items()}
        return apply_filter(node, given, positional, named, self._report)

    def _call(self, node: nodes.Call, env: Env) -> Seen:
        if isinstance(node.node, nodes.ImportedName):
            return self._handlebars(node, node.node.importname.rpartition(".")[2], env)
        if isinstance(node.node, nodes.EnvironmentAttribute):
            return Seen(ANY, env, env)
        positional = [self.type(argument, env) for argument in node.args]
        named = {keyword.key: self.type(keyword.value, env) for keyword in node.kwargs}
        return _by_type(self._called(node, positional, named, env), env)

    def _called(self, node: nodes.Call, positional: list[Type], named: dict[str, Type], env: Env) -> Type:
        called = node.node
        if isinstance(called, nodes.Name) and called.name in FUNCTIONS and env.get(called.name) is None:
            if called.name == "dict" and not node.args and node.dyn_kwargs is None:
                return MappingOf({name: Field(one, required=True) for name, one in named.items()}, None)
            return FUNCTIONS[called.name]
        if isinstance(called, nodes.Getattr):
            owner = self.value(called.node, env)
            if not (isinstance(owner, Object) and owner.attributes and called.attr in owner.attributes):
                return lookups.method(owner, called.attr, positional, called, self._report)
            callee = owner.attributes[called.attr]
        else:
            callee = self.value(called, env)
        return join(self._result(one, node, positional, named, env) for one in members(callee))

    def _result(self, one: Type, node: nodes.Call, positional: list[Type], named: dict[str, Type], env: Env) -> Type:
        if isinstance(one, Object) and one.macro is not None:
            return self._call_macro(one, positional, named, env, node)
        if not isinstance(one, (Anything, Object)):
            message = f"{spell(node.node)} is {describe(one)} and cannot be called"
            self._report.tell(Problem(WRONG_KIND, message, self._report.place(node), "remove the brackets"))
        return ANY

    def _handlebars(self, node: nodes.Call, function: str, env: Env) -> Seen:
        if function == "look_up":
            name = nodes.Name(name_looked_up(node) or "", "load", lineno=node.lineno)
            return self.see(name, env)
        subject = node.args[-1]
        if isinstance(subject, nodes.Call):
            subject = nodes.Name(name_looked_up(subject) or "", "load", lineno=node.lineno)
        given = self.type(subject, env)
        if function == "truth":
            return self._narrowed((subject, given, handlebars_truthy, handlebars_falsy), env)
        used = self._report.use(given)
        if function == "items":
            return Seen(self._report.expect(used, LISTS, "'{{#each}}'", subject, self._report.spot(node)), env, env)
        return Seen(Text(), env, env)

    def items(self, node: nodes.Node, env: Env) -> Type:
        """See what a loop goes through."""
        given = self.value(node, env)
        spot = self._report.spot(node)
        kept = self._report.expect(given, WALKED, "a loop", node, spot)
        if any(isinstance(one, Text) for one in members(kept)):
            self._report.doubt(kept, LOOPED, "a loop", node, spot)
        return kept


def _by_path(node: nodes.Node, type_: Type, env: Env) -> Seen:
    true = None if is_never(truthy(type_)) else refine(env, node, truthy)
    false = None if is_never(falsy(type_)) else refine(env, node, falsy)
    return Seen(type_, true, false)


def _by_filter(node: nodes.Filter, type_: Type, env: Env) -> Seen:
    seen = _by_type(type_, env)
    if node.node is not None and node.name in ("default", "d") and _is_falsy_default(node):
        return Seen(type_, refine(seen.true, node.node, truthy), seen.false)
    return seen


def _by_type(type_: Type, env: Env) -> Seen:
    return Seen(type_, None if is_never(truthy(type_)) else env, None if is_never(falsy(type_)) else env)


def _boolean(true: Any, false: Any) -> Type:
    return Boolean(frozenset(value for value, env in ((True, true), (False, false)) if env is not None))


def _is_falsy_default(node: nodes.Filter) -> bool:
    given = node.args[0] if node.args else keywords(node).get("default_value")
    if given is None:
        return not node.kwargs
    if isinstance(given, (nodes.List, nodes.Dict)):
        return not given.items
    return isinstance(given, nodes.Const) and not given.value
