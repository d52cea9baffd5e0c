"""Filters and tests in generated code: cheap ones are written inline, lazy ones run at once if that gives the same."""

from typing import Any, Final

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

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


class FilterGenerator(CodeGenerator):
    """Writes filters and tests."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Filters whose result is iterated over at once.
        self._undeferred: set[nodes.Node] = set()

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
