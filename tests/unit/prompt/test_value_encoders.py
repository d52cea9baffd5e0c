"""Inputs may have values that JSON does not have: well-known classes, and the caller's own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any
from uuid import UUID

import pytest

from promptpack import ContextError, Pack

MakePack = Callable[[str], Pack]
PACK = """
inputs: {X: {}}
messages:
  - {role: user, content: "{{ X | json }}"}
"""


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


@dataclass
class Point:
    x: int
    when: date


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents


class generic:  # noqa: N801 -- the base class of the scalars of numpy
    def item(self) -> float:
        return 1.5


generic.__module__ = "numpy"


class Float32(generic):
    pass


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 12, 30, tzinfo=UTC), "2026-03-01T12:30:00+00:00"),
        (time(12, 30), "12:30:00"),
        (Decimal("1.10"), "1.10"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Color.RED, "red"),
        (Level.LOW, 1),
        (Point(1, date(2026, 3, 1)), {"x": 1, "when": "2026-03-01"}),
        (Float32(), 1.5),
        ([{"a": Color.RED}], [{"a": "red"}]),
    ],
)
def test_well_known_values_are_encoded(make_pack: MakePack, value: Any, plain: Any) -> None:
    assert json.loads(make_pack(PACK).render(X=value).messages[0].text) == plain


def test_own_classes_are_encoded_by_the_table(make_pack: MakePack) -> None:
    table: dict[type, Callable[[Any], object]] = {
        Money: lambda money: Decimal(money.cents) / 100,
        Color: lambda color: color.name,
    }
    prompt = make_pack(PACK).render({"X": [Money(250), Color.RED]}, encode=table)
    assert json.loads(prompt.messages[0].text) == ["2.5", "RED"]


def test_a_value_without_an_encoding_is_located(make_pack: MakePack) -> None:
    with pytest.raises(ContextError) as caught:
        make_pack(PACK).render(X={"a": [1, Money(1)]})
    assert str(caught.value) == (
        "PP411 input 'X' at /a/1 contains a value of type Money, which is not plain data\n"
        "  hint: use text, numbers, true/false, null, lists and mappings, or pass encode={Money: ...}"
    )


def test_a_secret_input_shows_no_place(make_pack: MakePack) -> None:
    pack = make_pack(PACK.replace("X: {}", "X: {secret: true}"))
    with pytest.raises(ContextError) as caught:
        pack.render(X={"hunter2": Money(1)})
    assert "hunter2" not in str(caught.value)


def test_a_table_that_goes_in_circles_ends(make_pack: MakePack) -> None:
    with pytest.raises(ContextError, match="PP413 input 'X' is nested more than"):
        make_pack(PACK).render(X=Money(1), encode={Money: lambda money: money})


def test_a_function_that_fails_is_reported_without_its_value(make_pack: MakePack) -> None:
    def fail(_: Money) -> object:
        raise ValueError("hunter2")

    with pytest.raises(ContextError) as caught:
        make_pack(PACK).render(X=[Money(1)], encode={Money: fail})
    assert "contains an object that cannot be read: ValueError" in str(caught.value)
    assert "hunter2" not in str(caught.value)
