"""Check statements: track the names that each one sets and where they are visible, by Jinja's rules of scope."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from jinja2 import nodes

from promptpack.lazy import cached_property
from promptpack.linter.analysis_meter import count_steps
from promptpack.linter.types.expressions import ExpressionChecker, Inference
from promptpack.linter.types.filters_and_tests import spell_argument_count
from promptpack.linter.types.lattice import (
    ANY,
    BooleanType,
    ListType,
    MappingType,
    MissingReason,
    MissingType,
    NullType,
    NumberType,
    ObjectType,
    TextType,
    TupleType,
    Type,
    describe,
    is_never,
    members,
    union,
)
from promptpack.linter.types.narrowing import TypeScope, scope_after
from promptpack.linter.types.problems import (
    DEAD_BRANCH,
    MAYBE_MISSING,
    UNKNOWN_KEY,
    WRONG_ARGUMENT,
    WRONG_KIND,
    ProblemCollector,
    spell,
)
from promptpack.linter.types.signatures import item_of, loop_attributes
from promptpack.problem import Location, Problem, Severity, did_you_mean
from promptpack.template.engine import Engine, apply_readable_filter
from promptpack.template.includes import IncludeWalker
from promptpack.template.model import Source

_IN_EVERY_MACRO = ("caller", "kwargs", "varargs")


class StatementChecker:
    """Checks templates and the partials that they include; each partial once for all templates with the same types."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._collector = ProblemCollector()
        self._expressions = ExpressionChecker(self._collector, self._call_macro)
        self._includes: IncludeWalker[nodes.Template, Mapping[str, Type]] = IncludeWalker(engine.analysed.trees.get)
        self._macros: dict[int, _MacroDefinition] = {}
        self._running: list[int] = []
        self._runs: set[Hashable] = set()
        self._blocks: dict[str, tuple[nodes.Block, Source]] = {}
        self._importing = False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems that were found, each once."""
        return tuple(self._collector.problems)

    @property
    def count(self) -> int:
        """The number of times that a problem was found."""
        return self._collector.count

    def check_template(self, source: Source, scope: TypeScope) -> None:
        """Check a template that compiles."""
        self._blocks = {}
        with self._collector.inside(source, is_shared=False):
            self.template(self._engine.parse(source), scope)
            self._check_uncalled_macros()

    def check_expression(self, source: Source, scope: TypeScope) -> Inference:
        """Check an expression that compiles, as in `when` and `require`."""
        (assignment,) = self._engine.parse_expression(source).find_all(nodes.Assign)
        with self._collector.inside(source, is_shared=False):
            return self._expressions.infer_condition(assignment.node, scope)

    def add_dead(self, source: Source, message: str) -> None:
        """Report a text that is never used, or an expression with only one result."""
        self._collector.add(Problem(DEAD_BRANCH, message, source.locate(1, 1), "", "warning"))

    def add_unknown_key(self, message: str, location: Location, hint: str) -> None:
        """Report the path of a field that a reply does not have."""
        self._collector.add(Problem(UNKNOWN_KEY, message, location, hint))

    def template(self, tree: nodes.Template, scope: TypeScope) -> TypeScope:
        """Check a whole template, and return the scope after it; a template that extends another fills its blocks."""
        parent = next((node for node in tree.body if isinstance(node, nodes.Extends)), None)
        if parent is None:
            return self.walk(tree.body, scope)
        for block in tree.find_all(nodes.Block):
            self._blocks.setdefault(block.name, (block, self._collector.source))
        # Output outside the blocks is not printed, but names set there are set.
        silent = (nodes.Output, nodes.Block, nodes.Extends)
        scope = self.walk((node for node in tree.body if not isinstance(node, silent)), scope)
        self._partial(parent.template, scope)
        return scope

    def walk(self, body: Iterable[nodes.Node], scope: TypeScope) -> TypeScope:
        """Check statements in order, and return the scope after them."""
        for node in body:
            count_steps()
            scope = self._statement(node, scope)
        return scope

    def _check_uncalled_macros(self) -> None:
        for definition in [definition for definition in self._macros.values() if not definition.is_called]:
            definition.is_called = True
            self._run(definition, _any_arguments(definition.macro), definition.scope)

    def _statement(self, node: nodes.Node, scope: TypeScope) -> TypeScope:  # noqa: C901 -- one case per kind of statement
        match node:
            case nodes.Output():
                for child in node.nodes:
                    self._expressions.infer_used(apply_readable_filter(child), scope)
            case nodes.ExprStmt():
                self._expressions.infer(node.node, scope)
            case nodes.If():
                return self._if(node, scope)
            case nodes.For():
                self._for(node, scope)
            case nodes.Assign():
                return self._assign(node.target, self._expressions.infer_type(node.node, scope), scope)
            case nodes.AssignBlock():
                self.walk(node.body, scope)
                type_: Type = TextType() if node.filter is None else self._filtered(node.filter, scope)
                return self._assign(node.target, type_, scope)
            case nodes.With():
                inner = scope
                for target, value in zip(node.targets, node.values, strict=True):
                    inner = self._assign(target, self._expressions.infer_type(value, scope), inner, inner=True)
                self.walk(node.body, inner)
            case nodes.Macro():
                self._macros[id(node)] = _MacroDefinition(node, self._collector.source, scope, self._importing)
                return scope.bind({node.name: ObjectType("macro", None, node)})
            case nodes.CallBlock():
                self._expressions.infer(node.call, scope)
                self.walk(node.body, _bind_arguments(scope, _any_arguments(node)))
            case nodes.FilterBlock():
                self.walk(node.body, scope)
                self._filtered(node.filter, scope)
            case nodes.Block():
                self._block(node, scope)
            case nodes.Include() | nodes.Extends():
                self._partial(node.template, scope)
            case nodes.Import() | nodes.FromImport():
                return self._import(node, scope)
            case _:
                self.walk(node.iter_child_nodes(), scope)
        return scope

    def _filtered(self, node: nodes.Filter, scope: TypeScope) -> Type:
        """Apply the filters of a block, the innermost first, to its text."""
        inner = self._filtered(node.node, scope) if isinstance(node.node, nodes.Filter) else TextType()
        return self._expressions.infer_filtered(node, inner, scope)

    def _if(self, node: nodes.If, scope: TypeScope) -> TypeScope:
        ends: list[TypeScope] = []
        remaining: TypeScope | None = scope
        for branch in (node, *node.elif_):
            if remaining is None:
                break
            count = self._collector.count
            inferred = self._expressions.infer_condition(branch.test, remaining)
            others = branch is not node.elif_[-1] if node.elif_ else True
            self._report_dead(branch, inferred, count, more=bool(node.else_) or (bool(node.elif_) and others))
            if inferred.true is not None:
                ends.append(self.walk(branch.body, inferred.true))
            remaining = inferred.false
        if remaining is not None:
            ends.append(self.walk(node.else_, remaining))
        return scope_after(scope, ends)

    def _report_dead(self, branch: nodes.If, inferred: Inference, count: int, *, more: bool) -> None:
        if inferred.true is None:
            self._collector.add_dead_branch(branch.test, "this branch never runs: its condition is never true", count)
        elif inferred.false is None and more:
            message = "the branches after this one never run: its condition is always true"
            self._collector.add_dead_branch(branch.test, message, count)

    def _for(self, node: nodes.For, scope: TypeScope) -> None:
        given = self._expressions.infer_iterable(node.iter, scope)
        item = ANY if self._misses_list(node, given) else item_of(given)
        self.walk(node.else_, scope)
        if is_never(item):
            return
        inner: TypeScope | None = self._assign(node.target, item, scope, inner=True)
        if node.test is not None and inner is not None:
            count = self._collector.count
            inferred = self._expressions.infer_condition(node.test, inner)
            if inferred.true is None:
                self._collector.add_dead_branch(node.test, "this loop never runs: its condition is never true", count)
            inner = inferred.true
        if inner is not None:
            self.walk(node.body, inner.bind({"loop": ObjectType("loop", loop_attributes(item))}, inner=True))

    def _misses_list(self, node: nodes.For, given: Type) -> bool:
        """Report a loop over a mapping, whose items are its keys, if the loop looks up keys of the items."""
        if not isinstance(given, MappingType) or not isinstance(node.target, nodes.Name):
            return False
        name = node.target.name
        lookups = (one for body in node.body for one in body.find_all(nodes.Getattr))
        if not any(isinstance(one.node, nodes.Name) and one.node.name == name for one in lookups):
            return False
        subject = spell(node.iter)
        lists = [key for key, one in given.properties.items() if isinstance(one.type, ListType)]
        hint = (
            f"did you mean {subject.strip(chr(39)) + '.' + lists[0]!r}?" if len(lists) == 1 else "loop over '.items()'"
        )
        message = f"{subject} is a mapping: {name!r} is one of its keys, which is text"
        self._collector.add(Problem(WRONG_KIND, message, self._collector.locate(node.iter), hint))
        return True

    def _assign(self, target: nodes.Node, type_: Type, scope: TypeScope, *, inner: bool = False) -> TypeScope:
        if isinstance(target, nodes.Name):
            return scope.bind({target.name: type_}, inner=inner)
        if not isinstance(target, nodes.Tuple):
            return scope
        for index, one in enumerate(target.items):
            item = union(self._unpack(member, target, index) for member in members(type_))
            scope = self._assign(one, item, scope, inner=inner)
        return scope

    def _unpack(self, one: Type, target: nodes.Tuple, index: int) -> Type:
        count = len(target.items)
        match one:
            case TupleType() if len(one.items) == count:
                return one.items[index]
            case ListType():
                return one.item
            case TupleType() | TextType() | NumberType() | BooleanType() | NullType():
                message = f"{describe(one)} cannot be unpacked into {count} names"
                hint = "to loop over keys and values, add '.items()'" if isinstance(one, TextType) else ""
                severity: Severity = "warning" if isinstance(one, TextType) else "error"
                self._collector.add(Problem(WRONG_KIND, message, self._collector.locate(target), hint, severity))
        return ANY

    def _block(self, node: nodes.Block, scope: TypeScope) -> None:
        block, source = self._blocks.get(node.name, (node, None))
        if source is None:
            self.walk(block.body, scope)
            return
        with self._collector.inside(source):
            self.walk(block.body, scope)

    def _partial(self, template: nodes.Expr, scope: TypeScope) -> Mapping[str, Type]:
        """Check the partials that a tag names, and return the names that the first of them sets."""
        # The blocks of a template that extends a partial may use any name.
        seen = scope if self._blocks else scope.limited_to(self._names_in(template))

        def enter(name: str, tree: nodes.Template) -> Mapping[str, Type]:
            with self._collector.inside(self._engine.partials[name]):
                after = self.template(tree, seen)
            return {name: one for name, one in after.types.items() if one is not seen.types.get(name)}

        blocks = frozenset((name, id(block)) for name, (block, _) in self._blocks.items())
        key = seen.key, self._importing, self._collector.only_warnings, blocks
        _, exported = next(self._includes.visit(template, key, enter), ("", {}))
        return exported

    def _names_in(self, template: nodes.Expr) -> frozenset[str]:
        found = self._engine.dependencies.find_in_partials(template)
        return frozenset().union(*(dependencies.names for _, dependencies in found))

    def _import(self, node: nodes.Import | nodes.FromImport, scope: TypeScope) -> TypeScope:
        before, self._importing = self._importing, True
        exported = self._partial(node.template, scope if node.with_context else TypeScope({}))
        self._importing = before
        if isinstance(node, nodes.Import):
            return scope.bind({node.target: ObjectType("partial", exported)})
        for entry in node.names:
            name, alias = (entry, entry) if isinstance(entry, str) else entry
            if name not in exported and exported:
                hint = did_you_mean(name, exported)
                message = f"the partial does not define {name!r}"
                self._collector.add(Problem(UNKNOWN_KEY, message, self._collector.locate(node, name), hint))
            scope = scope.bind({alias: exported.get(name, ANY)})
        return scope

    def _call_macro(
        self, called: ObjectType, positional: list[Type], named: dict[str, Type], scope: TypeScope, node: nodes.Call
    ) -> Type:
        definition = self._macros.get(id(called.macro))
        if definition is None or id(called.macro) in self._running:
            return TextType()
        definition.is_called = True
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            given = _any_arguments(definition.macro)
        else:
            if not self._can_be_called(definition, node):
                return TextType()
            names = [argument.name for argument in definition.macro.args]
            given = {**dict(zip(names, positional, strict=False)), **named}
        self._run(definition, given, scope, node)
        return TextType()

    def _run(
        self,
        definition: "_MacroDefinition",
        given: Mapping[str, Type],
        scope: TypeScope,
        call: nodes.Call | None = None,
    ) -> None:
        macro = definition.macro
        outer = definition.scope if definition.is_imported else _scope_of_call(definition.scope, scope)
        required = len(macro.args) - len(macro.defaults)
        arguments: dict[str, Type] = {}
        for index, argument in enumerate(macro.args):
            if argument.name in given:
                arguments[argument.name] = given[argument.name]
            elif index >= required:
                arguments[argument.name] = self._expressions.infer_type(macro.defaults[index - required], outer)
            else:
                arguments[argument.name] = self._not_given(macro.name, argument.name, call)
        seen = outer.limited_to(definition.mentioned)
        key = id(macro), frozenset(arguments.items()), seen.key, self._collector.only_warnings
        if key in self._runs:
            return
        self._runs.add(key)
        self._running.append(id(macro))
        with self._collector.inside(definition.source):
            self.walk(
                macro.body, _bind_arguments(outer.bind({macro.name: ObjectType("macro", None, macro)}), arguments)
            )
        self._running.pop()

    def _not_given(self, macro: str, argument: str, call: nodes.Call | None) -> MissingType:
        if call is None:
            return MissingType(is_unset=True)
        message = f"macro {macro!r} is called without {argument!r}"
        hint = f"give it a value here, or a default in the macro: '{argument}=...'"
        at = self._collector.locate_lazily(call, macro)
        return MissingType(MissingReason(MAYBE_MISSING, message, message, hint, at))

    def _can_be_called(self, definition: "_MacroDefinition", node: nodes.Call) -> bool:
        macro = definition.macro
        names = [argument.name for argument in macro.args]
        what = f"macro {macro.name!r}"
        count = self._collector.count
        if len(node.args) > len(names) and "varargs" not in definition.mentioned:
            message = f"{what} takes {spell_argument_count(len(names))}, not {len(node.args)}"
            self._collector.add(Problem(WRONG_ARGUMENT, message, self._collector.locate(node), ""))
        for keyword in node.kwargs:
            if keyword.key not in (*names, "caller") and "kwargs" not in definition.mentioned:
                hint = did_you_mean(keyword.key, names)
                message = f"{what} has no argument {keyword.key!r}"
                self._collector.add(Problem(WRONG_ARGUMENT, message, self._collector.locate(node, keyword.key), hint))
        return self._collector.count == count


@dataclass
class _MacroDefinition:
    """A macro, the source and scope of its definition, and whether anything has called it."""

    macro: nodes.Macro
    source: Source
    scope: TypeScope
    is_imported: bool
    is_called: bool = False

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The names that the macro uses."""
        return frozenset(name.name for name in self.macro.find_all(nodes.Name))


def _scope_of_call(definition: TypeScope, call: TypeScope) -> TypeScope:
    """Return the scope of a called macro: the names of its definition as they are now, not the caller's inner ones."""
    own = definition.inner | call.inner
    types = {**definition.types, **{name: one for name, one in call.types.items() if name not in own}}
    narrowed = {name: one for name, one in call.narrowed.items() if name not in own}
    return TypeScope(types, narrowed, definition.inner)


def _any_arguments(macro: nodes.Macro | nodes.CallBlock) -> dict[str, Type]:
    return dict.fromkeys((argument.name for argument in macro.args), ANY)


def _bind_arguments(scope: TypeScope, given: Mapping[str, Type]) -> TypeScope:
    return scope.bind({**dict.fromkeys(_IN_EVERY_MACRO, ANY), **given}, inner=True)
