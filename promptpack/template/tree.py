"""Jinja's syntax trees, walked at once, and those of which code can certainly be made."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from jinja2 import nodes

# With these alone, and no deeper than this, neither Jinja nor Python refuses the code of a tree that meets the policy.
_CERTAIN: Final = frozenset((
    nodes.Add, nodes.And, nodes.Assign, nodes.Call, nodes.Compare, nodes.Concat, nodes.CondExpr, nodes.Const,
    nodes.Dict, nodes.Div, nodes.ExprStmt, nodes.Filter, nodes.FloorDiv, nodes.For, nodes.Getattr, nodes.Getitem,
    nodes.If, nodes.Include, nodes.Keyword, nodes.List, nodes.Mod, nodes.Mul, nodes.Name, nodes.Neg, nodes.Not,
    nodes.Operand, nodes.Or, nodes.Output, nodes.Pair, nodes.Slice, nodes.Sub, nodes.Template, nodes.TemplateData,
    nodes.Test, nodes.Tuple,
))  # fmt: skip
_DEEPEST: Final = 16

HANDLEBARS_VALUES: Final = "promptpack.template.handlebars_values"
"""The module whose functions the trees of Handlebars templates call."""
OUTLINED: Final = "_outlined_"
"""Starts the names of blocks that exist only because Python limits the nesting in one function."""

Tree = TypeVar("Tree", bound=nodes.Node)


def children(node: nodes.Node, *fields: str) -> list[nodes.Node]:
    """Return the nodes directly below a node, or only those of some fields; faster than `iter_child_nodes`."""
    found: list[nodes.Node] = []
    for name in fields or node.fields:
        value: Any = getattr(node, name, None)
        if isinstance(value, nodes.Node):
            found.append(value)
        elif type(value) is list:
            found += [item for item in value if isinstance(item, nodes.Node)]
    return found


def descendants(tree: nodes.Node) -> list[nodes.Node]:
    """Give everything below a node, in the order in which it is written."""
    found: list[nodes.Node] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += children(node)[::-1]
    return found[1:]


def copied(tree: Tree) -> Tree:
    """Copy a tree, sharing nothing that can be changed."""
    copy = object.__new__(type(tree))
    copy.__dict__.update({name: _copied(value) for name, value in tree.__dict__.items()})
    return copy


def _copied(value: Any) -> Any:
    if isinstance(value, nodes.Node):
        return copied(value)
    return [_copied(item) for item in value] if type(value) is list else value


def is_certain(tree: nodes.Template) -> bool:
    """Say whether making code of a tree that meets the policy cannot fail, and so can wait."""
    level: list[nodes.Node] = [tree]
    for _ in range(_DEEPEST):
        if not all(map(_is_plain, level)):
            return False
        level = [child for node in level for child in children(node)]
        if not level:
            return True
    return False


def _is_plain(node: nodes.Node) -> bool:
    if type(node) not in _CERTAIN:
        return False
    # `loop` cannot be set inside of a loop, and no argument given twice.
    if isinstance(node, nodes.Name):
        return node.ctx == "load" or node.name != "loop"
    keywords: Sequence[nodes.Keyword] = getattr(node, "kwargs", None) or ()
    return len({keyword.key for keyword in keywords}) == len(keywords)


def name_looked_up(call: nodes.Call) -> str | None:
    """Return the variable that a Handlebars call looks up, or None for any other call."""
    if isinstance(call.node, nodes.ImportedName) and call.node.importname == f"{HANDLEBARS_VALUES}.look_up":
        name = call.args[1]
        return name.value if isinstance(name, nodes.Const) else None
    return None
