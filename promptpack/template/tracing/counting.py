"""The engine with counting: compiles the trees of an engine once more, to templates that report which parts ran."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import CodeType
from typing import Any, Final, NamedTuple

from jinja2 import nodes

from promptpack.problem import Location
from promptpack.template.compiling import NO_INCLUDES, make_runner
from promptpack.template.engine import Engine, PartialLoader, finish
from promptpack.template.expression_codegen import Condition
from promptpack.template.model import UNPLACED, Expression, Source, Template
from promptpack.template.positions import decode
from promptpack.template.runtime import CompiledTree, IncludeStack, PackTemplate
from promptpack.template.sandbox import PackEnvironment
from promptpack.template.tree import copy_tree, descendants

RecordPart = Callable[["CountedPart", str], None]
"""Receives each part of a template that ran, and how it ran."""
BRANCH: Final = ("true", "false")
LOOP: Final = ("no item", "one item", "several items")
INCLUDE: Final = ("included",)
_CONSTANTS: Final = (nodes.Const, nodes.List, nodes.Tuple, nodes.TemplateData)


class CountedPart(NamedTuple):
    """A branch, a loop or an include of a template, and how it can run."""

    kind: str
    location: Location
    ways: tuple[str, ...]


class CountingEnvironment(PackEnvironment):
    """The environment of counted templates."""

    record: RecordPart
    parts: list[CountedPart]
    passes: dict[int, list[int]]

    def note_branch(self, number: int, value: Any) -> Any:
        """Record whether a condition holds, and return its value."""
        self.record(self.parts[number], BRANCH[0] if value else BRANCH[1])
        return value

    def note_include(self, number: int) -> str:
        """Record an include."""
        self.record(self.parts[number], INCLUDE[0])
        return ""

    def start_loop(self, number: int) -> str:
        """Start to count the passes of a loop, which may be inside itself."""
        self.passes.setdefault(number, []).append(0)
        return ""

    def note_pass(self, number: int) -> str:
        """Count a pass of a loop."""
        self.passes[number][-1] += 1
        return ""

    def end_loop(self, number: int) -> str:
        """Record how many passes a loop had."""
        self.record(self.parts[number], LOOP[min(self.passes[number].pop(), 2)])
        return ""


class CountingEngine(Engine):
    """Counts what runs in templates and rules that another engine has compiled."""

    def __init__(self, engine: Engine, record: RecordPart) -> None:
        super().__init__({}, engine.limits, base=engine)
        environment = CountingEnvironment(PartialLoader(self), engine.limits.tokens)
        environment.record, environment.parts, environment.passes = record, [], {}
        self.environment: PackEnvironment = environment
        self.parts: list[CountedPart] = environment.parts
        self._compiled: dict[tuple[str | None, str, str], CompiledTree] = {}

    def count(self, template: Template) -> Template:
        """Return a template that renders the same text and reports which parts ran."""
        source = template.source
        code = self.load(self.prepare(source), source)
        for name in sorted(template.partials):
            if name in self.partials:
                self.load(self.partial_trees[name], self.partials[name], name)

        def run(code: PackTemplate, context: Mapping[str, Any], include_stack: IncludeStack | None) -> str:
            return "".join(code.root_render_func(code.start_context(context, include_stack or NO_INCLUDES)))

        return replace(template, _load=lambda: code, _run=make_runner(lambda: code, self.limits, run))

    def count_condition(self, expression: Expression, kind: str) -> Expression:
        """Return an expression that reports whether it holds."""
        part = self._add(kind, expression.source.locate(1, 1), BRANCH)
        note = self.environment.note_branch  # type: ignore[attr-defined]

        def run(values: Mapping[str, Any], include_stack: IncludeStack | None) -> Any:
            return note(part, expression._run(values, include_stack))

        return replace(expression, _run=run)

    def load(self, tree: nodes.Template, source: Source, name: str | None = None) -> PackTemplate:
        """Compile a prepared tree with counts; nothing is inlined or cached."""
        key = name, source.syntax, source.text
        if key not in self._compiled:
            counted = finish(copy_tree(tree), source)
            _PartCounter(self, source).insert(counted)
            code: CodeType = self.environment.compile(counted, name=name, filename=UNPLACED)
            self._compiled[key] = CompiledTree(code)
        return self._create(self._compiled[key], source)

    def load_conditions(self, conditions: Sequence[Condition], source: Source) -> PackTemplate:
        """Compile rules that report whether they hold; they are the parts of kind `rule`, in order."""
        numbers = [number for number, part in enumerate(self.parts) if part.kind == "rule"]
        counted = [
            condition._replace(require=_count_value(condition.require, number))
            for condition, number in zip(conditions, numbers, strict=True)
        ]
        return super().load_conditions(counted, source)

    def add_rule(self, expression: Expression) -> Expression:
        """Return the condition of a rule for this engine."""
        self._add("rule", expression.source.locate(1, 1), BRANCH)
        return replace(expression, engine=self)

    def _add(self, kind: str, location: Location, ways: tuple[str, ...]) -> int:
        self.parts.append(CountedPart(kind, location, ways))
        return len(self.parts) - 1


class _PartCounter:
    """Inserts the counts of one tree."""

    def __init__(self, engine: CountingEngine, source: Source) -> None:
        self._engine = engine
        self._source = source

    def insert(self, tree: nodes.Node) -> None:
        """Insert the counts of a tree, in place."""
        for node in list(descendants(tree)):
            if isinstance(node, nodes.If | nodes.CondExpr) and not isinstance(node.test, _CONSTANTS):
                test: Any = node.test
                node.test = _call("note_branch", self._add("branch", test, BRANCH), test)
        for owner in list(descendants(tree)):
            for field in ("body", "else_"):
                statements = getattr(owner, field, None)
                if isinstance(statements, list):
                    setattr(owner, field, [one for statement in statements for one in self._around(statement)])

    def _around(self, statement: nodes.Node) -> Iterator[nodes.Node]:
        if isinstance(statement, nodes.Include):
            yield _note("note_include", self._add("include", statement, INCLUDE), statement)
        if not isinstance(statement, nodes.For) or isinstance(statement.iter, _CONSTANTS):
            yield statement
            return
        number = self._add("loop", statement, LOOP)
        statement.body = [_note("note_pass", number, statement), *statement.body]
        yield _note("start_loop", number, statement)
        yield statement
        yield _note("end_loop", number, statement)

    def _add(self, kind: str, node: nodes.Node, ways: tuple[str, ...]) -> int:
        position = min((one.lineno for one in descendants(node) if one.lineno), default=node.lineno)
        return self._engine._add(kind, self._source.locate(*decode(position)), ways)


def _call(function: str, number: int, value: nodes.Expr) -> nodes.Expr:
    constant = nodes.Const(number, lineno=value.lineno)
    return nodes.Call(nodes.EnvironmentAttribute(function), [constant, value], [], None, None, lineno=value.lineno)


def _note(function: str, number: int, node: nodes.Node) -> nodes.Node:
    call = nodes.Call(nodes.EnvironmentAttribute(function), [nodes.Const(number)], [], None, None, lineno=node.lineno)
    return nodes.ExprStmt(call, lineno=node.lineno)


def _count_value(tree: nodes.Template, number: int) -> nodes.Template:
    counted = copy_tree(tree)
    assignment: Any = counted.body[0]
    assignment.node = _call("note_branch", number, assignment.node)
    return counted
