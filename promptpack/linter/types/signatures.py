"""What every filter, test and method of the template language takes and gives: one table, line by line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from promptpack.linter.types.lattice import (
    ANY,
    NEVER,
    WHOLE,
    Boolean,
    ListOf,
    MappingOf,
    Null,
    Number,
    Text,
    TupleOf,
    Type,
    join,
    kind_of,
    members,
)
from promptpack.template.language import LOOP_ATTRIBUTES

Gives = Callable[[Type], Type]
Kinds = frozenset[str]

EVERY: Final[Kinds] = frozenset(("null", "boolean", "number", "text", "list", "lazy", "view", "mapping"))
NUMBERS: Final[Kinds] = frozenset(("number", "boolean"))
WALKED: Final[Kinds] = frozenset(("text", "list", "lazy", "view", "mapping"))
SIZED: Final[Kinds] = frozenset(("text", "list", "view", "mapping"))
WRITTEN: Final[Kinds] = frozenset(("text", "number", "boolean"))
LOOPED: Final[Kinds] = WALKED - {"text"}
CUT: Final[Kinds] = frozenset(("text", "list"))
TEXTS: Final[Kinds] = frozenset(("text",))
LISTS: Final[Kinds] = frozenset(("list",))
MAPPINGS: Final[Kinds] = frozenset(("mapping",))


@dataclass(frozen=True, slots=True)
class Signature:
    """What a filter takes without an error and what makes sense, its further parameters, and what it gives.

    A parameter with `=` may be left out, one behind `*` is given by name only, and `...` takes any number of them.
    """

    takes: Kinds
    gives: Gives
    parameters: str = ""
    suits: Kinds = EVERY


def form_of(one: Type) -> str:
    """Give the kind of a type as signatures name it: lists are told apart by their form."""
    return one.form if isinstance(one, ListOf) else kind_of(one)


def item_of(one: Type) -> Type:
    """Give the type of what a loop over a value gives."""
    return join(_item(member) for member in members(one))


def _item(one: Type) -> Type:
    match one:
        case ListOf():
            return one.item
        case TupleOf():
            return join(one.items)
        case Text():
            return Text()
        case MappingOf():
            return key_of(one)
    return ANY


def key_of(one: MappingOf) -> Type:
    """Give the type of a mapping's keys."""
    return Text(frozenset(one.fields)) if one.rest is None and one.fields else Text()


def value_of(one: Type) -> Type:
    """Give the type of the values of a mapping."""
    found = [member for member in members(one) if isinstance(member, MappingOf)]
    if len(found) != len(members(one)):
        return ANY
    return join(
        value
        for owner in found
        for value in (*(known.type for known in owner.fields.values()), *(() if owner.rest is None else (owner.rest,)))
    )


def _always(type_: Type) -> Gives:
    return lambda _: type_


def _same(one: Type) -> Type:
    return one


def _list(one: Type) -> Type:
    return ListOf(item_of(one))


def _lazy(one: Type) -> Type:
    return ListOf(item_of(one), "lazy")


def _rows(one: Type) -> Type:
    return ListOf(ListOf(join((item_of(one), Null()))))


def _pairs(one: Type) -> Type:
    owners = [member for member in members(one) if isinstance(member, MappingOf)]
    return TupleOf((join(key_of(owner) for owner in owners) if owners else ANY, value_of(one)))


def _reversed(one: Type) -> Type:
    return join(Text() if isinstance(member, Text) else _lazy(member) for member in members(one))


def _flat(one: Type) -> Type:
    return ListOf(join(_items_or_itself(inner) for inner in members(item_of(one))))


def _items_or_itself(one: Type) -> Type:
    return item_of(one) if isinstance(one, (ListOf, TupleOf)) else one


_TEXT: Final = _always(Text())
_TEXTS: Final = _always(ListOf(Text()))
_WHOLE: Final = _always(WHOLE)
_NUMBER: Final = _always(Number())
_BOOLEAN: Final = _always(Boolean())
_ANY: Final = _always(ANY)
_RECORDS: Final = _always(ListOf(ANY))

FILTERS: Final[Mapping[str, Signature]] = MappingProxyType(
    {
        "abs": Signature(NUMBERS, _same),
        "batch": Signature(WALKED, _rows, "linecount fill_with="),
        "capitalize": Signature(EVERY, _TEXT, "", WRITTEN),
        "center": Signature(EVERY, _TEXT, "width="),
        "compact": Signature(EVERY, _TEXT, "limit= ellipsis="),
        "count": Signature(SIZED, _WHOLE),
        "d": Signature(EVERY, _same, "default_value= boolean="),
        "default": Signature(EVERY, _same, "default_value= boolean="),
        "dictsort": Signature(MAPPINGS, lambda one: ListOf(_pairs(one)), "case_sensitive= by= reverse="),
        "early_summary": Signature(EVERY, _ANY, "..."),
        "fenced": Signature(EVERY, _TEXT, "tag="),
        "first": Signature(WALKED, item_of),
        "first_and_last_input": Signature(EVERY, _ANY, "* limit= correction_extra= correction_texts="),
        "first_line": Signature(EVERY, _TEXT),
        "flatten": Signature(WALKED, _flat),
        "float": Signature(EVERY, _NUMBER, "default=", WRITTEN),
        "fold_repeated": Signature(EVERY, _RECORDS, "replacement= * unknown_tool="),
        "groupby": Signature(
            WALKED,
            lambda one: ListOf(TupleOf((ANY, ListOf(item_of(one))), ("grouper", "list"))),
            "attribute default= case_sensitive=",
        ),
        "history": Signature(LISTS, _TEXT, "empty="),
        "indent": Signature(EVERY, _TEXT, "width= first= blank="),
        "int": Signature(EVERY, _WHOLE, "default= base=", WRITTEN),
        "items": Signature(MAPPINGS, lambda one: ListOf(_pairs(one), "lazy")),
        "join": Signature(WALKED, _TEXT, "d= attribute="),
        "json": Signature(EVERY, _TEXT, "indent="),
        "last": Signature(SIZED, item_of),
        "length": Signature(SIZED, _WHOLE),
        "list": Signature(WALKED, _list),
        "lower": Signature(EVERY, _TEXT, "", WRITTEN),
        "map": Signature(WALKED, _lazy, "..."),
        "max": Signature(WALKED, item_of, "case_sensitive= attribute="),
        "min": Signature(WALKED, item_of, "case_sensitive= attribute="),
        "out_of_order": Signature(LISTS, _TEXTS, "order key= needs="),
        "outside_window": Signature(EVERY, _ANY, "size= * unknown_tool="),
        "parameter_text": Signature(EVERY, _TEXT, "..."),
        "react_records": Signature(EVERY, _RECORDS, "..."),
        "react_window": Signature(EVERY, _RECORDS, "size="),
        "reject": Signature(WALKED, _lazy, "..."),
        "rejectattr": Signature(WALKED, _lazy, "..."),
        "replace": Signature(EVERY, _TEXT, "old new count=", WRITTEN),
        "return_hint": Signature(EVERY, _TEXT, "returns default="),
        "reverse": Signature(WALKED, _reversed),
        "round": Signature(NUMBERS, _NUMBER, "precision= method="),
        "select": Signature(WALKED, _lazy, "..."),
        "selectattr": Signature(WALKED, _lazy, "..."),
        "slice": Signature(WALKED, _rows, "slices fill_with="),
        "sort": Signature(WALKED, _list, "reverse= case_sensitive= attribute="),
        "string": Signature(EVERY, _TEXT),
        "sum": Signature(WALKED, _NUMBER, "attribute= start="),
        "title": Signature(EVERY, _TEXT, "", WRITTEN),
        "tojson": Signature(EVERY, _TEXT, "indent="),
        "tool_call_text": Signature(EVERY, _TEXT, "..."),
        "tool_catalog": Signature(EVERY, _ANY, "..."),
        "tool_entries": Signature(EVERY, _RECORDS, "..."),
        "tool_parameters": Signature(EVERY, _RECORDS, "style="),
        "tools": Signature(LISTS, _TEXT, "empty="),
        "trim": Signature(EVERY, _TEXT, "chars=", WRITTEN),
        "trim_space": Signature(EVERY, _TEXT),
        "truncate": Signature(SIZED, _same, "length= killwords= end= leeway=", TEXTS),
        "unique": Signature(WALKED, _lazy, "case_sensitive= attribute="),
        "upper": Signature(EVERY, _TEXT, "", WRITTEN),
        "user_inputs": Signature(EVERY, _TEXTS, "* limit= correction_extra= correction_texts="),
        "wordcount": Signature(EVERY, _WHOLE, "", WRITTEN),
        "wordwrap": Signature(EVERY, _TEXT, "...", WRITTEN),
        "yaml": Signature(EVERY, _TEXT),
    }
)
# Filters that take what is missing.
FORGIVING_FILTERS: Final = frozenset(("d", "default", "items"))
# Filters that do nothing, and so fail on nothing, before someone walks through what they give.
LAZY_FILTERS: Final = frozenset(("items", "map", "reject", "rejectattr", "select", "selectattr", "unique"))


@dataclass(frozen=True, slots=True)
class TestSignature:
    """What a test takes without an error, how many arguments it has, and whether it takes what is missing."""

    takes: Kinds = EVERY
    arguments: int = 0
    forgiving: bool = True


_COMPARES: Final = TestSignature(EVERY, 1, forgiving=False)
_NAMES: Final = TestSignature(EVERY, 0, forgiving=False)

TESTS: Final[Mapping[str, TestSignature]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("boolean", "defined", "false", "float", "integer", "mapping", "none", "number", "sequence", "string",
             "true", "undefined"),
            TestSignature(),
        ),
        **dict.fromkeys(
            ("!=", "<", "<=", "==", ">", ">=", "eq", "equalto", "ge", "greaterthan", "gt", "in", "le", "lessthan", "lt",
             "ne"),
            _COMPARES,
        ),
        **dict.fromkeys(("filter", "iterable", "lower", "test", "upper"), _NAMES),
        **dict.fromkeys(("even", "odd"), TestSignature(NUMBERS, 0, forgiving=False)),
        "divisibleby": TestSignature(NUMBERS, 1, forgiving=False),
        "sameas": TestSignature(EVERY, 1),
    }
)  # fmt: skip

TEXT_METHODS: Final[Mapping[str, Type]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("capitalize", "casefold", "join", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip",
             "strip", "title", "upper"),
            Text(),
        ),
        **dict.fromkeys(("count", "find", "index", "rfind"), WHOLE),
        **dict.fromkeys(
            ("endswith", "isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isspace", "isupper", "startswith"),
            Boolean(),
        ),
        **dict.fromkeys(("partition", "rpartition"), TupleOf((Text(), Text(), Text()))),
        **dict.fromkeys(("rsplit", "split", "splitlines"), ListOf(Text())),
    }
)  # fmt: skip
LIST_METHODS: Final[Mapping[str, Type]] = MappingProxyType({"count": WHOLE, "index": WHOLE})
MAPPING_METHODS: Final[Mapping[str, Gives]] = MappingProxyType(
    {
        "get": _ANY,
        "items": lambda one: ListOf(_pairs(one), "view"),
        "keys": lambda one: ListOf(item_of(one), "view"),
        "values": lambda one: ListOf(value_of(one), "view"),
    }
)
LOOP_METHODS: Final[Mapping[str, Type]] = MappingProxyType({"changed": Boolean(), "cycle": ANY})


def loop_attributes(item: Type) -> Mapping[str, Type]:
    """Give what `loop` has inside of a loop."""
    flags = dict.fromkeys(("first", "last"), Boolean())
    neighbours = dict.fromkeys(("nextitem", "previtem"), ANY if item == NEVER else item)
    return {**dict.fromkeys(LOOP_ATTRIBUTES, WHOLE), **flags, **neighbours}


FUNCTIONS: Final[Mapping[str, Type]] = MappingProxyType(
    {"dict": MappingOf(), "namespace": ANY, "range": ListOf(WHOLE, "view")}
)
