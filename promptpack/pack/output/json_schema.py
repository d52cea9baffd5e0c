"""Output schema -> the JSON Schema that reads replies and explains violations."""

import types
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any, Final, Literal, Union, get_args, get_origin

_KINDS: Final[dict[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    bytes: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    types.NoneType: {"type": "null"},
    dict: {"type": "object"},
    **{kind: {"type": "array"} for kind in (list, tuple, set, frozenset)},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    time: {"type": "string", "format": "time"},
}
_ANYTHING: Final[dict[str, Any]] = {}


def write_json_schema(schema: Any) -> dict[str, Any]:
    """Return the JSON Schema of an output; an unknown schema accepts anything.

    A field that refuses null is required: the output model has a default for every field, which a caller would mistake
    for an answer.
    """
    if isinstance(schema, Mapping):
        return _object(schema)
    if isinstance(schema, list):
        return {"type": "array", "items": write_json_schema(schema[0])} if schema else {"type": "array"}
    if isinstance(schema, tuple) and schema:
        return _described(schema)
    return _type(schema)


def _object(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: _field(item) for name, item in schema.items()}
    required = [name for name, item in schema.items() if _is_required(item)]
    return {"type": "object", "properties": fields, "required": required}


def _field(item: Any) -> dict[str, Any]:
    if isinstance(item, str):
        return {"description": item}
    written = write_json_schema(item)
    is_bare_type = isinstance(item, type) or get_origin(item) is not None
    return _union([written, _KINDS[types.NoneType]]) if is_bare_type and written else written


def _is_required(item: Any) -> bool:
    if isinstance(item, tuple):
        return bool(item) and not _accepts_null(item[0])
    return isinstance(item, Mapping | list)


def _accepts_null(kind: Any) -> bool:
    if kind in (Any, object, types.NoneType) or isinstance(kind, str):
        return True
    if get_origin(kind) in (Union, types.UnionType):
        return any(_accepts_null(choice) for choice in get_args(kind))
    return get_origin(kind) is Literal and None in get_args(kind)


def _described(schema: tuple[Any, ...]) -> dict[str, Any]:
    written = write_json_schema(schema[0])
    description = schema[1] if len(schema) > 1 else ""
    return {**written, "description": description} if description and isinstance(description, str) else written


def _type(kind: Any) -> dict[str, Any]:
    if isinstance(kind, type) and kind in _KINDS:
        return dict(_KINDS[kind])
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _union([_type(choice) for choice in arguments])
    if origin is dict and arguments:
        return {"type": "object", "additionalProperties": _type(arguments[1])}
    if origin is tuple and ... not in arguments:
        items = [_type(item) for item in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin in (list, set, frozenset, tuple) and arguments:
        return {"type": "array", "items": _type(arguments[0])}
    return dict(_ANYTHING)


def _union(choices: list[dict[str, Any]]) -> dict[str, Any]:
    if _ANYTHING in choices:
        return dict(_ANYTHING)
    if all(choice.keys() == {"type"} for choice in choices):
        return {"type": list(dict.fromkeys(name for choice in choices for name in _names(choice["type"])))}
    return {"anyOf": choices}


def _names(kind: Any) -> list[str]:
    return kind if isinstance(kind, list) else [kind]
