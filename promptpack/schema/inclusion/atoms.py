"""The conditions that keywords put on a value of a known kind: the smallest parts of a goal, without alternatives."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from promptpack.schema.inclusion.nodes import Literal, SchemaNode


class Or(NamedTuple):
    """At least one option holds, whose items hold together; `comes_first` if it is to be decided early."""

    options: tuple[tuple[Any, ...], ...]
    comes_first: bool = False


class Among(NamedTuple):
    """The value equals one of these."""

    values: tuple[Any, ...]


class Except(NamedTuple):
    """The value equals none of these."""

    values: tuple[Any, ...]


class Size(NamedTuple):
    """The length of a text, or the number of items or keys."""

    low: int = 0
    high: int | None = None


class Bound(NamedTuple):
    """A limit of a number; an open one is not allowed itself."""

    value: float
    is_upper: bool
    is_open: bool


class Multiple(NamedTuple):
    """A number is a multiple of a factor, or is not."""

    factor: float
    holds: bool


class Matches(NamedTuple):
    """A pattern matches somewhere in a text, or nowhere."""

    pattern: str
    holds: bool


class Has(NamedTuple):
    """An object has a key."""

    name: str


class Lacks(NamedTuple):
    """An object does not have a key."""

    name: str


class Keys(NamedTuple):
    """The schemas of the values of an object, by key; `others` for keys without one."""

    properties: Mapping[str, SchemaNode]
    patterns: Mapping[str, SchemaNode]
    others: SchemaNode | None


class EveryKey(NamedTuple):
    """Every key of an object meets a literal."""

    literal: Literal


class Member(NamedTuple):
    """An object has a key, whose value meets a literal."""

    name: str
    literal: Literal


class SomeKey(NamedTuple):
    """An object has a key that meets some literals, with a value that meets others."""

    keys: tuple[Literal, ...]
    values: tuple[Literal, ...]


class Items(NamedTuple):
    """The schemas of the items of a list, by index; `rest` for the items after them."""

    prefix: tuple[SchemaNode, ...]
    rest: SchemaNode | None


class ItemAt(NamedTuple):
    """A list has an item at an index, which meets a literal."""

    place: int
    literal: Literal


class SomeItem(NamedTuple):
    """A list has an item, at `start` or later, that meets a literal."""

    start: int
    literal: Literal


class Count(NamedTuple):
    """So many items of a list meet a schema."""

    node: SchemaNode
    low: int
    high: int | None


class Unique(NamedTuple):
    """No two items of a list are equal, or two are."""

    holds: bool


Item = Any
"""A literal about the same value, an `Or`, or an atom."""
