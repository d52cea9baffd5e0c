"""Narrow types by conditions: the part of a type for which a test holds, and the names that it narrows."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jinja2 import nodes

from promptpack.linter.analysis_meter import count_steps
from promptpack.linter.types.lattice import (
    NEVER,
    AnyType,
    BooleanType,
    ListType,
    MappingType,
    MissingType,
    NullType,
    NumberType,
    ObjectType,
    Property,
    TextType,
    TupleType,
    Type,
    UnionType,
    intersect_texts,
    is_never,
    members,
    union,
)

Narrower = Callable[[Type], Type]
"""Returns the part of a type for which a condition holds."""

_EMPTY: Final = frozenset(("",))


@dataclass(frozen=True, slots=True)
class TypeScope:
    """The type of each name at one position of a template; `narrowed` holds the types narrowed by conditions."""

    types: Mapping[str, Type]
    narrowed: Mapping[str, Type] = field(default_factory=dict)
    inner: frozenset[str] = frozenset()

    def get(self, name: str) -> Type | None:
        """Return the type of a name, or None if nothing sets it."""
        return self.narrowed.get(name) or self.types.get(name)

    def bind(self, types: Mapping[str, Type], *, inner: bool = False) -> "TypeScope":
        """Set names; `inner` marks names that belong to a loop or another inner scope."""
        count_steps((len(self.types) + len(self.narrowed)) // 512)
        narrowed = {name: one for name, one in self.narrowed.items() if name not in types}
        return TypeScope({**self.types, **types}, narrowed, self.inner.union(types) if inner else self.inner)

    def narrow(self, name: str, type_: Type) -> "TypeScope":
        """Narrow the type of a name."""
        return replace(self, narrowed={**self.narrowed, name: type_})

    def limited_to(self, names: frozenset[str]) -> "TypeScope":
        """Return the scope with only these names; with macros among them, all names, since macros may use any."""
        count_steps(min(len(names), len(self.types)) // 128)
        types = {name: self.types[name] for name in self.types.keys() & names}
        if any(
            isinstance(one, ObjectType) and one.name != "loop" for type_ in types.values() for one in members(type_)
        ):
            return self
        narrowed = {name: self.narrowed[name] for name in self.narrowed.keys() & names}
        return TypeScope(types, narrowed, self.inner & names)

    @property
    def key(self) -> Hashable:
        """Equal only for scopes with the same types."""
        count_steps(len(self.types) // 128)
        return frozenset(self.types.items()), frozenset(self.narrowed.items()), self.inner


def merge_scopes(left: TypeScope | None, right: TypeScope | None) -> TypeScope | None:
    """Return the scope in which one of two conditions holds."""
    if left is None or right is None:
        return left or right
    narrowed = {
        name: union((one, right.narrowed[name])) for name, one in left.narrowed.items() if name in right.narrowed
    }
    return replace(left, narrowed=narrowed)


def scope_after(before: TypeScope, branches: Iterable[TypeScope]) -> TypeScope:
    """Return the scope after branches, of which one was taken; a name that only some of them set may be unset."""
    # Branches that set nothing share their types.
    ends = list({id(end.types): end.types for end in branches}.values())
    if not ends:
        return before
    names = dict.fromkeys(name for end in ends for name in end)
    count_steps(len(names) * len(ends) // 128)
    types = ends[0] if len(ends) == 1 else {name: _type_after(name, ends) for name in names}
    narrowed = {
        name: one for name, one in before.narrowed.items() if all(end[name] is before.types[name] for end in ends)
    }
    return replace(before, types=types, narrowed=narrowed)


def _type_after(name: str, ends: list[Mapping[str, Type]]) -> Type:
    found = [end.get(name) for end in ends]
    if all(one is found[0] for one in found) and found[0] is not None:
        return found[0]
    return union(MissingType(is_unset=True) if one is None else one for one in found)


def narrow_scope(scope: TypeScope | None, node: nodes.Node, narrower: Narrower) -> TypeScope | None:
    """Narrow the name that an expression starts with, by a condition on the expression; None if it never holds."""
    if scope is None:
        return None
    if isinstance(node, nodes.Name):
        known = scope.get(node.name)
        if known is None:
            return scope
        narrowed = narrower(known)
        return None if is_never(narrowed) else scope.narrow(node.name, narrowed)
    key = constant_key(node)
    if key is None:
        return scope
    return narrow_scope(scope, node.node, lambda owner: union(narrow_key(one, key, narrower) for one in members(owner)))  # type: ignore[attr-defined]  # both kinds of lookup have it


def constant_key(node: nodes.Node) -> str | None:
    """Return the key of `X.key` and `X["key"]`, or None if it is not a literal."""
    match node:
        case nodes.Getattr():
            return node.attr
        case nodes.Getitem(arg=nodes.Const(value=str() as key)):
            return key
    return None


def narrow_key(owner: Type, key: str, narrower: Narrower) -> Type:
    """Narrow a mapping by a condition on one of its keys."""
    if isinstance(owner, (AnyType, ObjectType)):
        return owner
    if not isinstance(owner, MappingType):
        return NEVER if is_never(narrower(MissingType())) else owner
    count_steps(len(owner.properties) // 512)
    known = owner.properties.get(key)
    if known is not None:
        before = known.type if known.required else union((known.type, MissingType()))
    else:
        before = MissingType() if owner.rest is None else union((owner.rest, MissingType()))
    now = narrower(before)
    if is_never(now):
        return NEVER
    present = [one for one in members(now) if not isinstance(one, MissingType)]
    narrowed = Property(union(present), required=len(present) == len(members(now)))
    return replace(owner, properties={**owner.properties, key: narrowed})


def for_each_member(rule: Callable[[Type], Type]) -> Narrower:
    """Return a narrower that applies a rule to each member of a union."""
    return lambda type_: union(map(rule, type_.members)) if isinstance(type_, UnionType) else rule(type_)


def _truthy(one: Type) -> Type:
    match one:
        case NullType() | MissingType():
            return NEVER
        case BooleanType():
            return BooleanType(one.values & {True}) if True in one.values else NEVER
        case TextType():
            return intersect_texts(one, TextType(None, _EMPTY))
        case ListType() if is_never(one.item) and one.form != "lazy":
            return NEVER
        case TupleType(items=()):
            return NEVER
        case MappingType() if not one.properties and one.rest is None:
            return NEVER
    return one


def _falsy(one: Type) -> Type:
    match one:
        case MissingType() | ObjectType() | ListType(form="lazy"):
            return NEVER
        case BooleanType():
            return BooleanType(one.values & {False}) if False in one.values else NEVER
        case TextType():
            return intersect_texts(one, TextType(_EMPTY))
        case ListType():
            return ListType(NEVER, one.form)
        case TupleType() if one.items:
            return NEVER
        case MappingType():
            return NEVER if any(known.required for known in one.properties.values()) else MappingType({}, None)
    return one


truthy: Final[Narrower] = for_each_member(_truthy)
falsy: Final[Narrower] = for_each_member(_falsy)
# In `{{#if}}` of Handlebars, a missing value is false and an empty mapping is true.
handlebars_truthy: Final[Narrower] = for_each_member(lambda one: one if isinstance(one, MappingType) else _truthy(one))
handlebars_falsy: Final[Narrower] = for_each_member(
    lambda one: NEVER if isinstance(one, MappingType) else one if isinstance(one, MissingType) else _falsy(one)
)


def _by_kinds(*kinds: type) -> tuple[Narrower, Narrower]:
    """Return the two narrowers of a test that holds for every value of these kinds, and for no other."""
    return (
        for_each_member(lambda one: one if isinstance(one, (AnyType, *kinds)) else NEVER),
        for_each_member(lambda one: NEVER if isinstance(one, kinds) else one),
    )


def _within_kinds(*kinds: type) -> tuple[Narrower, Narrower]:
    """Return the two narrowers of a test that holds for some values of these kinds, and for no other."""
    return _by_kinds(*kinds)[0], for_each_member(lambda one: one)


def _by_list_forms(*forms: str) -> tuple[Narrower, Narrower]:
    def holds(one: Type) -> bool:
        return isinstance(one, (TupleType, TextType, MappingType)) or (isinstance(one, ListType) and one.form in forms)

    return (
        for_each_member(lambda one: one if isinstance(one, AnyType) or holds(one) else NEVER),
        for_each_member(lambda one: NEVER if holds(one) else one),
    )


def among(values: list[Any]) -> tuple[Narrower, Narrower]:
    """Return the two narrowers of `in` with a literal list, or of `==` with one value: those that hold and fail."""
    words = frozenset(value for value in values if isinstance(value, str))
    booleans = frozenset(value for value in values if isinstance(value, bool))
    numbers = frozenset(type(value) for value in values if isinstance(value, (int, float)))

    def same(one: Type) -> Type:
        match one:
            case AnyType():
                return one
            case TextType():
                return intersect_texts(one, TextType(words))
            case NullType():
                return one if None in values else NEVER
            case BooleanType():
                # A number may equal true or false.
                kept = one.values if numbers - {bool} else one.values & booleans
                return BooleanType(kept) if kept else NEVER
            case NumberType():
                return one if numbers else NEVER
        return NEVER

    def other(one: Type) -> Type:
        match one:
            case TextType():
                return intersect_texts(one, TextType(None, words))
            case NullType():
                return NEVER if None in values else one
            case BooleanType():
                return BooleanType(one.values - booleans) if one.values - booleans else NEVER
        return one

    return for_each_member(same), for_each_member(other)


DEFINED: Final = (
    for_each_member(lambda one: NEVER if isinstance(one, MissingType) else one),
    for_each_member(lambda one: one if isinstance(one, MissingType) else NEVER),
)
TEST_NARROWERS: Final[Mapping[str, tuple[Narrower, Narrower]]] = {
    "defined": DEFINED,
    "undefined": (DEFINED[1], DEFINED[0]),
    "none": _by_kinds(NullType),
    "string": _by_kinds(TextType),
    "mapping": _by_kinds(MappingType),
    "number": _by_kinds(NumberType, BooleanType),
    "integer": _within_kinds(NumberType),
    "float": _within_kinds(NumberType),
    "boolean": _by_kinds(BooleanType),
    "true": among([True]),
    "false": among([False]),
    "sequence": _by_list_forms("list"),
    "iterable": _by_list_forms("list", "lazy", "view"),
}
