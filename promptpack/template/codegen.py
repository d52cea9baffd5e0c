"""Jinja's code generator, extended: methods told apart from keys, partials by way of the trail, work counted."""

from copy import copy
from typing import Final, TypeVar

from jinja2 import nodes
from jinja2.compiler import Frame

from promptpack.template.output_codegen import OutputGenerator
from promptpack.template.tree import OUTLINED

# The `ctx` of a look-up that is called at once: `order.items()` is the method, `order.items` the key.
METHOD: Final = "method"
_CONTAINMENT: Final = ("in", "notin")

Loading = TypeVar("Loading", nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


class PackGenerator(OutputGenerator):
    """Jinja's code generator, with methods told apart from keys, and partials looked for by way of the trail."""

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 -- Jinja's visitor name
        """Write the look-up of a method or of a key."""
        if node.ctx != METHOD:
            super().visit_Getattr(node, frame)
            return
        self.write("environment.method(")
        self.visit(node.node, frame)
        self.write(f", {node.attr!r})")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """Write a call; our own functions, which no template can name, need no leave of the sandbox."""
        if not isinstance(node.node, (nodes.ImportedName, nodes.EnvironmentAttribute)):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:  # noqa: N802
        """Write a comparison; where neither side is written out, its size is counted first."""
        left = node.expr
        self.write("(")
        for index, operand in enumerate(node.ops):
            if index:
                self.write(" and ")
            self._compare(operand.op, left, operand.expr, frame)
            left = operand.expr
        self.write(")")

    def _compare(self, operator: str, left: nodes.Expr, right: nodes.Expr, frame: Frame) -> None:
        plain = isinstance(right, nodes.Const) or (isinstance(left, nodes.Const) and operator not in _CONTAINMENT)
        self.write("(" if plain else f"environment.compare({operator!r}, ")
        self.visit(left, frame)
        if plain:
            self.visit(nodes.Operand(operator, right), frame)
        else:
            self.write(", ")
            self.visit(right, frame)
        self.write(")")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        """Write `a ~ b`."""
        self.write("environment.concatenate((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        """Write a look-up, or a slice."""
        if isinstance(node.arg, nodes.Const):
            super().visit_Getitem(node, frame)
            return
        if not isinstance(node.arg, nodes.Slice):
            self.write("environment.computed_item(")
            self.visit(node.node, frame)
            self.write(", ")
            self.visit(node.arg, frame)
            self.write(")")
            return
        self.write("environment.cut(")
        for part in (node.node, node.arg.start, node.arg.stop, node.arg.step):
            self.visit(part or nodes.Const(None), frame)
            self.write(", ")
        self.write(")")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:  # noqa: N802
        """Write a list."""
        self.write("environment.made(")
        super().visit_List(node, frame)
        self.write(")")

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802
        """Write a mapping."""
        self.write("environment.made(")
        super().visit_Dict(node, frame)
        self.write(")")

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:  # noqa: N802
        """Write a tuple, or the targets of an assignment."""
        building = node.ctx == "load"
        self.write("environment.made(" if building else "")
        super().visit_Tuple(node, frame)
        self.write(")" if building else "")

    def visit_Block(self, node: nodes.Block, frame: Frame) -> None:  # noqa: N802
        """Write a block; an outlined one sees the names around it."""
        # To say so in the tree would put Jinja's `loop` into every loop around it, over a variable of that name.
        outlined = copy(node)
        outlined.scoped = node.scoped or node.name.startswith(OUTLINED)
        super().visit_Block(outlined, frame)

    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:  # noqa: N802
        """Write an include of what is found when the template gets there."""
        super().visit_Include(_loaded_by("include", node), frame)

    def visit_Import(self, node: nodes.Import, frame: Frame) -> None:  # noqa: N802
        """Write an import of what is found when the template gets there."""
        super().visit_Import(_loaded_by("find_module", node), frame)

    def visit_FromImport(self, node: nodes.FromImport, frame: Frame) -> None:  # noqa: N802
        """Write an import of what is found when the template gets there."""
        super().visit_FromImport(_loaded_by("find_module", node), frame)

    def visit_Extends(self, node: nodes.Extends, frame: Frame) -> None:  # noqa: N802
        """Write an extension of what is found when the template gets there."""
        super().visit_Extends(_loaded_by("find_parent", node), frame)


def _loaded_by(function: str, node: Loading) -> Loading:
    loading = copy(node)
    arguments = [nodes.ContextReference(), node.template]
    loading.template = nodes.Call(nodes.EnvironmentAttribute(function), arguments, [], None, None, lineno=node.lineno)
    return loading
