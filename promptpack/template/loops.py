"""What `loop` is inside of a loop: a number, one for lists, whose items are all known, or Jinja's own."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from jinja2 import nodes
from jinja2.runtime import LoopContext, Undefined

NUMBER: Final = "_loop_number"
"""The variable that stands for `loop` where only the number of the pass is asked for; no template can name it."""

NUMBERED: Final = {"index": "{0} + 1", "index0": "{0}", "first": "{0} == 0"}
"""What can be asked of the number of a pass."""

_OTHER_SCOPES: Final = (nodes.Macro, nodes.CallBlock, nodes.Block, nodes.Include)


def number_loops(tree: nodes.Template) -> None:
    """Have loops count their passes where that is all that their `loop` is used for."""
    for loop in tree.find_all(nodes.For):
        uses = list(_uses_of_loop(loop.body))
        if uses and loop.test is None and all(map(_asks_for_number, uses)):
            loop.target = nodes.Tuple([nodes.Name(NUMBER, "store"), loop.target], "store", lineno=loop.target.lineno)
            for use in uses:
                use.node.name = NUMBER  # type: ignore[attr-defined]


def is_numbered(loop: nodes.For) -> bool:
    """Say whether a loop counts its passes."""
    target = loop.target
    return isinstance(target, nodes.Tuple) and getattr(target.items[0], "name", None) == NUMBER


def _uses_of_loop(parts: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Find all that has to do with the `loop` of a body: where a number will do, and where it may not."""
    for part in parts:
        if _asks_for_number(part) or _is_loop(part) or isinstance(part, _OTHER_SCOPES):
            yield part
        else:
            yield from _uses_of_loop(part.iter_child_nodes(exclude=("body",) if isinstance(part, nodes.For) else None))


def _asks_for_number(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Getattr) and node.attr in NUMBERED and node.ctx == "load" and _is_loop(node.node)


def _is_loop(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "loop"


class Loop(LoopContext):
    """The `loop` variable; `index0` moves on as `walk` does."""

    def __init__(self, items: list[Any], undefined: type[Undefined]) -> None:
        super().__init__(items, undefined)
        self._items = items

    @property
    def length(self) -> int:
        """How many items there are."""
        return len(self._items)

    @property
    def last(self) -> bool:
        """Whether this is the last item."""
        return self.index0 == len(self._items) - 1

    @property
    def previtem(self) -> Any:
        """The item before this one."""
        return self._items[self.index0 - 1] if self.index0 else self._undefined("there is no previous item")

    @property
    def nextitem(self) -> Any:
        """The item after this one."""
        return self._undefined("there is no next item") if self.last else self._items[self.index0 + 1]


def walk(values: Iterable[Any], undefined: type[Undefined]) -> Iterable[tuple[Any, LoopContext]]:
    """Give each item with the `loop` that stands at it; what is not a list may be lazy, and is left to Jinja."""
    return _walk(values, undefined) if type(values) is list else LoopContext(values, undefined)


def _walk(items: list[Any], undefined: type[Undefined]) -> Iterator[tuple[Any, Loop]]:
    loop = Loop(items, undefined)
    for loop.index0, item in enumerate(items):
        yield item, loop
