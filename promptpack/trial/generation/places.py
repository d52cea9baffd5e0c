"""Places in JSON values: list them, and replace or remove the value at a place."""

from collections.abc import Iterator, Mapping
from typing import Any

from promptpack.schema.pointers import ValuePath


def iterate_places(value: Any, path: ValuePath = ()) -> Iterator[tuple[ValuePath, Any]]:
    """Yield every place in a value with the value there, outer ones first."""
    yield path, value
    members = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from iterate_places(member, (*path, step))


def put(value: Any, path: ValuePath, changed: Any) -> Any:
    """Return a copy with another value at a place."""
    if not path:
        return changed
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        return [put(item, rest, changed) if index == step else item for index, item in enumerate(value)]
    return {**value, step: put(value.get(step), rest, changed)}
