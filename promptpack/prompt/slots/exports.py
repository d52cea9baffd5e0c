"""Slots -> data, JSON or YAML that `imports` reads back."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from promptpack.pack.output.sanitize import sanitize
from promptpack.pack.output.type_entry import BareTuple, TypeEntry


def export_data(data: dict[Any, Any]) -> dict[str, Any]:
    """Return the slots as serializable data without validating them."""
    exported: dict[str, Any] = sanitize({**data, "output": _schema(data["output"])} if "output" in data else data)
    return exported


def export_json(data: dict[Any, Any]) -> str:
    """Write the slots as JSON."""
    return json.dumps(export_data(data), indent=2, ensure_ascii=False)


def export_yaml(data: dict[Any, Any]) -> str:
    """Write the slots as YAML."""
    text: str = yaml.safe_dump(export_data(data), allow_unicode=True, sort_keys=False)
    return text


def _schema(value: Any) -> Any:
    """Convert the output; a tuple is a described type only if all its ancestors are mappings."""
    if isinstance(value, Mapping):
        return {key: _schema(item) for key, item in value.items()}
    if isinstance(value, TypeEntry):
        return _entry(value)
    if isinstance(value, tuple) and value:
        description = ";".join([item for item in value[1:] if item])
        kind = _write_entries(value[0])
        return {"$type": kind, "$desc": description} if description else {"$type": kind}
    if isinstance(value, Sequence) and not isinstance(value, str):
        # [export] every other sequence is an array, even bytes, and tuples inside it stay tuples
        return [_write_entries(item) for item in value]
    return value


def _entry(entry: TypeEntry) -> Any:
    if isinstance(entry, BareTuple):
        return tuple([_write_entries(item) for item in entry])
    kind = _write_entries(entry[0]) if entry.written is None else entry.written
    return {"$type": kind, "$desc": entry[1]} if len(entry) > 1 else {"$type": kind}


def _write_entries(value: Any) -> Any:
    """Write the type entries inside a structure in the form they were read in."""
    if isinstance(value, TypeEntry):
        return _entry(value)
    if isinstance(value, dict):
        return {key: _write_entries(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_write_entries(item) for item in value]
    if isinstance(value, tuple):
        return tuple([_write_entries(item) for item in value])
    return value
