"""Find keys that the contract does not declare; they stay in the data."""

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
