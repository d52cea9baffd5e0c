"""The types of values, as far as they are known before rendering, with the union and intersection of types."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from jinja2 import nodes

from promptpack.linter.analysis_meter import count_steps
from promptpack.problem import Location
from promptpack.template.model import Source

TypeKind = Literal["any", "null", "boolean", "number", "text", "list", "mapping", "missing", "object"]
Form = Literal["list", "lazy", "view"]
# A union of more mappings than this becomes one mapping that may have any of their keys.
_MAX_VARIANTS: Final = 24


class Composite:
    """A type with inner types; compared by its hash, since comparing inner types that repeat takes exponential time."""

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:
        if not hasattr(self, "_hash"):
            values = (getattr(self, name) for name in self.__match_args__)  # type: ignore[attr-defined]  # a dataclass
            parts = (frozenset(value.items()) if isinstance(value, Mapping) else value for value in values)
            object.__setattr__(self, "_hash", hash((type(self), *parts)))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Composite) and hash(self) == hash(other))


@dataclass(frozen=True, slots=True, eq=False)
class AnyType(Composite):
    """An unknown value, about which no problem is reported; `shape` is its type in case it is a mapping."""

    shape: "MappingType | None" = None


@dataclass(frozen=True, slots=True)
class NullType:
    """Null."""


@dataclass(frozen=True, slots=True)
class BooleanType:
    """True, false or either."""

    values: frozenset[bool] = frozenset((True, False))


@dataclass(frozen=True, slots=True)
class NumberType:
    """A number; JSON Schema accepts 1.0 as an integer, so `is_integer` says nothing about the Python class."""

    is_integer: bool = False


@dataclass(frozen=True, slots=True)
class TextType:
    """Text: one of `words` if they are known, and none of `excluded`."""

    words: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class ListType(Composite):
    """A list; a lazy one, as returned by `map`, has no length and is always true; a view has no indices."""

    item: "Type"
    form: Form = "list"


@dataclass(frozen=True, slots=True, eq=False)
class TupleType(Composite):
    """A list of known length and items, such as a pair of `items()`; the pairs of `groupby` have names as well."""

    items: "tuple[Type, ...]"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """The type of the value of a key, and whether the key is always present."""

    type: "Type"
    required: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MappingType(Composite):
    """A mapping: its known keys, and the type of the values of all other keys; None if no others are allowed."""

    properties: Mapping[str, Property] = field(default_factory=dict)
    rest: "Type | None" = field(default_factory=AnyType)


@dataclass(frozen=True, slots=True, eq=False)
class ObjectType(Composite):
    """An object that is not data: a loop, a namespace, a macro, an imported partial; its attributes if known."""

    name: str
    attributes: "Mapping[str, Type] | None" = None
    macro: nodes.Macro | None = None


class LazyLocation(NamedTuple):
    """The position of a word in a template; its location in the file is computed only when a problem is reported."""

    source: Source
    position: int
    word: str = ""

    def resolve(self) -> Location:
        """Return the location in the file."""
        return self.source.locate_word(self.position, self.word)


@dataclass(frozen=True, slots=True)
class MissingReason:
    """Why a value is missing: the code, and the messages for a value that is always missing or only sometimes.

    A definite reason means the value is always missing, though the template may never reach it.
    """

    code: str
    certain_message: str
    possible_message: str
    hint: str
    location: LazyLocation | None = None
    is_definite: bool = False


@dataclass(frozen=True, slots=True)
class MissingType:
    """A missing value; without a reason it is unknown whether it is missing, and no problem is reported."""

    reason: MissingReason | None = None
    is_unset: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class UnionType(Composite):
    """One of several types; without members, no value has the type."""

    members: "tuple[Type, ...]" = ()


Type = (
    AnyType | NullType | BooleanType | NumberType | TextType | ListType | TupleType | MappingType | ObjectType
    | MissingType | UnionType
)  # fmt: skip

NEVER: Final = UnionType()
ANY: Final = AnyType()
INTEGER: Final = NumberType(is_integer=True)

_KINDS: Final[Mapping[type, TypeKind]] = {
    AnyType: "any", NullType: "null", BooleanType: "boolean", NumberType: "number", TextType: "text", ListType: "list",
    TupleType: "list", MappingType: "mapping", MissingType: "missing", ObjectType: "object",
}  # fmt: skip
_NAMES: Final[Mapping[TypeKind, str]] = {"boolean": "true/false value", "number": "number", "mapping": "mapping"}


def kind_of(type_: Type) -> TypeKind:
    """Return the kind of a type that is not a union."""
    return _KINDS[type(type_)]


def form_of(type_: Type) -> str:
    """Return the kind of a type as signatures name it: a list is named by its form."""
    return type_.form if isinstance(type_, ListType) else kind_of(type_)


def describe(type_: Type) -> str:
    """Return the kind of a type in plain words, with an article if it needs one."""
    if isinstance(type_, ListType) and type_.form == "lazy":
        return "a lazy list"
    if isinstance(type_, ObjectType):
        return f"a {type_.name}"
    kind = kind_of(type_)
    return kind if kind in ("null", "text") else f"a {_NAMES.get(kind, kind)}"


def members(type_: Type) -> tuple[Type, ...]:
    """Return the members of a union, or the type itself."""
    return type_.members if isinstance(type_, UnionType) else (type_,)


def filter_members(type_: Type, wanted: Callable[[Type], bool]) -> Type:
    """Return the union of the members that `wanted` accepts."""
    if not isinstance(type_, UnionType):
        return type_ if wanted(type_) else NEVER
    kept = [member for member in type_.members if wanted(member)]
    return type_ if len(kept) == len(type_.members) else union(kept)


def is_never(type_: Type) -> bool:
    """Return whether no value can have the type."""
    return isinstance(type_, UnionType) and not type_.members


def drop_missing(type_: Type) -> Type:
    """Return the type without its missing members."""
    return filter_members(type_, lambda member: not isinstance(member, MissingType))


def type_of(value: Any) -> Type:
    """Return the type of a literal value."""
    match value:
        case None:
            return NullType()
        case bool():
            return BooleanType(frozenset((value,)))
        case int():
            return INTEGER
        case float():
            return NumberType()
        case str():
            return TextType(frozenset((value,)))
        case list():
            return ListType(union(type_of(item) for item in value))
        case dict():
            return MappingType({str(key): Property(type_of(item), required=True) for key, item in value.items()}, None)
    return ANY


def union(types: Iterable[Type]) -> Type:
    """Return the type of a value that has one of the types; an unknown type absorbs the known ones."""
    found = [member for one in types for member in (one.members if type(one) is UnionType else (one,))]
    count_steps(1 + len(found) // 8)
    if len(found) == 1:
        return found[0]
    groups: dict[str, list[Type]] = {}
    for member in found:
        is_variant = isinstance(member, (MappingType, TupleType, ObjectType, MissingType))
        groups.setdefault("variants" if is_variant else form_of(member), []).append(member)
    variants = groups.pop("variants", [])
    if "any" in groups:
        groups = {"any": groups["any"]}
        variants = [one for one in variants if isinstance(one, MissingType)]
    merged = [*(_merge(group) for group in groups.values()), *_limit_variants(variants)]
    return merged[0] if len(merged) == 1 else UnionType(tuple(merged))


def _merge(group: list[Type]) -> Type:
    """Return the union of types of one kind."""
    if len(group) == 1:
        return group[0]
    match group[0]:
        case BooleanType():
            return BooleanType(frozenset().union(*(one.values for one in group if isinstance(one, BooleanType))))
        case NumberType():
            return NumberType(all(isinstance(one, NumberType) and one.is_integer for one in group))
        case TextType():
            return _merge_texts([one for one in group if isinstance(one, TextType)])
    if len(set(group)) == 1:
        return group[0]
    if isinstance(group[0], ListType):
        return ListType(union(one.item for one in group if isinstance(one, ListType)), group[0].form)
    return ANY


def _merge_texts(texts: list[TextType]) -> TextType:
    count_steps(sum(len(text.words or text.excluded) for text in texts) // 512)
    known: frozenset[str] = frozenset().union(*(text.words for text in texts if text.words is not None))
    excluded = [text.excluded for text in texts if text.words is None]
    return TextType(None, frozenset.intersection(*excluded) - known) if excluded else TextType(known)


def _limit_variants(variants: list[Type]) -> list[Type]:
    if len(variants) < 2:
        return variants
    variants = list(dict.fromkeys(variants))
    mappings = [one for one in variants if isinstance(one, MappingType)]
    if len(mappings) <= _MAX_VARIANTS:
        return variants
    return [_merge_mappings(mappings), *(one for one in variants if not isinstance(one, MappingType))]


def _merge_mappings(mappings: list[MappingType]) -> MappingType:
    names = dict.fromkeys(name for one in mappings for name in one.properties)
    count_steps(len(names) * len(mappings) // 8)
    properties = {
        name: Property(
            union(one.properties[name].type for one in mappings if name in one.properties),
            all(name in one.properties and one.properties[name].required for one in mappings),
        )
        for name in names
    }
    rests = [one.rest for one in mappings if one.rest is not None]
    return MappingType(properties, ANY if rests else None)


def intersect(left: Type, right: Type) -> Type:  # noqa: C901 -- one case per pair of kinds
    """Return the type of a value that has both types."""
    count_steps()
    if left is right:
        return left
    if isinstance(left, UnionType) or isinstance(right, UnionType):
        return union(intersect(one, other) for one in members(left) for other in members(right))
    if isinstance(right, AnyType) and not isinstance(left, AnyType):
        left, right = right, left
    match left, right:
        case AnyType(shape=MappingType() as shape), AnyType(shape=MappingType() as other):
            both = _intersect_mappings(shape, other)
            return AnyType(both) if isinstance(both, MappingType) else ANY
        case AnyType(shape=MappingType()), AnyType():
            return left
        case AnyType(shape=MappingType() as shape), MappingType():
            return _intersect_mappings(shape, right)
        case AnyType(), _:
            return right
        case BooleanType(), BooleanType():
            values = left.values & right.values
            return BooleanType(values) if values else NEVER
        case NumberType(), NumberType():
            return NumberType(left.is_integer or right.is_integer)
        case TextType(), TextType():
            return intersect_texts(left, right)
        case ListType(), ListType():
            return replace(left, item=intersect(left.item, right.item))
        case MappingType(), MappingType():
            return _intersect_mappings(left, right)
    return left if left == right else NEVER


def _intersect_mappings(left: MappingType, right: MappingType) -> Type:
    properties: dict[str, Property] = {}
    for name in dict.fromkeys((*left.properties, *right.properties)):
        mine, other = property_of(left, name), property_of(right, name)
        both = NEVER if mine is None or other is None else intersect(mine.type, other.type)
        required = any(one is not None and one.required for one in (mine, other))
        if is_never(both) and required:
            return NEVER
        properties[name] = Property(both, required)
    closed = left.rest is None or right.rest is None
    return MappingType(properties, None if closed else intersect(left.rest or ANY, right.rest or ANY))


def intersect_texts(left: TextType, right: TextType) -> Type:
    """Return the intersection of two text types."""
    count_steps((len(left.words or left.excluded) + len(right.words or right.excluded)) // 512)
    excluded = left.excluded | right.excluded
    known = [text.words for text in (left, right) if text.words is not None]
    if not known:
        return TextType(None, excluded)
    words = frozenset.intersection(*known) - excluded
    return TextType(words) if words else NEVER


def property_of(owner: MappingType, name: str) -> Property | None:
    """Return the property of a mapping with this name; None if the mapping cannot have it."""
    if name in owner.properties:
        return owner.properties[name]
    return None if owner.rest is None else Property(owner.rest)
