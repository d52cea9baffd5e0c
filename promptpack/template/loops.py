"""What `loop` is inside of a loop: Jinja's own, and one for lists, whose items are all known and so quicker to walk."""

from collections.abc import Iterable, Iterator
from typing import Any

from jinja2.runtime import LoopContext, Undefined


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
