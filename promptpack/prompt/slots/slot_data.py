"""Copy, merge, inherit and look up slot data by key or dotted path."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from promptpack.pack.output.type_entry import ATOMS, TypeEntry


def copy_data(value: Any) -> Any:
    """Copy dicts, lists, sets and tuples as the plain types (a named tuple becomes a tuple); share other values."""
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
    """Merge a value into an existing one: mappings and lists grow, anything else is replaced."""
    if isinstance(existing, dict) and isinstance(value, Mapping):
        combined = dict(existing)
        for key, item in value.items():
            combined[key] = merge_data(combined[key], item) if key in combined else copy_data(item)
        return combined
    if isinstance(existing, list):
        is_plural = isinstance(value, Sequence) and not isinstance(value, str)
        return _add_missing(existing, copy_data(value) if is_plural else [copy_data(value)])
    if isinstance(existing, set):
        is_plural = isinstance(value, Iterable) and not isinstance(value, str)
        return existing | set(copy_data(value) if is_plural else [copy_data(value)])
    return copy_data(value)


def inherit_data(own: Any, parent: Any) -> Any:
    """Combine a value with its parent's: in lists the child's items come first, in mappings the parent's keys."""
    if isinstance(own, dict) and isinstance(parent, dict):
        combined = {key: copy_data(item) for key, item in parent.items()}
        for key, item in own.items():
            combined[key] = inherit_data(item, combined[key]) if key in combined else copy_data(item)
        return combined
    if isinstance(own, list):
        is_plural = isinstance(parent, list | tuple | set)
        return _add_missing(copy_data(own), parent if is_plural else [parent])
    if isinstance(own, set):
        is_plural = isinstance(parent, list | tuple | set)
        return own | set(parent if is_plural else [parent])
    return copy_data(own)


def find(data: Any, key: Any) -> tuple[bool, Any]:
    """Look up a key or dotted path; return whether it exists, and the value.

    [container] A path through a value that is not a mapping raises Python's own TypeError, as in the original.
    """
    if not isinstance(key, str) or "." not in key:
        return (True, data[key]) if key in data else (False, None)
    for name in key.split("."):
        if name not in data:
            return False, None
        data = data[name]
    return True, data


def find_in_dicts(data: Any, key: Any) -> tuple[bool, Any]:
    """Look up a key or dotted path through dicts only; return whether it exists, and the value."""
    for name in key.split(".") if isinstance(key, str) else [key]:
        if not isinstance(data, dict) or name not in data:
            return False, None
        data = data[name]
    return True, data


def merge_at(data: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """Return the data with a value merged in at a key or dotted path."""
    found, existing = find_in_dicts(data, key)
    if found:
        return set_at(data, key, merge_data(existing, value))
    # [container] at a path, any other mapping becomes a dict
    is_path = isinstance(key, str) and "." in key
    return set_at(data, key, merge_data({}, value) if is_path and isinstance(value, Mapping) else copy_data(value))


def set_at(data: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """Return the data with the value set at a key or dotted path; create missing mappings on the way."""
    if not isinstance(key, str) or "." not in key:
        return {**data, key: value}
    return _set_at_path(data, key.split("."), 0, value)


def delete_at(data: dict[Any, Any], key: Any) -> dict[Any, Any]:
    """Return the data without a key or dotted path; ignore one that does not exist."""
    if not isinstance(key, str) or "." not in key:
        return {name: item for name, item in data.items() if name != key}
    head, _, rest = key.partition(".")
    inner = data.get(head)
    return {**data, head: delete_at(inner, rest)} if isinstance(inner, dict) else data


def _set_at_path(data: Any, names: Sequence[str], depth: int, value: Any) -> dict[Any, Any]:
    if not isinstance(data, dict):
        path, obstacle = ".".join(names), ".".join(names[:depth])
        raise TypeError(f"Can not set value to path '{path}' because '{obstacle}' is not a dictionary.")
    name = names[depth]
    if depth == len(names) - 1:
        return {**data, name: value}
    return {**data, name: _set_at_path(data.get(name, {}), names, depth + 1, value)}


def _add_missing(items: list[Any], more: Iterable[Any]) -> list[Any]:
    combined = list(items)
    for item in more:
        if item not in combined:
            combined.append(item)
    return combined
