"""Statements: what each part of a template sets, and where it can be seen, by Jinja's own rules of scope."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.linter.types.applying import counted
from promptpack.linter.types.expressions import Expressions, Seen
from promptpack.linter.types.lattice import (
    ANY,
    Boolean,
    ListOf,
    Missing,
    Null,
    Number,
    Object,
    Text,
    TupleOf,
    Type,
    describe,
    is_never,
    join,
    members,
)
from promptpack.linter.types.narrowing import Env, after
from promptpack.linter.types.report import UNKNOWN_KEY, WRONG_ARGUMENT, WRONG_KIND, Report
from promptpack.linter.types.signatures import item_of, loop_attributes
from promptpack.problem import Problem, Severity, did_you_mean
from promptpack.template import Engine, Source
from promptpack.template.engine import readable
from promptpack.template.includes import constant_names

_IN_EVERY_MACRO = ("caller", "kwargs", "varargs")


class Statements:
    """Walks through the statements of a template and of the partials it includes."""

    def __init__(self, engine: Engine, report: Report) -> None:
        self._engine = engine
        self._report = report
        self.expressions = Expressions(report, self._call_macro)
        self._open: list[str] = []
        self._macros: dict[int, _Home] = {}
        self._running: list[int] = []
        self._blocks: dict[str, tuple[nodes.Block, Source]] = {}
        self._importing = False

    def template(self, tree: nodes.Template, env: Env) -> Env:
        """Walk through a whole template; one that extends another fills that one's blocks."""
        parent = next((node for node in tree.body if isinstance(node, nodes.Extends)), None)
        if parent is None:
            return self.walk(tree.body, env)
        for block in tree.find_all(nodes.Block):
            self._blocks.setdefault(block.name, (block, self._report.source))
        # What stands outside of the blocks is not printed, but what it sets is set.
        silent = (nodes.Output, nodes.Block, nodes.Extends)
        env = self.walk((node for node in tree.body if not isinstance(node, silent)), env)
        self._partial(parent.template, env)
        return env

    def walk(self, body: Iterable[nodes.Node], env: Env) -> Env:
        """Walk through statements in order; gives what is known after them."""
        for node in body:
            self._report.step()
            env = self._statement(node, env)
        return env

    def finish(self) -> None:
        """Walk through the macros that nothing has called, with arguments that may be anything."""
        for home in [home for home in self._macros.values() if not home.called]:
            self._run(home, dict.fromkeys((argument.name for argument in home.macro.args), ANY), home.env)

    def _statement(self, node: nodes.Node, env: Env) -> Env:  # noqa: C901 -- one branch a kind of statement
        match node:
            case nodes.Output():
                for child in node.nodes:
                    self.expressions.value(readable(child), env)
            case nodes.ExprStmt():
                self.expressions.see(node.node, env)
            case nodes.If():
                return self._if(node, env)
            case nodes.For():
                self._for(node, env)
            case nodes.Assign():
                return self._assign(node.target, self.expressions.type(node.node, env), env)
            case nodes.AssignBlock():
                self.walk(node.body, env)
                made: Type = Text() if node.filter is None else self._filtered(node.filter, env)
                return self._assign(node.target, made, env)
            case nodes.With():
                inner = env
                for target, value in zip(node.targets, node.values, strict=True):
                    inner = self._assign(target, self.expressions.type(value, env), inner, inner=True)
                self.walk(node.body, inner)
            case nodes.Macro():
                self._macros[id(node)] = _Home(node, self._report.source, env, imported=self._importing)
                return env.bind(node.name, Object("macro", None, node))
            case nodes.CallBlock():
                self.expressions.see(node.call, env)
                self.walk(node.body, _bound(env, dict.fromkeys((argument.name for argument in node.args), ANY)))
            case nodes.FilterBlock():
                self.walk(node.body, env)
                self._filtered(node.filter, env)
            case nodes.Block():
                self._block(node, env)
            case nodes.Include() | nodes.Extends():
                self._partial(node.template, env)
            case nodes.Import() | nodes.FromImport():
                return self._import(node, env)
            case _:
                self.walk(node.iter_child_nodes(), env)
        return env

    def _filtered(self, node: nodes.Filter, env: Env) -> Type:
        """Apply the filters of a block, the innermost first, to its text."""
        inner = self._filtered(node.node, env) if isinstance(node.node, nodes.Filter) else Text()
        return self.expressions.filtered(node, inner, env)

    def _if(self, node: nodes.If, env: Env) -> Env:
        ends: list[Env] = []
        left: Env | None = env
        for branch in (node, *node.elif_):
            if left is None:
                break
            told = self._report.count
            seen = self.expressions.condition(branch.test, left)
            others = branch is not node.elif_[-1] if node.elif_ else True
            self._tell_dead(branch, seen, told, more=bool(node.else_) or (bool(node.elif_) and others))
            if seen.true is not None:
                ends.append(self.walk(branch.body, seen.true))
            left = seen.false
        if left is not None:
            ends.append(self.walk(node.else_, left))
        return after(env, ends)

    def _tell_dead(self, branch: nodes.If, seen: Seen, told: int, *, more: bool) -> None:
        if seen.true is None:
            self._report.dead(branch.test, "this branch is never taken: its condition never holds", told)
        elif seen.false is None and more:
            self._report.dead(
                branch.test, "the branches after this one are never taken: its condition always holds", told
            )

    def _for(self, node: nodes.For, env: Env) -> None:
        item = item_of(self.expressions.items(node.iter, env))
        self.walk(node.else_, env)
        if is_never(item):
            return
        inner: Env | None = self._assign(node.target, item, env, inner=True)
        if node.test is not None and inner is not None:
            told = self._report.count
            seen = self.expressions.condition(node.test, inner)
            if seen.true is None:
                self._report.dead(node.test, "this loop never runs: its condition never holds", told)
            inner = seen.true
        if inner is not None:
            self.walk(node.body, inner.bind("loop", Object("loop", loop_attributes(item)), inner=True))

    def _assign(self, target: nodes.Node, type_: Type, env: Env, *, inner: bool = False) -> Env:
        if isinstance(target, nodes.Name):
            return env.bind(target.name, type_, inner=inner)
        if not isinstance(target, nodes.Tuple):
            return env
        for index, one in enumerate(target.items):
            env = self._assign(
                one, join(self._unpacked(part, target, index) for part in members(type_)), env, inner=inner
            )
        return env

    def _unpacked(self, one: Type, target: nodes.Tuple, index: int) -> Type:
        count = len(target.items)
        match one:
            case TupleOf() if len(one.items) == count:
                return one.items[index]
            case ListOf():
                return one.item
            case TupleOf() | Text() | Number() | Boolean() | Null():
                message = f"{describe(one)} cannot be taken apart into {count} names"
                hint = "to walk through a mapping, add '.items()'" if isinstance(one, Text) else ""
                severity: Severity = "warning" if isinstance(one, Text) else "error"
                self._report.tell(Problem(WRONG_KIND, message, self._report.place(target), hint, severity))
        return ANY

    def _block(self, node: nodes.Block, env: Env) -> None:
        block, source = self._blocks.get(node.name, (node, None))
        if source is None:
            self.walk(block.body, env)
            return
        with self._report.inside(source):
            self.walk(block.body, env)

    def _partial(self, template: nodes.Expr, env: Env) -> Env:
        for name in constant_names(template):
            source = self._engine.partials.get(name)
            if source is None or name in self._open:
                continue
            self._open.append(name)
            with self._report.inside(source):
                env = self.template(self._engine.read(source), env)
            self._open.pop()
            break
        return env

    def _import(self, node: nodes.Import | nodes.FromImport, env: Env) -> Env:
        before, self._importing = self._importing, True
        made = self._partial(node.template, env if node.with_context else Env({}))
        self._importing = before
        exported = {name: one for name, one in made.types.items() if one is not env.types.get(name)}
        if isinstance(node, nodes.Import):
            return env.bind(node.target, Object("partial", exported))
        for entry in node.names:
            name, alias = (entry, entry) if isinstance(entry, str) else entry
            if name not in exported:
                hint = did_you_mean(name, exported)
                message = f"the partial sets no {name!r}"
                self._report.tell(Problem(UNKNOWN_KEY, message, self._report.place(node, name), hint))
            env = env.bind(alias, exported.get(name, ANY))
        return env

    def _call_macro(
        self, called: Object, positional: list[Type], named: dict[str, Type], env: Env, node: nodes.Call
    ) -> Type:
        home = self._macros.get(id(called.macro))
        if home is None or id(called.macro) in self._running:
            return Text()
        home.called = True
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            given: dict[str, Type] = dict.fromkeys((argument.name for argument in home.macro.args), ANY)
        else:
            if not self._can_be_called(home.macro, node):
                return Text()
            names = [argument.name for argument in home.macro.args]
            given = {**dict(zip(names, positional, strict=False)), **named}
        self._run(home, given, env)
        return Text()

    def _run(self, home: "_Home", given: Mapping[str, Type], env: Env) -> None:
        macro = home.macro
        outer = home.env if home.imported else _seen_from(home.env, env)
        required = len(macro.args) - len(macro.defaults)
        arguments: dict[str, Type] = {}
        for index, argument in enumerate(macro.args):
            if argument.name in given:
                arguments[argument.name] = given[argument.name]
            elif index >= required:
                arguments[argument.name] = self.expressions.type(macro.defaults[index - required], outer)
            else:
                arguments[argument.name] = Missing(unset=True)
        self._running.append(id(macro))
        with self._report.inside(home.source):
            self.walk(macro.body, _bound(outer.bind(macro.name, Object("macro", None, macro)), arguments))
        self._running.pop()

    def _can_be_called(self, macro: nodes.Macro, node: nodes.Call) -> bool:
        mentioned = {name.name for name in macro.find_all(nodes.Name)}
        names = [argument.name for argument in macro.args]
        what = f"macro {macro.name!r}"
        told = self._report.count
        if len(node.args) > len(names) and "varargs" not in mentioned:
            message = f"{what} takes {counted(len(names))}, not {len(node.args)}"
            self._report.tell(Problem(WRONG_ARGUMENT, message, self._report.place(node), ""))
        for keyword in node.kwargs:
            if keyword.key not in (*names, "caller") and "kwargs" not in mentioned:
                hint = did_you_mean(keyword.key, names)
                message = f"{what} has no argument {keyword.key!r}"
                self._report.tell(Problem(WRONG_ARGUMENT, message, self._report.place(node, keyword.key), hint))
        return self._report.count == told


@dataclass(slots=True)
class _Home:
    """Where a macro was defined, what it sees there, and whether anything has called it."""

    macro: nodes.Macro
    source: Source
    env: Env
    imported: bool
    called: bool = False


def _seen_from(home: Env, call: Env) -> Env:
    """Give what a called macro sees: the names of its own place as they are by then, none of the caller's scopes."""
    own = home.inner | call.inner
    types = {**home.types, **{name: one for name, one in call.types.items() if name not in own}}
    narrowed = {name: one for name, one in call.narrowed.items() if name not in own}
    return Env(types, narrowed, home.inner)


def _bound(env: Env, given: Mapping[str, Type]) -> Env:
    for name, one in {**dict.fromkeys(_IN_EVERY_MACRO, ANY), **given}.items():
        env = env.bind(name, one, inner=True)
    return env
