"""Exported data, JSON or YAML -> slots."""

import json
from collections.abc import Mapping
from typing import Any, Final

import yaml

from promptpack.pack.output.output_schema import restore_output_schema
from promptpack.problem import Location, PackError, Problem, UsageError
from promptpack.strict_json import reject_duplicates

_MAX_DEPTH: Final = 100
_TOO_DEEP: Final = f"slots are nested more than {_MAX_DEPTH} levels deep"


def import_data(data: Any, location: Location | None = None) -> dict[str, Any]:
    """Read the slots from data; type names in the output become types again."""
    if not isinstance(data, Mapping):
        raise PackError(Problem("PP461", f"slots must be a mapping, not {type(data).__name__}", location))
    invalid = [key for key in data if not isinstance(key, str)]
    if invalid:
        raise PackError([Problem("PP461", f"slot name {key!r} is not text", location) for key in invalid])
    if _is_too_deep(data):
        raise PackError(Problem("PP461", _TOO_DEEP, location))
    return {key: restore_output_schema(value) if key == "output" else value for key, value in data.items()}


def import_yaml(text: str, source: str) -> dict[str, Any]:
    """Read the slots from YAML."""
    return import_data(_load_yaml(_text(text), source), Location(source))


def import_json(text: str, source: str) -> dict[str, Any]:
    """Read the slots from JSON."""
    return import_data(_load_json(_text(text), source), Location(source))


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise UsageError(Problem("PP462", f"the prompt to read must be text, not {type(text).__name__}"))
    return text


def _load_yaml(text: str, source: str) -> Any:
    try:
        _refuse_traps(text, source)
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        location = Location(source, mark.line + 1, mark.column + 1) if mark else Location(source)
        raise PackError(Problem("PP462", f"not YAML: {error.problem or error.context}", location)) from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        raise PackError(Problem("PP462", f"not YAML: {error}", Location(source))) from error


def _refuse_traps(text: str, source: str) -> None:
    """Refuse aliases, which can expand to huge data, and nesting that would overflow the loader's stack."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise PackError(Problem("PP462", "aliases are not allowed", Location(source)))
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise PackError(Problem("PP461", _TOO_DEEP, Location(source)))


def _load_json(text: str, source: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=reject_duplicates)
    except json.JSONDecodeError as error:
        location = Location(source, error.lineno, error.colno)
        raise PackError(Problem("PP462", f"not JSON: {error.msg}", location)) from error
    except (ValueError, RecursionError) as error:
        raise PackError(Problem("PP462", f"not JSON: {error}", Location(source))) from error


def _is_too_deep(data: Any) -> bool:
    level = [data]
    for _ in range(_MAX_DEPTH):
        level = [inner for outer in level for inner in _children(outer)]
    return bool(level)


def _children(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []
