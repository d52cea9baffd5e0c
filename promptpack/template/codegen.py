"""Jinja's code generator, extended: keys, partials and filters in our own way, and all work is counted."""

from copy import copy
from typing import Any, Final, TypeVar

from jinja2 import nodes
from jinja2.compiler import Frame, operators

from promptpack.template.output_codegen import OutputGenerator
from promptpack.template.tree import OUTLINED

# The `ctx` of a lookup that is called: `order.items()` is the method, `order.items` the key.
METHOD: Final = "method"
_CONTAINMENT: Final = ("in", "notin")
# Filters that return a whole number.
_COUNTING: Final = ("count", "length")
_SMALL_LITERAL: Final = 16

_SHORT_TEXT: Final = "is str and len({0}) < 64"
INLINE_FILTERS: Final = {
    "capitalize": (_SHORT_TEXT, "{0}.capitalize()"),
    "count": ("in (list, dict, str)", "len({0})"),
    "length": ("in (list, dict, str)", "len({0})"),
    "lower": (_SHORT_TEXT, "{0}.lower()"),
    "trim": (_SHORT_TEXT, "{0}.strip()"),
    "upper": (_SHORT_TEXT, "{0}.upper()"),
}
"""Filters written inline: the condition on the value's type, and the result."""
_INLINE_TESTS: Final = {
    "defined": "not isinstance({0}, Undefined)",
    "false": "{0} is False",
    "mapping": "type({0}) is dict or {1}({0})",
    "none": "{0} is None",
    "string": "isinstance({0}, str)",
    "true": "{0} is True",
    "undefined": "isinstance({0}, Undefined)",
}
"""Tests written inline: the result for a value; `{1}` is the test itself."""
# Filters that do nothing before their result is iterated over, and what Jinja passes to them first.
_DEFERRED: Final = {"map": "context", "reject": "context", "select": "context", "unique": "environment"}
_CONSUMERS: Final = ("flatten", "list", "sort")

Loading = TypeVar("Loading", nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


class PackGenerator(OutputGenerator):
    """Writes the code of templates; partials are looked up in the include stack when the template reaches them."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Filters whose result is iterated over at once.
        self._undeferred: set[nodes.Node] = set()

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 -- Jinja's visitor name
        """Write the lookup of a method or of a key."""
        if node.ctx != METHOD:
            super().visit_Getattr(node, frame)
            return
        self.write("environment.method(")
        self.visit(node.node, frame)
        self.write(f", {node.attr!r})")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """Write a call; our own functions, which templates cannot name, bypass the sandbox check."""
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
        """Write a comparison; unless one side is a constant, the sizes are counted first."""
        left = node.expr
        self.write("(")
        for index, operand in enumerate(node.ops):
            if index:
                self.write(" and ")
            self._write_comparison(operand.op, left, operand.expr, frame)
            left = operand.expr
        self.write(")")

    def _write_comparison(self, operator: str, left: nodes.Expr, right: nodes.Expr, frame: Frame) -> None:
        if operator in _CONTAINMENT:
            is_cheap = isinstance(right, nodes.Const) or _is_small_literal(right)
        else:
            is_cheap = _is_small(left) or _is_small(right)
        if is_cheap:
            self.write("(")
            self.visit(left, frame)
            self.visit(nodes.Operand(operator, right), frame)
        elif operator in _CONTAINMENT:
            self.write(f"environment.compare({operator!r}, ")
            self.visit(left, frame)
            self.write(", ")
            self.visit(right, frame)
        else:
            first, second = self.temporary_identifier(), self.temporary_identifier()
            self.write(f"({first} {operators[operator]} {second} if type({first} := ")
            self.visit(left, frame)
            self.write(f") is type({second} := ")
            self.visit(right, frame)
            self.write(f") is str and len({first}) < 64 > len({second}) else ")
            self.write(f"environment.compare({operator!r}, {first}, {second})")
        self.write(")")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        """Write `a ~ b`."""
        self.write("environment.concatenate((")
        for value in node.nodes:
            self.visit(value, frame)
            self.write(", ")
        self.write("))")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        """Write a lookup, or a slice."""
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
        self.write("environment.slice_value(")
        for argument in (node.node, node.arg.start, node.arg.stop, node.arg.step):
            self.visit(argument or nodes.Const(None), frame)
            self.write(", ")
        self.write(")")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:  # noqa: N802
        """Write a list; the work of a small one of constants is counted as that of its nodes."""
        is_small = _is_small_literal(node)
        self.write("" if is_small else "environment.check_size(")
        super().visit_List(node, frame)
        self.write("" if is_small else ")")

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802
        """Write a mapping."""
        self.write("environment.check_size(")
        super().visit_Dict(node, frame)
        self.write(")")

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:  # noqa: N802
        """Write a tuple, or the targets of an assignment."""
        is_value = node.ctx == "load"
        self.write("environment.check_size(" if is_value else "")
        super().visit_Tuple(node, frame)
        self.write(")" if is_value else "")

    def visit_Block(self, node: nodes.Block, frame: Frame) -> None:  # noqa: N802
        """Write a block; an outlined one sees the names around it."""
        # Set on a copy: in the tree, it would make Jinja replace a variable named `loop` in every loop around it.
        outlined = copy(node)
        outlined.scoped = node.scoped or node.name.startswith(OUTLINED)
        super().visit_Block(outlined, frame)

    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:  # noqa: N802
        """Write an include."""
        super().visit_Include(load_with("include", node), frame)

    def visit_Import(self, node: nodes.Import, frame: Frame) -> None:  # noqa: N802
        """Write an import."""
        super().visit_Import(load_with("find_module", node), frame)

    def visit_FromImport(self, node: nodes.FromImport, frame: Frame) -> None:  # noqa: N802
        """Write an import."""
        super().visit_FromImport(load_with("find_module", node), frame)

    def visit_Extends(self, node: nodes.Extends, frame: Frame) -> None:  # noqa: N802
        """Write an extension."""
        super().visit_Extends(load_with("find_parent", node), frame)

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802
        """Write a filter; cheap filters are written inline."""
        is_bare = not (node.args or node.kwargs or node.dyn_args or node.dyn_kwargs)
        if node.node is not None and node.name in INLINE_FILTERS and is_bare:
            self._write_inline(node.name, node.node, frame)
            return
        if node.name in _CONSUMERS or node in self._undeferred:
            self._consume(node)
        if node.name == "list" and node.node is not None and is_bare:
            self.write("meter.collect(")
            self.visit(node.node, frame)
            self.write(", 1)")
        elif node in self._undeferred:
            self.write(f"{self.filters[node.name]}.at_once({_DEFERRED[node.name]}, ")
            self.visit(node.node, frame)  # type: ignore[arg-type]  # only a block has none
            self.signature(node, frame)
            self.write(")")
        else:
            super().visit_Filter(node, frame)

    def _consume(self, node: nodes.Filter) -> None:
        """Run the filter before this one at once, if nothing else must be evaluated first."""
        before = node.node
        is_constant = all(isinstance(one, nodes.Const) for one in node.args + [one.value for one in node.kwargs])
        is_constant = is_constant and not (node.dyn_args or node.dyn_kwargs)
        if is_constant and isinstance(before, nodes.Filter) and before.name in _DEFERRED:
            self._undeferred.add(before)

    def _write_inline(self, filter_name: str, value: nodes.Expr, frame: Frame) -> None:
        name = self.temporary_identifier()
        condition, result = INLINE_FILTERS[filter_name]
        self.write(f"({result.format(name)} if type({name} := ")
        self.visit(value, frame)
        self.write(f") {condition.format(name)} else {self.filters[filter_name]}({name}))")

    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:  # noqa: N802
        """Write a test; cheap tests are written inline."""
        if node.name not in _INLINE_TESTS or node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
            super().visit_Test(node, frame)
            return
        name = self.temporary_identifier()
        first, rest = _INLINE_TESTS[node.name].split("{0}", 1)
        self.write(f"({first}({name} := ")
        self.visit(node.node, frame)
        self.write(f"){rest.format(name, self.tests[node.name])})")


def _is_small(node: nodes.Expr) -> bool:
    """Return whether comparing a value with this one is quick: a constant, or a number."""
    return isinstance(node, nodes.Const) or (isinstance(node, nodes.Filter) and node.name in _COUNTING)


def _is_small_literal(node: nodes.Expr) -> bool:
    """Return whether an expression is a short list of constants."""
    if not isinstance(node, nodes.List) or len(node.items) > _SMALL_LITERAL:
        return False
    return all(isinstance(item, nodes.Const) for item in node.items)


def load_with(function: str, node: Loading, *more: nodes.Expr) -> Loading:
    """Return a tag whose partial a function of the environment finds."""
    loading = copy(node)
    arguments = [nodes.ContextReference(), node.template, *more]
    loading.template = nodes.Call(nodes.EnvironmentAttribute(function), arguments, [], None, None, lineno=node.lineno)
    return loading
