"""The plain counter in place of `loop` in loops that use only the number of the iteration."""

from collections.abc import Iterable, Iterator
from typing import Final

from jinja2 import nodes

COUNTER: Final = "__loop_counter"
"""The variable that replaces `loop` where only the number of the iteration is used; templates cannot name it."""

COUNTER_CODE: Final = {"index": "{0} + 1", "index0": "{0}", "first": "{0} == 0"}
"""The attributes of `loop` that a counter can compute, with their code."""

_OTHER_SCOPES: Final = (nodes.Macro, nodes.CallBlock, nodes.Block, nodes.Include)


def add_counters(tree: nodes.Template) -> None:
    """Replace `loop` by a counter in loops that use only the number of the iteration."""
    for loop in tree.find_all(nodes.For):
        uses = list(_uses_of_loop(loop.body))
        if uses and loop.test is None and all(map(_reads_counter, uses)):
            loop.target = nodes.Tuple([nodes.Name(COUNTER, "store"), loop.target], "store", lineno=loop.target.lineno)
            for use in uses:
                use.node.name = COUNTER  # type: ignore[attr-defined]


def has_counter(loop: nodes.For) -> bool:
    """Return whether a loop has a counter instead of `loop`."""
    target = loop.target
    return isinstance(target, nodes.Tuple) and getattr(target.items[0], "name", None) == COUNTER


def _uses_of_loop(body: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield every node that uses the `loop` of a body, or may use it."""
    for node in body:
        if _reads_counter(node) or _is_loop(node) or isinstance(node, _OTHER_SCOPES):
            yield node
        else:
            yield from _uses_of_loop(node.iter_child_nodes(exclude=("body",) if isinstance(node, nodes.For) else None))


def _reads_counter(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Getattr) and node.attr in COUNTER_CODE and node.ctx == "load" and _is_loop(node.node)


def _is_loop(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "loop"
