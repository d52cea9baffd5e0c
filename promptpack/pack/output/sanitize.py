"""Slot values -> printable data: types become their names, models their fields, other objects their text."""

from collections.abc import Callable
from datetime import date
from typing import Any, Literal, Union, get_args, get_origin

from promptpack.pack.output.type_entry import ATOMS


def sanitize(value: Any) -> Any:
    """Convert a value to strings, numbers, dicts with text keys, lists, sets and tuples; types become their names."""
    return _walk(value, type_name)


def expand(value: Any) -> Any:
    """Convert a value like `sanitize`, but keep types; a pydantic model becomes the schema of its fields."""
    return _walk(value, lambda kind: expand(read_model_fields(kind)) if is_model(kind) else kind)


def type_name(kind: Any) -> Any:
    """Return the name of a type or a generic, or the fields of a pydantic model."""
    origin = get_origin(kind)
    if origin is not None:
        return _generic_name(origin, get_args(kind), kind)
    return sanitize(read_model_fields(kind)) if is_model(kind) else kind.__name__


def is_model(kind: Any) -> bool:
    """Return whether a class is a pydantic model; import pydantic only if it may be one."""
    if not isinstance(kind, type) or not hasattr(kind, "model_fields"):
        return False
    from pydantic import BaseModel

    return issubclass(kind, BaseModel)


def read_model_fields(model: Any) -> dict[str, tuple[Any, ...]]:
    """Return the fields of a pydantic model as a schema: the type, and the description if there is one."""
    fields: dict[str, tuple[Any, ...]] = {}
    for name, field in model.model_fields.items():
        kind = field.rebuild_annotation()
        fields[name] = (kind, field.description) if field.description else (kind,)
    return fields


def _walk(value: Any, convert_type: Callable[[Any], Any]) -> Any:
    if type(value) in ATOMS:
        return value
    if isinstance(value, dict):
        return {str(key): _walk(item, convert_type) for key, item in value.items()}
    if isinstance(value, list):
        return [_walk(item, convert_type) for item in value]
    if isinstance(value, tuple):
        return tuple([_walk(item, convert_type) for item in value])
    if isinstance(value, type) or get_origin(value) is not None:
        return convert_type(value)
    return _other(value, convert_type)


def _other(value: Any, convert_type: Callable[[Any], Any]) -> Any:
    if isinstance(value, set):
        return {_walk(item, convert_type) for item in value}
    if isinstance(value, str | int | float):
        # [yamlval] members of IntEnum and (str, Enum) stay objects: they print well, but YAML refuses them
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def _generic_name(origin: Any, arguments: tuple[Any, ...], kind: Any) -> str:
    if origin is list:
        return f"list[{sanitize(arguments[0])}]"
    if origin is dict:
        return f"dict[{sanitize(arguments[0])}, {sanitize(arguments[1])}]"
    if origin is tuple:
        # [typing] a model inside a tuple type fails here, as in the original
        return f"tuple[{', '.join([sanitize(argument) for argument in arguments])}]"
    if origin is Union:
        return " | ".join([str(sanitize(argument)) for argument in arguments])
    if origin is Literal:
        return f"Literal[{', '.join([str(argument) for argument in arguments])}]"
    # [generics] `X | Y`, sets, Annotated and all other generics print as in Python
    return str(kind)
