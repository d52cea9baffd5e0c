"""The caller's values become plain data, or raise a problem that does not quote them."""

from collections import OrderedDict
from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import MagicMock, Mock

import pytest

from promptpack import ContextError
from promptpack.prompt.message import Message, read_message
from promptpack.prompt.plain_data import to_plain
from promptpack.template.model import Limits


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise AssertionError


class Colour(IntEnum):
    RED = 1

    def __int__(self) -> int:
        raise AssertionError


def refused(value: Any, limits: Limits = Limits()) -> str:  # noqa: B008 -- it is frozen
    with pytest.raises(ContextError) as caught:
        to_plain(value, "X", limits)
    assert caught.value.__context__ is None
    return str(caught.value)


def test_a_copy_contains_only_plain_types() -> None:
    given = MappingProxyType({"a": (1, OrderedDict(b=2.5)), "c": [None, True, "x"]})
    assert to_plain(given, "X") == {"a": [1, {"b": 2.5}], "c": [None, True, "x"]}


def test_the_methods_of_a_value_do_not_run() -> None:
    copied = to_plain([Loud("x"), {Loud("k"): Colour.RED}], "X")
    assert copied == ["x", {"k": 1}]
    assert [type(copied[0]), *map(type, copied[1]), type(copied[1]["k"])] == [str, str, int]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_without_a_json_form_are_refused(number: float) -> None:
    assert refused([number]) == (
        "PP411 input 'X' at /0 contains a number that is not finite\n  hint: JSON has no NaN or Infinity; use null"
    )


@pytest.mark.parametrize("value", ["a\ud800", {"\udc00": 1}])
def test_a_lone_surrogate_is_refused(value: Any) -> None:
    assert refused(value) == "PP408 input 'X' contains half of a surrogate pair\n  hint: decode the text again"


def test_a_value_that_doubles_itself_is_refused_before_it_is_copied() -> None:
    value: list[Any] = ["lol"]
    for _ in range(60):
        value = [value, value]
    assert (
        refused(value) == "PP409 input 'X' contains more than 200,000 values\n  hint: pass only what the prompt needs"
    )


def test_a_text_may_be_as_long_as_the_limits_say() -> None:
    assert to_plain("x" * 10, "X", Limits(text=10)) == "x" * 10
    assert refused("x" * 11, Limits(text=10)) == (
        "PP409 input 'X' contains a text of more than 10 characters\n  hint: pass only what the prompt needs"
    )


class Liar:
    """Claims to be an instance of another class."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.kind


class Moody:
    def __getattr__(self, name: str) -> Any:
        raise ValueError("kÉy-7f3a")

    def model_dump(self, **_: Any) -> Any:
        raise ValueError("kÉy-7f3a")


@pytest.mark.parametrize("kind", [str, int, float, bool, list, tuple, dict, Mapping, Message, type(None)])
def test_an_object_that_lies_about_its_class_is_refused(kind: type) -> None:
    for value in (Liar(kind), [Liar(kind)], {"a": Liar(kind)}):
        with pytest.raises(
            ContextError, match=r"PP411 input 'X'( at /[a0])? contains a value of type Liar, which is not plain data"
        ):
            to_plain(value, "X")
    with pytest.raises(ContextError, match="PP412 message is not a message"):
        read_message(Liar(kind))


def test_an_object_that_cannot_be_read_is_refused_without_quoting_it() -> None:
    with pytest.raises(ContextError) as caught:
        to_plain([Moody()], "X")
    assert str(caught.value) == (
        "PP411 input 'X' at /0 contains an object that cannot be read: ValueError\n"
        "  hint: use text, numbers, true/false, null, lists and mappings"
    )
    assert caught.value.__context__ is None


class Point(NamedTuple):
    x: int
    inner: Any


def test_a_named_tuple_becomes_a_mapping() -> None:
    assert to_plain([Point(1, Point(2, None))], "X") == [{"x": 1, "inner": {"x": 2, "inner": None}}]


@pytest.mark.parametrize("kind", [Mock, MagicMock])
def test_an_object_that_invents_attributes_is_refused(kind: type) -> None:
    assert refused(kind()) == (
        f"PP411 input 'X' contains a value of type {kind.__name__}, which is not plain data\n"
        f"  hint: use text, numbers, true/false, null, lists and mappings, or pass encode={{{kind.__name__}: ...}}"
    )
