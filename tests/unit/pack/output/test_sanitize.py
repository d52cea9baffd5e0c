from collections import deque
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from pydantic import BaseModel, Field

from promptpack.pack.output.sanitize import expand, sanitize


class User(BaseModel):
    name: str = Field(description="user name")
    age: Annotated[int, Field(ge=0)]


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


FIELDS = {"name": ("str", "user name"), "age": ("typing.Annotated[int, Ge(ge=0)]",)}


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (int, "int"),
        (list[str], "list[str]"),
        (dict[str, list[int]], "dict[str, list[int]]"),
        (tuple[int, ...], "tuple[int, Ellipsis]"),
        (Optional[int], "int | NoneType"),  # noqa: UP045
        (Union[int, str], "int | str"),  # noqa: UP007
        (int | None, "int | None"),
        (Literal["a", 1], "Literal[a, 1]"),
        (set[int], "set[int]"),
        (Any, "Any"),
        (User, FIELDS),
        (list[User], f"list[{FIELDS}]"),
        (datetime(2024, 5, 6, 7, 8), "2024-05-06T07:08:00"),  # noqa: DTZ001
        (date(2024, 2, 29), "2024-02-29"),
        (Decimal("1.50"), "1.50"),
        (Color.RED, "Color.RED"),
        (Level.LOW, Level.LOW),
        (b"x", "b'x'"),
        (deque([1]), "deque([1])"),
        (MappingProxyType({"a": 1}), "{'a': 1}"),
        ({1: int, None: (str,)}, {"1": "int", "None": ("str",)}),
        ({int}, {"int"}),
    ],
)
def test_values_become_printable(value: Any, result: Any) -> None:
    assert sanitize(value) == result


def test_a_model_in_a_tuple_type_cannot_be_named() -> None:
    with pytest.raises(TypeError, match="expected str instance, dict found"):
        sanitize(tuple[int, User])


def test_expanding_keeps_types_and_replaces_models_by_their_fields() -> None:
    assert expand({"user": User, "tags": list[str], 1: Color.RED}) == {
        "user": {"name": (str, "user name"), "age": (User.model_fields["age"].rebuild_annotation(),)},
        "tags": list[str],
        "1": "Color.RED",
    }
