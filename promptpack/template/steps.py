"""How much a template does: the steps that one pass through a loop, macro or block is counted as."""

from typing import Final

from jinja2 import nodes

# A macro or block takes as long to enter as this many passes through a loop.
_STEPS_OF_A_CALL: Final = 25
_COUNTED: Final = (nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block)
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


def count_work(tree: nodes.Template) -> None:
    """Put a count of steps into the template and into every macro and block of it; loops count their own passes."""
    for node in [tree, *tree.find_all((nodes.Macro, nodes.CallBlock, nodes.Block))]:
        body: list[nodes.Node] = node.body  # type: ignore[attr-defined]  # all of these have one
        steps = nodes.Const(_STEPS_OF_A_CALL + _work(node) // 4)
        position = 1 if body and isinstance(body[0], nodes.Extends) else 0
        body.insert(position, nodes.ExprStmt(steps, lineno=node.lineno))


def steps_of_a_pass(loop: nodes.For) -> int:
    """Give the steps of one pass through a loop; loops inside of it count their own."""
    return 1 + _work(loop) // 4


def _work(node: nodes.Node) -> int:
    """Say how much one pass through a body does, in quarters of a step."""
    waiting = list(node.iter_child_nodes(exclude=_OUTSIDE))
    total = 0
    while waiting:
        found = waiting.pop()
        total += _QUARTERS.get(type(found), 1)
        waiting.extend(found.iter_child_nodes(only=_OUTSIDE if isinstance(found, _COUNTED) else None))
    return total
