"""Find keys that the contract does not declare, and declared keys that the end of a reply may have cut off."""

from collections.abc import Iterator
from typing import Any

from promptpack.reply.shape import Shape
from promptpack.reply.syntax_tree import escape


def find_extras(value: Any, shape: Shape) -> tuple[str, ...]:
    """Return the pointers of undeclared keys; an object for which the contract declares no keys has none."""
    return tuple(_extras(value, shape, ""))


def _extras(value: Any, shape: Shape, path: str) -> Iterator[str]:
    if isinstance(value, list) and shape.items is not None:
        for index, item in enumerate(value):
            yield from _extras(item, shape.items, f"{path}/{index}")
    if not isinstance(value, dict):
        return
    full = shape.with_conditions(value)
    for key, item in value.items():
        pointer, inner = f"{path}/{escape(key)}", full.properties.get(key, full.extra)
        if inner is not None:
            yield from _extras(item, inner, pointer)
        elif not full.declares(key):
            yield pointer


def find_lost_keys(value: Any, shape: Shape, *, levels: int) -> Iterator[str]:
    """Yield the pointers of absent keys in the last containers, outermost first: those that the end left open."""
    path = ""
    for _ in range(levels):
        if isinstance(value, dict):
            full = shape.with_conditions(value)
            yield from (f"{path}/{escape(name)}" for name in full.properties if name not in value)
            key, inner = next(reversed(value.items()), ("", None))
            shape, path = full.properties.get(key) or shape.empty, f"{path}/{escape(key)}"
        elif isinstance(value, list) and value:
            shape, path, inner = shape.items or shape.empty, f"{path}/{len(value) - 1}", value[-1]
        else:
            return
        value = inner
