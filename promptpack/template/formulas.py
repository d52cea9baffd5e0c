"""The code of an expression: a plain function of the values that it looks at, without a scope of Jinja's around it."""

from typing import Any, cast

from jinja2 import nodes
from jinja2.compiler import Frame
from jinja2.nodes import EvalContext
from jinja2.runtime import exported

from promptpack.template.generator import PackGenerator


class ExpressionGenerator(PackGenerator):
    """Writes a tree that assigns a value to `result` as a function that returns it."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 -- Jinja's name
        """Write the whole module; whatever is the same for each call stands outside of the function."""
        steps, assigned = node.body
        value = cast("nodes.Assign", assigned).node
        frame = Frame(EvalContext(self.environment, None))
        frame.symbols.analyze_node(nodes.Template([nodes.Output([value])]))
        self.writeline(f"from jinja2.runtime import {', '.join(exported)}")
        self.writeline("name, blocks, context = None, {}, environment.no_scope")
        self.writeline("undefined, cond_expr_undefined = environment.undefined, Undefined")
        self.pull_dependencies(node.body)
        self.writeline("def root(values):", extra=1)
        self.indent()
        self.writeline("meter = environment.meter()")
        for target, (_, name) in frame.symbols.loads.items():
            default = f"environment.globals[{name!r}]" if name in self.environment.globals else "missing"
            self.writeline(f"{target} = values.get({name!r}, {default})")
        self.visit(steps, frame)
        self.writeline("return ", assigned)
        self.visit(value, frame)
        self.outdent()
        self.writeline(f"debug_info = {'&'.join(f'{line}={position}' for line, position in self.debug_info)!r}")


def write_expression(tree: nodes.Template, environment: Any) -> str:
    """Write the code of an expression."""
    generator = ExpressionGenerator(environment, None, None, defer_init=True, optimized=False)
    generator.visit(tree)
    return generator.stream.getvalue()  # type: ignore[attr-defined,no-any-return]  # a `StringIO`, where none is given
