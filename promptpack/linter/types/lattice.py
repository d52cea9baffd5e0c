"""The types of values: what may be known about a value before there is one, and how two such knowledges combine."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from jinja2 import nodes

from promptpack.problem import Location
from promptpack.template import Source

Kind = Literal["any", "null", "boolean", "number", "text", "list", "mapping", "missing", "object"]
Form = Literal["list", "lazy", "view"]
# A union of more mappings than this is one mapping that may have any of their keys.
_MOST_VARIANTS: Final = 24
_MOST_MEETINGS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Anything:
    """Nothing is known, and so nothing is told; `shape` is what it looks like in case it is a mapping."""

    shape: "MappingOf | None" = None


@dataclass(frozen=True, slots=True)
class Null:
    """Null."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """True, false or either."""

    values: frozenset[bool] = frozenset((True, False))


@dataclass(frozen=True, slots=True)
class Number:
    """A number; JSON Schema takes 1.0 for an integer, so whole ones are not told apart by their Python class."""

    whole: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """Text: one of `words` where they are known, and none of `without`."""

    words: frozenset[str] | None = None
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list; a lazy one, as `map` gives it, has no length and counts as true; a view has no indices."""

    item: "Type"
    form: Form = "list"


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A list whose length and items are known, such as a pair of `items()`; those of `groupby` have names as well."""

    items: "tuple[Type, ...]"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """The value of a key, and whether the key is always there."""

    type: "Type"
    required: bool = False


@dataclass(frozen=True, slots=True)
class MappingOf:
    """A mapping: its known keys, and the type of the values of all others; None when there are no others."""

    fields: Mapping[str, Field] = field(default_factory=dict)
    rest: "Type | None" = field(default_factory=Anything)


@dataclass(frozen=True, slots=True)
class Object:
    """What is no data: a loop, a namespace, a macro, an imported partial; its attributes where they are known."""

    name: str
    attributes: "Mapping[str, Type] | None" = None
    macro: nodes.Macro | None = None


class Spot(NamedTuple):
    """A word in a template, whose place in the file is looked for only when something is told of it."""

    source: Source
    position: int
    word: str = ""

    @property
    def place(self) -> Location:
        """The place in the file."""
        return self.source.locate_word(self.position, self.word)


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a value is not there: the code, and what to say when it never is and when it may not be.

    One that is `sure` never is there; still it may be that the template does not get to it.
    """

    code: str
    certain: str
    possible: str
    hint: str
    spot: Spot | None = None
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is not there; without a gap, nobody can tell, and nothing is told."""

    gap: Gap | None = None
    unset: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """One of several; none at all is what no value can be."""

    members: "tuple[Type, ...]" = ()


Type = Anything | Null | Boolean | Number | Text | ListOf | TupleOf | MappingOf | Object | Missing | Either

NEVER: Final = Either()
ANY: Final = Anything()
WHOLE: Final = Number(whole=True)

_KINDS: Final[Mapping[type, Kind]] = {
    Anything: "any", Null: "null", Boolean: "boolean", Number: "number", Text: "text", ListOf: "list",
    TupleOf: "list", MappingOf: "mapping", Missing: "missing", Object: "object",
}  # fmt: skip
_NAMES: Final[Mapping[Kind, str]] = {"boolean": "true/false value", "number": "number", "mapping": "mapping"}


def kind_of(one: Type) -> Kind:
    """Give the kind of a type that is no union."""
    return _KINDS[type(one)]


def describe(one: Type) -> str:
    """Name the kind of a type in plain words, with an article where it needs one."""
    if isinstance(one, ListOf) and one.form == "lazy":
        return "a lazy list"
    if isinstance(one, Object):
        return f"a {one.name}"
    kind = kind_of(one)
    return kind if kind in ("null", "text") else f"a {_NAMES.get(kind, kind)}"


def members(one: Type) -> tuple[Type, ...]:
    """Give the members of a union, or the type itself."""
    return one.members if isinstance(one, Either) else (one,)


def keep(one: Type, wanted: Callable[[Type], bool]) -> Type:
    """Keep the members that are wanted."""
    if not isinstance(one, Either):
        return one if wanted(one) else NEVER
    kept = [member for member in one.members if wanted(member)]
    return one if len(kept) == len(one.members) else join(kept)


def is_never(one: Type) -> bool:
    """Say whether no value can have the type."""
    return isinstance(one, Either) and not one.members


def present(one: Type) -> Type:
    """Give the type without what is missing."""
    return keep(one, lambda member: not isinstance(member, Missing))


def type_of(value: Any) -> Type:
    """Give the type of a value that is written out."""
    match value:
        case None:
            return Null()
        case bool():
            return Boolean(frozenset((value,)))
        case int():
            return WHOLE
        case float():
            return Number()
        case str():
            return Text(frozenset((value,)))
        case list():
            return ListOf(join(type_of(item) for item in value))
        case dict():
            return MappingOf({str(key): Field(type_of(item), required=True) for key, item in value.items()}, None)
    return ANY


def join(types: Iterable[Type]) -> Type:
    """Give the type of a value that has one of the types; what is not known at all hides what is."""
    found = [member for one in types for member in (one.members if type(one) is Either else (one,))]
    if len(found) == 1:
        return found[0]
    merged: dict[str, Type] = {}
    variants: list[Type] = []
    for member in found:
        if isinstance(member, (MappingOf, TupleOf, Object, Missing)):
            if member not in variants:
                variants.append(member)
        else:
            label = f"{kind_of(member)} {member.form}" if isinstance(member, ListOf) else kind_of(member)
            merged[label] = _merge(merged[label], member) if label in merged else member
    if "any" in merged:
        return _union([merged["any"], *(one for one in variants if isinstance(one, Missing))])
    return _union([*merged.values(), *_few(variants)])


def _union(found: list[Type]) -> Type:
    return found[0] if len(found) == 1 else Either(tuple(found))


def _merge(left: Type, right: Type) -> Type:
    match left, right:
        case Boolean(), Boolean():
            return Boolean(left.values | right.values)
        case Number(), Number():
            return Number(left.whole and right.whole)
        case Text(), Text():
            return _merge_texts(left, right)
        case ListOf(), ListOf():
            return left if left == right else ListOf(join((left.item, right.item)), left.form)
        case Anything(), Anything():
            return left if left == right else ANY
    return left


def _merge_texts(left: Text, right: Text) -> Text:
    if left.words is not None and right.words is not None:
        return Text(left.words | right.words)
    excluded = [text.without for text in (left, right) if text.words is None]
    known = (left.words or frozenset()) | (right.words or frozenset())
    return Text(None, frozenset.intersection(*excluded) - known)


def _few(variants: list[Type]) -> list[Type]:
    mappings = [one for one in variants if isinstance(one, MappingOf)]
    if len(mappings) <= _MOST_VARIANTS:
        return variants
    return [_blend(mappings), *(one for one in variants if not isinstance(one, MappingOf))]


def _blend(mappings: list[MappingOf]) -> MappingOf:
    names = dict.fromkeys(name for one in mappings for name in one.fields)
    fields = {
        name: Field(
            join(one.fields[name].type for one in mappings if name in one.fields),
            all(name in one.fields and one.fields[name].required for one in mappings),
        )
        for name in names
    }
    rests = [one.rest for one in mappings if one.rest is not None]
    return MappingOf(fields, ANY if rests else None)


class Meeting:
    """Gives the type of a value that has both of two types; when that takes too long, the first is good enough."""

    def __init__(self) -> None:
        self._left = _MOST_MEETINGS

    def __call__(self, left: Type, right: Type) -> Type:  # noqa: C901 -- one line a pair of kinds
        """Meet two types."""
        self._left -= 1
        if left is right or self._left < 0:
            return left
        if isinstance(left, Either) or isinstance(right, Either):
            return join(self(one, other) for one in members(left) for other in members(right))
        if isinstance(right, Anything) and not isinstance(left, Anything):
            left, right = right, left
        match left, right:
            case Anything(shape=MappingOf() as shape), Anything(shape=MappingOf() as other):
                both = self._mappings(shape, other)
                return Anything(both) if isinstance(both, MappingOf) else ANY
            case Anything(shape=MappingOf()), Anything():
                return left
            case Anything(shape=MappingOf() as shape), MappingOf():
                return self._mappings(shape, right)
            case Anything(), _:
                return right
            case Boolean(), Boolean():
                values = left.values & right.values
                return Boolean(values) if values else NEVER
            case Number(), Number():
                return Number(left.whole or right.whole)
            case Text(), Text():
                return meet_texts(left, right)
            case ListOf(), ListOf():
                return replace(left, item=self(left.item, right.item))
            case MappingOf(), MappingOf():
                return self._mappings(left, right)
        return left if left == right else NEVER

    def _mappings(self, left: MappingOf, right: MappingOf) -> Type:
        fields: dict[str, Field] = {}
        for name in dict.fromkeys((*left.fields, *right.fields)):
            mine, other = field_of(left, name), field_of(right, name)
            both = NEVER if mine is None or other is None else self(mine.type, other.type)
            required = any(one is not None and one.required for one in (mine, other))
            if is_never(both) and required:
                return NEVER
            fields[name] = Field(both, required)
        closed = left.rest is None or right.rest is None
        return MappingOf(fields, None if closed else self(left.rest or ANY, right.rest or ANY))


def meet_texts(left: Text, right: Text) -> Type:
    """Give the texts that are both."""
    without = left.without | right.without
    known = [text.words for text in (left, right) if text.words is not None]
    if not known:
        return Text(None, without)
    words = frozenset.intersection(*known) - without
    return Text(words) if words else NEVER


def field_of(owner: MappingOf, name: str) -> Field | None:
    """Give what a mapping says of a key; None when it cannot have it."""
    if name in owner.fields:
        return owner.fields[name]
    return None if owner.rest is None else Field(owner.rest)
