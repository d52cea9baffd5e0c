"""The signatures of every filter, test and method of the template language: accepted kinds and result types."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from promptpack.linter.types.lattice import (
    ANY,
    INTEGER,
    NEVER,
    BooleanType,
    ListType,
    MappingType,
    NullType,
    NumberType,
    TextType,
    TupleType,
    Type,
    members,
    union,
)
from promptpack.template.language import LOOP_ATTRIBUTES

Returns = Callable[[Type], Type]
AcceptedKinds = frozenset[str]

EVERY: Final[AcceptedKinds] = frozenset(("null", "boolean", "number", "text", "list", "lazy", "view", "mapping"))
NUMBERS: Final[AcceptedKinds] = frozenset(("number", "boolean"))
ITERABLE: Final[AcceptedKinds] = frozenset(("text", "list", "lazy", "view", "mapping"))
ITERABLE_OR_NULL: Final[AcceptedKinds] = ITERABLE | {"null"}
SIZED: Final[AcceptedKinds] = frozenset(("text", "list", "view", "mapping"))
TEXT_LIKE: Final[AcceptedKinds] = frozenset(("text", "number", "boolean"))
COLLECTIONS: Final[AcceptedKinds] = ITERABLE - {"text"}
SLICEABLE: Final[AcceptedKinds] = frozenset(("text", "list"))
TEXTS: Final[AcceptedKinds] = frozenset(("text",))
LISTS: Final[AcceptedKinds] = frozenset(("list",))
MAPPINGS: Final[AcceptedKinds] = frozenset(("mapping",))
KEYS: Final[AcceptedKinds] = EVERY - {"list", "mapping"}
KINDS_IN_WORDS: Final[Mapping[AcceptedKinds, str]] = {
    NUMBERS: "a number",
    ITERABLE: "a list",
    ITERABLE_OR_NULL: "a list",
    SIZED: "a list, text or a mapping",
    TEXT_LIKE: "text or a number",
    LISTS: "a list",
    MAPPINGS: "a mapping",
    COLLECTIONS: "a list",
    SLICEABLE: "text or a list",
    TEXTS: "text",
    KEYS: "text or a number",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """The kinds that a filter accepts without an error, its result, its parameters, and the kinds that make sense.

    A parameter with `=` is optional, one after `*` is keyword-only, and `...` stands for any number of parameters.
    """

    accepts: AcceptedKinds
    returns: Returns
    parameters: str = ""
    meaningful: AcceptedKinds = EVERY


def item_of(one: Type) -> Type:
    """Return the type of the items of a loop over a value."""
    return union(_item(member) for member in members(one))


def _item(one: Type) -> Type:
    match one:
        case ListType():
            return one.item
        case TupleType():
            return union(one.items)
        case TextType():
            return TextType()
        case MappingType():
            return key_of(one)
    return ANY


def key_of(one: MappingType) -> Type:
    """Return the type of the keys of a mapping."""
    return TextType(frozenset(one.properties)) if one.rest is None and one.properties else TextType()


def value_of(one: Type) -> Type:
    """Return the type of the values of a mapping."""
    found = [member for member in members(one) if isinstance(member, MappingType)]
    if len(found) != len(members(one)):
        return ANY
    return union(
        value
        for owner in found
        for value in (*(one.type for one in owner.properties.values()), *(() if owner.rest is None else (owner.rest,)))
    )


def _always(type_: Type) -> Returns:
    return lambda _: type_


def _same(one: Type) -> Type:
    return one


def _list(one: Type) -> Type:
    return ListType(item_of(one))


def _lazy(one: Type) -> Type:
    return ListType(item_of(one), "lazy")


def _rows(one: Type) -> Type:
    return ListType(ListType(union((item_of(one), NullType()))))


def _pairs(one: Type) -> Type:
    owners = [member for member in members(one) if isinstance(member, MappingType)]
    return TupleType((union(key_of(owner) for owner in owners) if owners else ANY, value_of(one)))


def _reversed(one: Type) -> Type:
    return union(TextType() if isinstance(member, TextType) else _lazy(member) for member in members(one))


def _flat(one: Type) -> Type:
    inner = members(item_of(one))
    return ListType(union(item_of(item) if isinstance(item, (ListType, TupleType)) else item for item in inner))


_TEXT: Final = _always(TextType())
_TEXTS: Final = _always(ListType(TextType()))
_INTEGER: Final = _always(INTEGER)
_NUMBER: Final = _always(NumberType())
_ANY: Final = _always(ANY)
_RECORDS: Final = _always(ListType(ANY))

_JSON_OPTIONS: Final = "indent= ensure_ascii= separators= sort_keys="

FILTERS: Final[Mapping[str, Signature]] = MappingProxyType(
    {
        "abs": Signature(NUMBERS, _same),
        "batch": Signature(ITERABLE, _rows, "linecount fill_with="),
        "capitalize": Signature(EVERY, _TEXT, "", TEXT_LIKE),
        "center": Signature(EVERY, _TEXT, "width="),
        "compact": Signature(EVERY, _TEXT, "limit= ellipsis="),
        "count": Signature(SIZED, _INTEGER),
        "d": Signature(EVERY, _same, "default_value= boolean="),
        "default": Signature(EVERY, _same, "default_value= boolean="),
        "dictsort": Signature(MAPPINGS, lambda one: ListType(_pairs(one)), "case_sensitive= by= reverse="),
        "early_summary": Signature(EVERY, _ANY, "..."),
        "fenced": Signature(EVERY, _TEXT, "tag="),
        "first": Signature(ITERABLE, item_of),
        "first_and_last_input": Signature(EVERY, _ANY, "* limit= correction_extra= correction_texts="),
        "first_line": Signature(EVERY, _TEXT),
        "flatten": Signature(ITERABLE, _flat),
        "float": Signature(EVERY, _NUMBER, "default=", TEXT_LIKE),
        "fold_repeated": Signature(EVERY, _RECORDS, "replacement= * unknown_tool="),
        "format": Signature(EVERY, _TEXT, "...", TEXT_LIKE),
        "groupby": Signature(
            ITERABLE,
            lambda one: ListType(TupleType((ANY, ListType(item_of(one))), ("grouper", "list"))),
            "attribute default= case_sensitive=",
        ),
        "history": Signature(LISTS, _TEXT, "empty="),
        "indent": Signature(EVERY, _TEXT, "width= first= blank="),
        "int": Signature(EVERY, _INTEGER, "default= base=", TEXT_LIKE),
        "items": Signature(MAPPINGS, lambda one: ListType(_pairs(one), "lazy")),
        "join": Signature(ITERABLE, _TEXT, "d= attribute="),
        "json": Signature(EVERY, _TEXT, _JSON_OPTIONS),
        "last": Signature(SIZED, item_of),
        "length": Signature(SIZED, _INTEGER),
        "list": Signature(ITERABLE, _list),
        "lower": Signature(EVERY, _TEXT, "", TEXT_LIKE),
        "map": Signature(ITERABLE_OR_NULL, _lazy, "..."),
        "max": Signature(ITERABLE, item_of, "case_sensitive= attribute="),
        "min": Signature(ITERABLE, item_of, "case_sensitive= attribute="),
        "out_of_order": Signature(LISTS, _TEXTS, "order key= needs="),
        "outside_window": Signature(EVERY, _ANY, "size= * unknown_tool="),
        "parameter_text": Signature(EVERY, _TEXT, "..."),
        "react_records": Signature(EVERY, _RECORDS, "..."),
        "react_window": Signature(EVERY, _RECORDS, "size="),
        "reject": Signature(ITERABLE_OR_NULL, _lazy, "..."),
        "rejectattr": Signature(ITERABLE_OR_NULL, _lazy, "..."),
        "replace": Signature(EVERY, _TEXT, "old new count=", TEXT_LIKE),
        "return_hint": Signature(EVERY, _TEXT, "returns default="),
        "reverse": Signature(ITERABLE, _reversed),
        "round": Signature(NUMBERS, _NUMBER, "precision= method="),
        "safe": Signature(EVERY, _TEXT),
        "select": Signature(ITERABLE_OR_NULL, _lazy, "..."),
        "selectattr": Signature(ITERABLE_OR_NULL, _lazy, "..."),
        "slice": Signature(ITERABLE, _rows, "slices fill_with="),
        "sort": Signature(ITERABLE, _list, "reverse= case_sensitive= attribute="),
        "string": Signature(EVERY, _TEXT),
        "sum": Signature(ITERABLE, _NUMBER, "attribute= start="),
        "title": Signature(EVERY, _TEXT, "", TEXT_LIKE),
        "tojson": Signature(EVERY, _TEXT, _JSON_OPTIONS),
        "tool_call_text": Signature(EVERY, _TEXT, "..."),
        "tool_catalog": Signature(EVERY, _ANY, "..."),
        "tool_entries": Signature(EVERY, _RECORDS, "..."),
        "tool_parameters": Signature(EVERY, _RECORDS, "style="),
        "tools": Signature(LISTS, _TEXT, "empty="),
        "trim": Signature(EVERY, _TEXT, "chars=", TEXT_LIKE),
        "trim_space": Signature(EVERY, _TEXT),
        "truncate": Signature(SIZED, _same, "length= killwords= end= leeway=", TEXTS),
        "unique": Signature(ITERABLE, _lazy, "case_sensitive= attribute="),
        "upper": Signature(EVERY, _TEXT, "", TEXT_LIKE),
        "user_inputs": Signature(EVERY, _TEXTS, "* limit= correction_extra= correction_texts="),
        "wordcount": Signature(EVERY, _INTEGER, "", TEXT_LIKE),
        "wordwrap": Signature(EVERY, _TEXT, "...", TEXT_LIKE),
        "yaml": Signature(EVERY, _TEXT),
    }
)
# Filters that accept a missing value.
TOLERANT_FILTERS: Final = frozenset(("d", "default", "items"))
# Filters that do nothing, and so cannot fail, before their result is iterated over.
LAZY_FILTERS: Final = frozenset(("items", "map", "reject", "rejectattr", "select", "selectattr", "unique"))


@dataclass(frozen=True, slots=True)
class TestSignature:
    """The kinds that a test accepts, its number of arguments, and whether it accepts a missing value."""

    accepts: AcceptedKinds = EVERY
    arguments: int = 0
    accepts_missing: bool = True


_COMPARES: Final = TestSignature(EVERY, 1, accepts_missing=False)
_NAMES: Final = TestSignature(EVERY, 0, accepts_missing=False)

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
        **dict.fromkeys(("even", "odd"), TestSignature(NUMBERS, 0, accepts_missing=False)),
        "divisibleby": TestSignature(NUMBERS, 1, accepts_missing=False),
        "sameas": TestSignature(EVERY, 1),
    }
)  # fmt: skip

TEXT_METHODS: Final[Mapping[str, Type]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("capitalize", "casefold", "center", "format", "join", "ljust", "lower", "lstrip", "removeprefix",
             "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill"),
            TextType(),
        ),
        **dict.fromkeys(("count", "find", "index", "rfind", "rindex"), INTEGER),
        **dict.fromkeys(
            ("endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower",
             "isnumeric", "isprintable", "isspace", "istitle", "isupper", "startswith"),
            BooleanType(),
        ),
        **dict.fromkeys(("partition", "rpartition"), TupleType((TextType(), TextType(), TextType()))),
        **dict.fromkeys(("rsplit", "split", "splitlines"), ListType(TextType())),
    }
)  # fmt: skip
LIST_METHODS: Final[Mapping[str, Type]] = MappingProxyType({"count": INTEGER, "index": INTEGER})
MAPPING_METHODS: Final[Mapping[str, Returns]] = MappingProxyType(
    {
        "copy": _same,
        "get": _ANY,
        "items": lambda one: ListType(_pairs(one), "view"),
        "keys": lambda one: ListType(item_of(one), "view"),
        "values": lambda one: ListType(value_of(one), "view"),
    }
)
LOOP_METHODS: Final[Mapping[str, Type]] = MappingProxyType({"changed": BooleanType(), "cycle": ANY})


def loop_attributes(item: Type) -> Mapping[str, Type]:
    """Return the attributes of `loop` in a loop."""
    flags = dict.fromkeys(("first", "last"), BooleanType())
    neighbours = dict.fromkeys(("nextitem", "previtem"), ANY if item == NEVER else item)
    return {**dict.fromkeys(LOOP_ATTRIBUTES, INTEGER), **flags, **neighbours}


FUNCTIONS: Final[Mapping[str, Type]] = MappingProxyType(
    {"dict": MappingType(), "fail": ANY, "namespace": ANY, "raise_exception": ANY, "range": ANY}
)
