"""Jinja's syntax trees: iterate over them, copy them, and decide whether one always compiles."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

from jinja2 import nodes

from promptpack.template.positions import START

# Neither Jinja nor Python refuses a tree of only these nodes, with few levels, that meets the policy.
_COMPILABLE: Final = frozenset((
    nodes.Add, nodes.And, nodes.Assign, nodes.Call, nodes.Compare, nodes.Concat, nodes.CondExpr, nodes.Const,
    nodes.ContextReference, nodes.Dict, nodes.Div, nodes.ExprStmt, nodes.Filter, nodes.FloorDiv, nodes.For,
    nodes.Getattr, nodes.Getitem, nodes.If, nodes.ImportedName, nodes.Include, nodes.Keyword, nodes.List, nodes.Mod,
    nodes.Mul, nodes.Name, nodes.Neg, nodes.Not, nodes.Operand, nodes.Or, nodes.Output, nodes.Pair, nodes.Slice,
    nodes.Sub, nodes.Template, nodes.TemplateData, nodes.Test, nodes.Tuple,
))  # fmt: skip
_LEAVES: Final = frozenset((nodes.Const, nodes.Name, nodes.TemplateData))
_CALLS: Final = frozenset((nodes.Call, nodes.Filter, nodes.Test))
_COMPILABLE_LEVELS: Final = 16

HANDLEBARS_VALUES: Final = "promptpack.template.handlebars_values"
"""The module whose functions the trees of Handlebars templates call."""
OUTLINED: Final = "_outlined_"
"""Starts the names of blocks that exist only because Python limits the nesting in one function."""

Tree = TypeVar("Tree", bound=nodes.Node)


def children(node: nodes.Node, *fields: str) -> list[nodes.Node]:
    """Return the nodes directly below a node, or only those of some fields; faster than `iter_child_nodes`."""
    found: list[nodes.Node] = []
    values: Any = node.__dict__
    for name in fields or node.fields:
        value = values.get(name)
        kind = type(value)
        if kind is list:
            found += [item for item in value if isinstance(item, nodes.Node)]
        elif kind is not str and isinstance(value, nodes.Node):
            found.append(value)
    return found


def levels(tree: nodes.Node) -> list[list[nodes.Node]]:
    """Return the nodes of a tree by level: the tree itself, its children, their children and so on."""
    found = [[tree]]
    while level := [child for node in found[-1] if type(node) not in _LEAVES for child in children(node)]:
        found.append(level)
    return found


def descendants(tree: nodes.Node) -> list[nodes.Node]:
    """Return a tree and all nodes below it, level by level."""
    return [node for level in levels(tree) for node in level]


def constant_tree(text: str) -> nodes.Template:
    """Return the tree of a template without tags."""
    data = nodes.TemplateData(text, lineno=START)
    return nodes.Template([nodes.Output([data], lineno=START)] if text else [], lineno=1)


def constant_text(tree: nodes.Template) -> str | None:
    """Return the text of a template without tags, or None for any other template."""
    pieces = [piece for node in tree.body for piece in (node.nodes if type(node) is nodes.Output else (None,))]
    constants = [piece.data for piece in pieces if type(piece) is nodes.TemplateData]
    return "".join(constants) if len(constants) == len(pieces) else None


def copy_tree(tree: Tree) -> Tree:
    """Return a deep copy of a tree."""
    copy = object.__new__(type(tree))
    copy.__dict__.update({name: _copy_value(value) for name, value in tree.__dict__.items()})
    return copy


def _copy_value(value: Any) -> Any:
    if isinstance(value, nodes.Node):
        return copy_tree(value)
    return [_copy_value(item) for item in value] if type(value) is list else value


def is_always_compilable(levels: Sequence[Iterable[nodes.Node]]) -> bool:
    """Return whether compiling a tree that meets the policy cannot fail, and so can be lazy."""
    return len(levels) <= _COMPILABLE_LEVELS and all(
        _COMPILABLE.issuperset(map(type, level)) and all(map(_is_compilable, level)) for level in levels
    )


def _is_compilable(node: nodes.Node) -> bool:
    # Jinja refuses to set `loop` inside a loop, and Python a repeated keyword argument.
    if type(node) is nodes.Name:
        return node.ctx == "load" or node.name != "loop"
    if type(node) not in _CALLS or not node.kwargs:  # type: ignore[attr-defined]
        return True
    keywords: Sequence[nodes.Keyword] = node.kwargs  # type: ignore[attr-defined]
    return len({keyword.key for keyword in keywords}) == len(keywords)


def name_looked_up(call: nodes.Call) -> str | None:
    """Return the variable that a Handlebars call looks up, or None for any other call."""
    keys = _keys_looked_up(call)
    return keys[0] if keys else None


def path_looked_up(call: nodes.Call) -> nodes.Expr | None:
    """Return the path that a Handlebars call looks up, as Jinja's lookups; None for any other call."""
    if _calls(call, "follow"):
        return _follow_path(call.args[0], [key.value for key in call.args[1:]])  # type: ignore[attr-defined]  # constants
    keys = _keys_looked_up(call)
    return _follow_path(nodes.Name(keys[0], "load", lineno=call.lineno), keys[1:]) if keys else None


def _keys_looked_up(call: nodes.Call) -> list[str]:
    if not _calls(call, "look_up"):
        return []
    keys: list[str] = call.args[1].value.split(".")  # type: ignore[attr-defined]  # a constant
    return ["item", *keys[1:]] if keys[0] == "this" else keys


def _calls(call: nodes.Call, function: str) -> bool:
    return isinstance(call.node, nodes.ImportedName) and call.node.importname == f"{HANDLEBARS_VALUES}.{function}"


def _follow_path(owner: nodes.Expr, keys: Iterable[str]) -> nodes.Expr:
    for key in keys:
        if key.isdecimal():
            owner = nodes.Getitem(owner, nodes.Const(int(key[:9])), "load", lineno=owner.lineno)
        else:
            owner = nodes.Getattr(owner, key, "load", lineno=owner.lineno)
    return owner
