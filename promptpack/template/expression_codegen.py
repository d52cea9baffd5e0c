"""The code of expressions: plain functions of the values they read, without a scope of Jinja's."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from jinja2 import nodes
from jinja2.compiler import Frame
from jinja2.nodes import EvalContext
from jinja2.runtime import exported

from promptpack.template.codegen import METHOD, PackGenerator
from promptpack.template.steps import steps_per_call


class Condition(NamedTuple):
    """A rule as trees: `require` must be true if `when` is; it is skipped unless the values have all `names`."""

    when: nodes.Template | None
    require: nodes.Template
    names: tuple[str, ...]


class ExpressionGenerator(PackGenerator):
    """Writes trees that assign a value to `result` as the function `root`, which returns the value."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment, None, None, defer_init=True, optimized=False)
        # The names of variables that hold the value of a path, by path.
        self._shared_paths: dict[tuple[str, ...], str] = {}

    def write_expression(self, tree: nodes.Template) -> None:
        """Write one expression: `root(values)` returns its value."""
        frame = self._begin([tree])
        self._write_tree(tree, frame)
        self.writeline("return value")
        self._end()

    def write_conditions(self, conditions: Sequence[Condition]) -> None:
        """Write conditions: `root(values)` returns the failed ones, each with its error, and the skipped ones."""
        frame = self._begin([tree for when, require, _ in conditions for tree in (when, require) if tree is not None])
        self.writeline("failed, skipped = [], []")
        for number, condition in enumerate(conditions):
            if condition.names:
                is_missing = " or ".join(f"{name!r} not in values" for name in condition.names)
                self.writeline(f"if {is_missing}: skipped.append({number})")
                self.writeline("else:")
                self.indent()
            self._write_condition(number, condition, frame)
            if condition.names:
                self.outdent()
        self.writeline("return failed, skipped")
        self._end()

    def _write_condition(self, number: int, condition: Condition, frame: Frame) -> None:
        self.writeline("try:")
        self.indent()
        if condition.when is not None:
            self._write_tree(condition.when, frame)
            self.writeline("if value is True or value is not False and environment.truth(value):")
            self.indent()
        self._write_tree(condition.require, frame)
        self.writeline(f"if value is not True and not environment.truth(value): failed.append(({number}, None))")
        if condition.when is not None:
            self.outdent()
        self.outdent()
        self.writeline("except environment.render_errors as error:")
        self.indent()
        self.writeline(f"failed.append(({number}, environment.explain(error)))")
        self.outdent()

    def _write_tree(self, tree: nodes.Template, frame: Frame) -> None:
        """Write code that counts the steps of an expression and computes its value."""
        self.writeline(f"meter.steps -= {steps_per_call(tree)}", tree)
        self.writeline("if meter.steps < 0: meter.refuse_steps()")
        self.writeline("value = ", tree.body[0])
        self.visit(_value_of(tree), frame)

    def _begin(self, trees: Iterable[nodes.Template]) -> Frame:
        """Write everything up to the first expression; what is the same for each call comes before the function."""
        values = [_value_of(tree) for tree in trees]
        frame = Frame(EvalContext(self.environment, None))
        frame.symbols.analyze_node(nodes.Template([nodes.Output(values)]))
        self.writeline(f"from jinja2.runtime import {', '.join(exported)}")
        self.writeline("name, blocks, context = None, {}, environment.empty_context")
        self.writeline("undefined, cond_expr_undefined = environment.undefined, Undefined")
        self.pull_dependencies(values)
        self.writeline("def root(values):", extra=1)
        self.indent()
        self.writeline("meter = environment.meter()")
        for target, (_, name) in frame.symbols.loads.items():
            default = f"environment.globals[{name!r}]" if name in self.environment.globals else "missing"
            self.writeline(f"{target} = values.get({name!r}, {default})")
        self._write_shared_paths(values, frame)
        return frame

    def _write_shared_paths(self, values: Iterable[nodes.Expr], frame: Frame) -> None:
        """Look up keys that several expressions read, such as `reply.params`; they are `missing` unless they exist."""
        lookups = (node for value in values for node in (value, *value.find_all((nodes.Getattr, nodes.Getitem))))
        paths = Counter(path for node in lookups if len(path := _read_path(node)) > 1)
        for path in sorted((path for path, count in paths.items() if count > 1), key=len):
            owner = self._shared_paths.get(path[:-1]) or frame.symbols.ref(path[0])
            name = self._shared_paths[path] = self.temporary_identifier()
            self.writeline(f"{name} = {owner}.get({path[-1]!r}, missing) if type({owner}) is dict else missing")

    def _write_key(self, owner: nodes.Expr, key: str, fallback: str, frame: Frame) -> None:
        owner_path = _read_path(owner)
        shared = self._shared_paths.get((*owner_path, key)) if owner_path else None
        if shared is None:
            super()._write_key(owner, key, fallback, frame)
            return
        self.write(f"({shared} if {shared} is not missing else environment.{fallback}(")
        self.visit(owner, frame)
        self.write(f", {key!r}))")

    def _end(self) -> None:
        self.outdent()
        self.writeline(f"debug_info = {'&'.join(f'{line}={position}' for line, position in self.debug_info)!r}")


def _value_of(tree: nodes.Template) -> nodes.Expr:
    return tree.body[0].node  # type: ignore[attr-defined,no-any-return]  # an assignment, see `Engine.parse_expression`


def _read_path(node: nodes.Node) -> tuple[str, ...]:
    """Return the name and the keys of a lookup such as `reply.params["tasks"]`; nothing for other expressions."""
    match node:
        case nodes.Name(name=name):
            return (name,)
        case nodes.Getattr(node=owner, attr=key) if node.ctx != METHOD:
            path = _read_path(owner)
        case nodes.Getitem(node=owner, arg=nodes.Const(value=str(key))):
            path = _read_path(owner)
        case _:
            return ()
    return (*path, key) if path else ()


def generate(environment: Any, write: Callable[[ExpressionGenerator], None]) -> str:
    """Return the code that a generator writes."""
    generator = ExpressionGenerator(environment)
    write(generator)
    return generator.stream.getvalue()  # type: ignore[attr-defined,no-any-return]  # a `StringIO` by default
