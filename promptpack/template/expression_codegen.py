"""The code of expressions: plain functions of the values they read, without a scope of Jinja's."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from jinja2 import nodes
from jinja2.compiler import Frame
from jinja2.nodes import EvalContext
from jinja2.runtime import exported

from promptpack.template.codegen import PackGenerator
from promptpack.template.meter import steps_per_call
from promptpack.template.tree import descendants

LookupPath = tuple[str, ...]
"""A name and the keys after it."""


class Condition(NamedTuple):
    """A rule as trees: `require` must be true if `when` is; it is skipped unless the values have all `names`."""

    when: nodes.Template | None
    require: nodes.Template
    names: tuple[str, ...]


class ExpressionGenerator(PackGenerator):
    """Writes trees that assign a value to `result` as the function `root`, which returns the value."""

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

    def _write_key(self, owner: nodes.Expr, key: str, fallback: str, frame: Frame, value: str = "") -> None:
        """Write the lookup of a key; a path that occurs several times is looked up once."""
        value = self._repeated.get((*_path_of(owner), key), value)
        self.write(f"({value} if {value} is not missing else " if value else "")
        super()._write_key(owner, key, fallback, frame, value)
        self.write(")" if value else "")

    def _name_repeated_paths(self, values: Iterable[nodes.Expr]) -> dict[LookupPath, str]:
        """Return a local name for each path that occurs several times."""
        found = Counter(path for value in values for path in map(_path_of, descendants(value)) if len(path) > 1)
        return {path: self.temporary_identifier() for path, times in found.items() if times > 1}

    def _begin(self, trees: Iterable[nodes.Template]) -> Frame:
        """Write everything up to the first expression; code that every call shares comes before the function."""
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
        self._repeated = self._name_repeated_paths(values)
        for name in self._repeated.values():
            self.writeline(f"{name} = missing")
        return frame

    def _end(self) -> None:
        self.outdent()
        self.writeline(f"debug_info = {'&'.join(f'{line}={position}' for line, position in self.debug_info)!r}")


def _path_of(node: nodes.Node) -> LookupPath:
    """Return a name and the keys after it, as in `reply.params`; nothing for any other expression."""
    if isinstance(node, nodes.Name):
        return (node.name,)
    if isinstance(node, nodes.Getattr):
        owner = _path_of(node.node)
        return (*owner, node.attr) if owner else ()
    return ()


def _value_of(tree: nodes.Template) -> nodes.Expr:
    return tree.body[0].node  # type: ignore[attr-defined,no-any-return]  # an assignment, see `Engine.parse_expression`


def generate(environment: Any, write: Callable[[ExpressionGenerator], None]) -> str:
    """Return the code that a generator writes."""
    generator = ExpressionGenerator(environment, None, None, defer_init=True, optimized=False)
    write(generator)
    return generator.stream.getvalue()  # type: ignore[attr-defined,no-any-return]  # a `StringIO` by default
