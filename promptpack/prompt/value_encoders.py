"""Python values that JSON does not have -> plain values: the caller's own table first, then sensible defaults."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

Encode = Mapping[type, Callable[[Any], object]]
"""For each class a function that returns plain data, or a value that is encoded again; subclasses are included."""
UNKNOWN: Final = object()


def is_a(value: object, *kinds: type) -> bool:
    """Return whether a value is an instance of a class, without asking its `__class__`, which may lie."""
    return issubclass(type(value), kinds)


def find_own(value: object, table: Encode) -> object:
    """Return a value encoded by the function of its nearest class in the table; `UNKNOWN` if there is none."""
    for kind in type(value).__mro__:
        if kind in table:
            return table[kind](value)
    return UNKNOWN


def encode_known(value: object) -> object:
    """Return a value of a well-known class as plain data, or a value that is encoded again; else `UNKNOWN`.

    Dates and times are ISO texts; decimals and UUIDs are texts; an enum is its value, a dataclass a mapping.
    """
    from datetime import date, time
    from decimal import Decimal
    from enum import Enum
    from uuid import UUID

    if is_a(value, date, time):
        return value.isoformat()  # type: ignore[attr-defined]
    if is_a(value, Decimal, UUID):
        return str(value)
    if is_a(value, Enum):
        return value.value  # type: ignore[attr-defined]
    if is_dataclass(type(value)):
        return {one.name: getattr(value, one.name) for one in fields(value)}  # type: ignore[arg-type]
    if any(f"{kind.__module__}.{kind.__name__}" == "numpy.generic" for kind in type(value).__mro__):
        return value.item()  # type: ignore[attr-defined]
    return UNKNOWN
