"""A slot prompt as data, JSON or YAML that `imports` reads back."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptpack.pack.output.sanitize import sanitize
from promptpack.pack.output.type_entry import BareTuple, TypeEntry
from promptpack.prompt.slots import json_text, yaml_text


def export_data(data: dict[Any, Any]) -> dict[str, Any]:
    """Give the slots as serializable data; nothing is checked."""
    exported: dict[str, Any] = sanitize({**data, "output": _schema(data["output"])} if "output" in data else data)
    return exported


def export_json(data: dict[Any, Any]) -> str:
    """Write the slots as JSON."""
    return json_text.dump(export_data(data))


def export_yaml(data: dict[Any, Any]) -> str:
    """Write the slots as YAML."""
    return yaml_text.dump(export_data(data), sort_keys=False)


def _schema(value: Any) -> Any:
    """Convert the output: tuples are described types, but only where nothing but mappings stand above them."""
    if isinstance(value, Mapping):
        return {key: _schema(item) for key, item in value.items()}
    if isinstance(value, TypeEntry):
        return _entry(value)
    if isinstance(value, tuple) and value:
        description = ";".join([item for item in value[1:] if item])
        kind = _unfolded(value[0])
        return {"$type": kind, "$desc": description} if description else {"$type": kind}
    if isinstance(value, Sequence) and not isinstance(value, str):
        # [export] every other sequence is an array, bytes too, and its tuples stay tuples
        return [_unfolded(item) for item in value]
    return value


def _entry(entry: TypeEntry) -> Any:
    if isinstance(entry, BareTuple):
        return tuple([_unfolded(item) for item in entry])
    kind = _unfolded(entry[0]) if entry.written is None else entry.written
    return {"$type": kind, "$desc": entry[1]} if len(entry) > 1 else {"$type": kind}


def _unfolded(value: Any) -> Any:
    """Write the entries inside a structure as they were read."""
    if isinstance(value, TypeEntry):
        return _entry(value)
    if isinstance(value, dict):
        return {key: _unfolded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unfolded(item) for item in value]
    if isinstance(value, tuple):
        return tuple([_unfolded(item) for item in value])
    return value
