"""Keys that a contract does not know: they are kept, and told of."""

from collections.abc import Iterator
from typing import Any

from promptpack.reply.shape import Shape
from promptpack.reply.tree import escape


def find_extras(value: Any, shape: Shape) -> tuple[str, ...]:
    """Give the pointers of keys that the contract does not know; objects that it leaves free have none."""
    return tuple(_extras(value, shape, ""))


def _extras(value: Any, shape: Shape, path: str) -> Iterator[str]:
    if isinstance(value, list) and shape.items is not None:
        for index, item in enumerate(value):
            yield from _extras(item, shape.items, f"{path}/{index}")
    if not isinstance(value, dict):
        return
    full = shape.with_conditions(value)
    for key, item in value.items():
        place, inner = f"{path}/{escape(key)}", full.properties.get(key, full.extra)
        if inner is not None:
            yield from _extras(item, inner, place)
        elif not full.knows(key):
            yield place
