"""How much a template does: the steps that one pass through a loop, macro or block is counted as."""

from collections.abc import Iterable
from typing import Final

from jinja2 import nodes

from promptpack.template.tree import children

# A macro or block takes as long to enter as this many passes through a loop.
_STEPS_OF_A_CALL: Final = 25
_CALLED: Final = (nodes.Macro, nodes.CallBlock, nodes.Block)
_COUNTED: Final = (nodes.For, *_CALLED)
# What belongs to a loop or macro and yet is worked out before its body is entered.
_OUTSIDE: Final = ("iter", "else_", "call", "defaults")
# What takes longer than a look-up or an operator does.
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


def count_work(tree: nodes.Template, descendants: Iterable[nodes.Node]) -> None:
    """Put a count of steps into the template and into each macro and block of it; loops count their own passes."""
    for node in [tree, *(node for node in descendants if isinstance(node, _CALLED))]:
        body: list[nodes.Node] = node.body
        steps = nodes.Const(_STEPS_OF_A_CALL + _work(node) // 4)
        position = 1 if body and isinstance(body[0], nodes.Extends) else 0
        body.insert(position, nodes.ExprStmt(steps, lineno=node.lineno))


def steps_of_a_pass(loop: nodes.For) -> int:
    """Return the steps of one pass through a loop; the loops in it count their own."""
    return 1 + _work(loop) // 4


def _work(node: nodes.Node) -> int:
    """Return the work of one pass through a body, in quarters of a step."""
    waiting = _inside(node)
    total = 0
    while waiting:
        found = waiting.pop()
        total += _QUARTERS.get(type(found), 1)
        waiting += _outside(found) if isinstance(found, _COUNTED) else children(found)
    return total


def _inside(node: nodes.Node) -> list[nodes.Node]:
    return [child for name in node.fields if name not in _OUTSIDE for child in children(node, name)]


def _outside(node: nodes.Node) -> list[nodes.Node]:
    return [child for name in node.fields if name in _OUTSIDE for child in children(node, name)]
