"""How slot data is copied, merged, inherited and reached by a dotted path."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from promptpack.pack.output.type_entry import ATOMS, TypeEntry


def copy_data(value: Any) -> Any:
    """Rebuild dicts, lists, sets and tuples as the plain types (a named tuple becomes a tuple) and keep all else."""
    if type(value) in ATOMS:
        return value
    if isinstance(value, dict):
        return {key: copy_data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_data(item) for item in value]
    if isinstance(value, TypeEntry):
        return value.convert(copy_data)
    if isinstance(value, tuple):
        return tuple([copy_data(item) for item in value])
    if isinstance(value, set):
        return {copy_data(item) for item in value}
    return value


def merge_data(existing: Any, value: Any) -> Any:
    """Put a value on top of what a slot holds: mappings and lists grow, anything else is replaced."""
    if isinstance(existing, dict) and isinstance(value, Mapping):
        grown = dict(existing)
        for key, item in value.items():
            grown[key] = merge_data(grown[key], item) if key in grown else copy_data(item)
        return grown
    if isinstance(existing, list):
        plural = isinstance(value, Sequence) and not isinstance(value, str)
        return _add_missing(existing, copy_data(value) if plural else [copy_data(value)])
    if isinstance(existing, set):
        plural = isinstance(value, Iterable) and not isinstance(value, str)
        return existing | set(copy_data(value) if plural else [copy_data(value)])
    return copy_data(value)


def inherit(own: Any, above: Any) -> Any:
    """See a value through its parent's: the child's items come first, the parent's keys do."""
    if isinstance(own, dict) and isinstance(above, dict):
        view = {key: copy_data(item) for key, item in above.items()}
        for key, item in own.items():
            view[key] = inherit(item, view[key]) if key in view else copy_data(item)
        return view
    if isinstance(own, list):
        plural = isinstance(above, list | tuple | set)
        return _add_missing(copy_data(own), above if plural else [above])
    if isinstance(own, set):
        plural = isinstance(above, list | tuple | set)
        return own | set(above if plural else [above])
    return copy_data(own)


def find_value(data: Any, key: Any) -> tuple[bool, Any]:
    """Find a key or a dotted path; whether it is there, and the value.

    [container] A path through a value that is no mapping fails with Python's own TypeError, as the original does.
    """
    if not isinstance(key, str) or "." not in key:
        return (True, data[key]) if key in data else (False, None)
    for part in key.split("."):
        if part not in data:
            return False, None
        data = data[part]
    return True, data


def find_in_dicts(data: Any, key: Any) -> tuple[bool, Any]:
    """Find a key or a dotted path through dicts only; whether it is there, and the value."""
    for part in key.split(".") if isinstance(key, str) else [key]:
        if not isinstance(data, dict) or part not in data:
            return False, None
        data = data[part]
    return True, data


def merge_at(data: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """Put a value on top of what the data holds at a key or a dotted path."""
    found, existing = find_in_dicts(data, key)
    if found:
        return set_at(data, key, merge_data(existing, value))
    # [container] a mapping of another kind becomes a dict when a path leads to it
    is_path = isinstance(key, str) and "." in key
    return set_at(data, key, merge_data({}, value) if is_path and isinstance(value, Mapping) else copy_data(value))


def set_at(data: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """Give the data with a finished value at a key or a dotted path, making the mappings on the way."""
    if not isinstance(key, str) or "." not in key:
        return {**data, key: value}
    return _set_at_path(data, key.split("."), 0, value)


def delete_at(data: dict[Any, Any], key: Any) -> dict[Any, Any]:
    """Give the data without a key or a dotted path; what is not there is not missed."""
    if not isinstance(key, str) or "." not in key:
        return {name: item for name, item in data.items() if name != key}
    head, _, rest = key.partition(".")
    inner = data.get(head)
    return {**data, head: delete_at(inner, rest)} if isinstance(inner, dict) else data


def _set_at_path(data: Any, parts: Sequence[str], depth: int, value: Any) -> dict[Any, Any]:
    if not isinstance(data, dict):
        path, obstacle = ".".join(parts), ".".join(parts[:depth])
        raise TypeError(f"Can not set value to path '{path}' because '{obstacle}' is not a dictionary.")
    part = parts[depth]
    if depth == len(parts) - 1:
        return {**data, part: value}
    return {**data, part: _set_at_path(data.get(part, {}), parts, depth + 1, value)}


def _add_missing(items: list[Any], more: Iterable[Any]) -> list[Any]:
    grown = list(items)
    for item in more:
        if item not in grown:
            grown.append(item)
    return grown
