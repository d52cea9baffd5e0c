"""What a condition says about the values in it: the part of a type for which a test holds, and the names it narrows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jinja2 import nodes

from promptpack.linter.types.lattice import (
    NEVER,
    Anything,
    Boolean,
    Field,
    ListOf,
    MappingOf,
    Missing,
    Null,
    Number,
    Object,
    Text,
    TupleOf,
    Type,
    is_never,
    join,
    meet_texts,
    members,
)

Part = Callable[[Type], Type]
"""The part of a type for which something holds."""

_EMPTY: Final = frozenset(("",))


@dataclass(frozen=True, slots=True)
class Env:
    """What is known of each name at one place of a template; `narrowed` is what conditions around it add."""

    types: Mapping[str, Type]
    narrowed: Mapping[str, Type] = field(default_factory=dict)
    inner: frozenset[str] = frozenset()

    def get(self, name: str) -> Type | None:
        """Give the type of a name, or None when nothing sets it."""
        return self.narrowed.get(name) or self.types.get(name)

    def bind(self, name: str, type_: Type, *, inner: bool = False) -> "Env":
        """Set a name; one that belongs to a loop or another inner scope is `inner`."""
        narrowed = {other: one for other, one in self.narrowed.items() if other != name}
        return Env({**self.types, name: type_}, narrowed, self.inner | {name} if inner else self.inner)

    def narrow(self, name: str, type_: Type) -> "Env":
        """Say more about a name."""
        return replace(self, narrowed={**self.narrowed, name: type_})


def either(left: Env | None, right: Env | None) -> Env | None:
    """Give what is known when one of two conditions holds."""
    if left is None or right is None:
        return left or right
    narrowed = {
        name: join((one, right.narrowed[name])) for name, one in left.narrowed.items() if name in right.narrowed
    }
    return replace(left, narrowed=narrowed)


def after(before: Env, branches: Iterable[Env]) -> Env:
    """Give what is known after branches of which one was taken; a name that only some of them set may be unset."""
    ends = list(branches)
    if not ends:
        return before
    names = dict.fromkeys(name for end in ends for name in end.types)
    return replace(before, types={name: _after(name, ends) for name in names}, narrowed=_still(before, ends))


def _after(name: str, ends: list[Env]) -> Type:
    found = [end.types.get(name) for end in ends]
    if all(one is found[0] for one in found) and found[0] is not None:
        return found[0]
    return join(Missing(unset=True) if one is None else one for one in found)


def _still(before: Env, ends: list[Env]) -> Mapping[str, Type]:
    return {
        name: one for name, one in before.narrowed.items() if all(end.types[name] is before.types[name] for end in ends)
    }


def refine(env: Env | None, node: nodes.Node, part: Part) -> Env | None:
    """Narrow the name that an expression starts from, by what holds of the expression; None: it cannot hold."""
    if env is None:
        return None
    if isinstance(node, nodes.Name):
        known = env.get(node.name)
        if known is None:
            return env
        narrowed = part(known)
        return None if is_never(narrowed) else env.narrow(node.name, narrowed)
    key = constant_key(node)
    if key is None:
        return env
    return refine(env, node.node, lambda owner: join(refine_key(one, key, part) for one in members(owner)))  # type: ignore[attr-defined]  # both look-ups have it


def constant_key(node: nodes.Node) -> str | None:
    """Give the key of `X.key` and `X["key"]`, or None when it is not written out."""
    match node:
        case nodes.Getattr():
            return node.attr
        case nodes.Getitem(arg=nodes.Const(value=str() as key)):
            return key
    return None


def refine_key(owner: Type, key: str, part: Part) -> Type:
    """Narrow a mapping by what holds of one of its keys."""
    if isinstance(owner, (Anything, Object)):
        return owner
    if not isinstance(owner, MappingOf):
        return NEVER if is_never(part(Missing())) else owner
    known = owner.fields.get(key)
    if known is not None:
        before = known.type if known.required else join((known.type, Missing()))
    else:
        before = Missing() if owner.rest is None else join((owner.rest, Missing()))
    now = part(before)
    if is_never(now):
        return NEVER
    there = [one for one in members(now) if not isinstance(one, Missing)]
    if not there:
        return replace(owner, fields={**owner.fields, key: Field(NEVER)})
    return replace(owner, fields={**owner.fields, key: Field(join(there), len(there) == len(members(now)))})


def each(rule: Callable[[Type], Type]) -> Part:
    """Make a part of what it is for each member of a union."""
    return lambda type_: join(rule(one) for one in members(type_))


def _truthy(one: Type) -> Type:
    match one:
        case Null() | Missing():
            return NEVER
        case Boolean():
            return Boolean(one.values & {True}) if True in one.values else NEVER
        case Text():
            return meet_texts(one, Text(None, _EMPTY))
        case ListOf() if is_never(one.item) and one.form != "lazy":
            return NEVER
        case TupleOf(items=()):
            return NEVER
        case MappingOf() if not one.fields and one.rest is None:
            return NEVER
    return one


def _falsy(one: Type) -> Type:
    match one:
        case Missing() | Object() | ListOf(form="lazy"):
            return NEVER
        case Boolean():
            return Boolean(one.values & {False}) if False in one.values else NEVER
        case Text():
            return meet_texts(one, Text(_EMPTY))
        case ListOf():
            return ListOf(NEVER, one.form)
        case TupleOf() if one.items:
            return NEVER
        case MappingOf():
            return NEVER if any(known.required for known in one.fields.values()) else MappingOf({}, None)
    return one


truthy: Final[Part] = each(_truthy)
falsy: Final[Part] = each(_falsy)
# `{{#if}}` of Handlebars: what is missing is false, and an empty mapping is true.
handlebars_truthy: Final[Part] = each(lambda one: one if isinstance(one, MappingOf) else _truthy(one))
handlebars_falsy: Final[Part] = each(
    lambda one: NEVER if isinstance(one, MappingOf) else one if isinstance(one, Missing) else _falsy(one)
)


def _kinds(*kinds: type) -> tuple[Part, Part]:
    """Make the two parts of a test that holds for every value of these kinds, and for no other."""
    return (
        each(lambda one: one if isinstance(one, (Anything, *kinds)) else NEVER),
        each(lambda one: NEVER if isinstance(one, kinds) else one),
    )


def _some_of(*kinds: type) -> tuple[Part, Part]:
    """Make the two parts of a test that holds for some values of these kinds, and for no other."""
    return _kinds(*kinds)[0], each(lambda one: one)


def _value(value: bool) -> tuple[Part, Part]:
    def other(one: Type) -> Type:
        if not isinstance(one, Boolean):
            return one
        return Boolean(one.values - {value}) if one.values - {value} else NEVER

    return equal_to(value)[0], each(other)


def _listed(*forms: str) -> tuple[Part, Part]:
    def holds(one: Type) -> bool:
        return isinstance(one, (TupleOf, Text, MappingOf)) or (isinstance(one, ListOf) and one.form in forms)

    return (
        each(lambda one: one if isinstance(one, Anything) or holds(one) else NEVER),
        each(lambda one: NEVER if holds(one) else one),
    )


def equal_to(value: Any) -> tuple[Part, Part]:
    """Make the two parts of a comparison with a value that is written out."""

    def same(one: Type) -> Type:
        match one, value:
            case Anything(), _:
                return one
            case Text(), str():
                return meet_texts(one, Text(frozenset((value,))))
            case Null(), None:
                return one
            case Boolean(), bool():
                return Boolean(one.values & {value}) if value in one.values else NEVER
            case ((Number() | Boolean()), (int() | float())):
                return one
        return NEVER

    def other(one: Type) -> Type:
        match one, value:
            case Text(), str():
                return meet_texts(one, Text(None, frozenset((value,))))
            case Null(), None:
                return NEVER
            case Boolean(), bool():
                return Boolean(one.values - {value}) if one.values - {value} else NEVER
        return one

    return each(same), each(other)


def among(values: list[Any]) -> tuple[Part, Part]:
    """Make the two parts of `in` with a list that is written out."""
    pairs = [equal_to(value) for value in values]

    def other(type_: Type) -> Type:
        for _, rest in pairs:
            type_ = rest(type_)
        return type_

    return (lambda type_: join(same(type_) for same, _ in pairs)), other


DEFINED: Final = (
    each(lambda one: NEVER if isinstance(one, Missing) else one),
    each(lambda one: one if isinstance(one, Missing) else NEVER),
)
TEST_PARTS: Final[Mapping[str, tuple[Part, Part]]] = {
    "defined": DEFINED,
    "undefined": (DEFINED[1], DEFINED[0]),
    "none": _kinds(Null),
    "string": _kinds(Text),
    "mapping": _kinds(MappingOf),
    "number": _kinds(Number, Boolean),
    "integer": _some_of(Number),
    "float": _some_of(Number),
    "boolean": _kinds(Boolean),
    "true": _value(True),
    "false": _value(False),
    "sequence": _listed("list"),
    "iterable": _listed("list", "lazy", "view"),
}
