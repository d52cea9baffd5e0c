"""How many steps an iteration of a loop, or a call of a macro or block, counts as."""

from collections.abc import Iterable
from typing import Final

from jinja2 import nodes

from promptpack.template.tree import children

STEPS_OF_A_CALL: Final = 25
"""Entering a template, macro or block takes as long as this many iterations of a loop."""
_CALLED: Final = (nodes.Template, nodes.Macro, nodes.CallBlock, nodes.Block)
_COUNTED: Final = (nodes.For, *_CALLED)
# Fields of a loop or macro that are computed before its body is entered.
_OUTSIDE: Final = ("iter", "else_", "call", "defaults")
# Nodes that take longer than a lookup or an operator, in quarters of a step.
_QUARTERS: Final[dict[type[nodes.Node], int]] = {
    nodes.For: 16,
    nodes.Macro: 16,
    nodes.CallBlock: 16,
    nodes.Block: 16,
    nodes.Call: 8,
    nodes.Include: 40,
    nodes.Import: 40,
    nodes.FromImport: 40,
    nodes.FilterBlock: 8,
    nodes.AssignBlock: 8,
    nodes.With: 4,
    nodes.Filter: 4,
    nodes.Test: 4,
}


def insert_step_counts(tree: Iterable[nodes.Node]) -> None:
    """Insert a count of steps into the template and each of its macros and blocks; loops count their iterations."""
    for node in tree:
        if isinstance(node, _CALLED):
            body: list[nodes.Node] = node.body
            steps = nodes.Const(steps_per_call(node))
            position = 1 if body and isinstance(body[0], nodes.Extends) else 0
            body.insert(position, nodes.ExprStmt(steps, lineno=node.lineno))


def steps_per_call(node: nodes.Node) -> int:
    """Return the steps of running a template, macro or block once; loops in it count their own."""
    return STEPS_OF_A_CALL + _quarters(node) // 4


def steps_per_iteration(loop: nodes.For) -> int:
    """Return the steps of one iteration of a loop; inner loops count their own."""
    return 1 + _quarters(loop) // 4


def _quarters(node: nodes.Node) -> int:
    """Return the work of running a body once, in quarters of a step."""
    pending = _inside(node)
    total = 0
    while pending:
        inner = pending.pop()
        total += _QUARTERS.get(type(inner), 1)
        pending += _outside(inner) if isinstance(inner, _COUNTED) else children(inner)
    return total


def _inside(node: nodes.Node) -> list[nodes.Node]:
    return [child for name in node.fields if name not in _OUTSIDE for child in children(node, name)]


def _outside(node: nodes.Node) -> list[nodes.Node]:
    return [child for name in node.fields if name in _OUTSIDE for child in children(node, name)]
