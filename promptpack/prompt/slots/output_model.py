"""Output schema -> the pydantic model that validates a reply."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, Final, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, create_model, model_validator

from promptpack.pack.output.sanitize import expand
from promptpack.pack.output.type_entry import ATOMS

_NAME: Final = "AgentlyOutput"


class _OutputModel(BaseModel):
    """The base of output models; the repr shows no values: a reply may repeat secrets, and a repr may be logged."""

    model_config = ConfigDict(extra="allow")

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        return []


_CACHE_SIZE: Final = 256


def make_output_model(output: Any) -> type[BaseModel]:
    """Build the model of an output; equal schemas share one cached model."""
    if not isinstance(output, Mapping | Sequence) or isinstance(output, str):
        raise TypeError("Unable to generator output model because the output is not a structure data.")
    schema = expand(dict(output) if isinstance(output, Mapping) else output)
    try:
        return _cached_model(_ModelKey(_equality_key(schema), schema))
    except _UncacheableError:
        return _build_model(schema)


class _UncacheableError(TypeError):
    """The schema holds a value without an equality key, so its model is not cached."""


@dataclass(frozen=True, slots=True)
class _ModelKey:
    """A schema and its equality key; equal keys mean equal models."""

    key: Any
    schema: Any = field(compare=False)


def _equality_key(schema: Any) -> Any:
    kind = type(schema)
    if kind is dict:
        return dict, tuple([(name, _equality_key(item)) for name, item in schema.items()])
    if kind is list or kind is tuple:
        return kind, tuple([_equality_key(item) for item in schema])
    if kind in ATOMS or isinstance(schema, type):
        return kind, schema
    if get_origin(schema) is not None:
        # equal generics may print differently, and descriptions show the printed form
        return kind, repr(schema), schema
    raise _UncacheableError


@lru_cache(maxsize=_CACHE_SIZE)
def _cached_model(cache_key: _ModelKey) -> type[BaseModel]:
    return _build_model(cache_key.schema)


def _build_model(schema: Any) -> type[BaseModel]:
    if isinstance(schema, dict):
        return _object_model(_NAME, schema)
    if isinstance(schema, list | tuple):
        return _array_model(schema)
    return _object_model(_NAME, {"list": schema})


def _array_model(schema: Sequence[Any]) -> type[BaseModel]:
    """Build the model of a list: its only field is `list`, and it also accepts the bare array.

    [outmodel] This follows the documentation; the original refuses the bare array and treats a tuple as one field.
    """
    kind = _item_kind(f"{_NAME}_List", schema)
    cast = _enum_cast(kind) if isinstance(kind, type) and issubclass(kind, Enum) else _cast(kind)
    accept: Any = model_validator(mode="before")(_as_object)
    definition = (_array_of(kind, cast), Field(default=None))
    return create_model(
        _NAME, __base__=_OutputModel, __module__=__name__, __validators__={"accept": accept}, list=definition
    )


def _as_object(value: Any) -> Any:
    return {"list": value} if isinstance(value, list | tuple) else value


def _object_model(name: str, schema: dict[str, Any]) -> type[BaseModel]:
    lists = [item[0] for item in schema.values() if isinstance(item, tuple) and item and _is_list(item[0])]
    # [latebind] all `(list[T], ..)` fields of a mapping cast their items to the T of the last such field
    cast = _cast((*get_args(lists[-1]), Any)[0]) if lists else _same
    fields: dict[str, Any] = {key: _field(f"{name}_{key.capitalize()}", item, cast) for key, item in schema.items()}
    return create_model(name, __base__=_OutputModel, __module__=__name__, **fields)


def _field(name: str, item: Any, list_cast: Callable[[Any], Any]) -> tuple[Any, Any]:
    if isinstance(item, tuple):
        return _described_field(item, list_cast)
    kind = _kind(name, item)
    if kind is Any and item is not Any:
        return Any, Field(default=None, description=item if isinstance(item, str) else str(item))
    # [outmodel] a mapping refuses null, a bare type accepts it
    return kind if isinstance(item, dict | list) else kind | None, Field(default=None)


def _described_field(item: tuple[Any, ...], list_cast: Callable[[Any], Any]) -> tuple[Any, Any]:
    description = item[1] if len(item) > 1 else ""
    default = item[2] if len(item) > 2 else None
    if item and not _is_type(item[0]):
        # [outmodel] a structure or text in place of the type is described to the model but not validated
        return Any, Field(default=default, description=f"type: {item[0]}; desc: {description}")
    kind = item[0] if item else Any
    if _is_list(kind):
        kind = Annotated[kind, PlainValidator(_array_cast(list_cast))]
    return kind, Field(default=default, description=description)


def _kind(name: str, item: Any) -> Any:
    """Return the type that validates an item of a schema; Any for a value that is not a schema."""
    if isinstance(item, dict):
        return _object_model(name, item)
    if isinstance(item, list):
        kind = _item_kind(f"{name}_List", item)
        return _array_of(kind, _cast(kind))
    if isinstance(item, tuple) and item:
        return item[0] if _is_type(item[0]) else Any
    return item if _is_type(item) else Any


def _item_kind(name: str, items: Sequence[Any]) -> Any:
    return _kind(name, items[0]) if items else Any


def _array_of(kind: Any, cast: Callable[[Any], Any]) -> Any:
    return Annotated[list[kind | None] | None, PlainValidator(_array_cast(cast))]


def _array_cast(cast: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    # [outmodel] any other value is wrapped in a list, even null
    return lambda value: [cast(item) for item in (value if isinstance(value, list) else [value])]


def _cast(kind: Any) -> Callable[[Any], Any]:
    """Return the function that casts an item to a class; items of generics and nested lists stay unchanged."""
    if not isinstance(kind, type) or kind is Any:
        return _same
    make: Callable[..., Any] = kind
    if issubclass(kind, BaseModel):
        return lambda item: make(**item) if isinstance(item, dict) else make(item)
    return lambda item: item if isinstance(item, kind) else make(item)


def _enum_cast(kind: type[Enum]) -> Callable[[Any], Any]:
    """Return the function that looks up an enum member by its value or else by its name."""

    def member(item: Any) -> Any:
        if item is None or isinstance(item, kind):
            return item
        try:
            return kind(item)
        except ValueError:
            if isinstance(item, str) and item in kind.__members__:
                return kind[item]
            raise

    return member


def _same(item: Any) -> Any:
    return item


def _is_list(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is list


def _is_type(item: Any) -> bool:
    return isinstance(item, type) or get_origin(item) is not None
