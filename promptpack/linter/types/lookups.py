"""Look up keys, indices and methods on types."""

from dataclasses import replace
from typing import Final

from jinja2 import nodes

from promptpack.linter.analysis_meter import count_steps
from promptpack.linter.schema_lookup import is_misspelling
from promptpack.linter.types.lattice import (
    ANY,
    NEVER,
    AnyType,
    LazyLocation,
    ListType,
    MappingType,
    MissingReason,
    MissingType,
    NullType,
    ObjectType,
    TextType,
    TupleType,
    Type,
    describe,
    is_never,
    members,
    property_of,
    union,
)
from promptpack.linter.types.problems import MAYBE_MISSING, UNKNOWN_KEY, WRONG_KIND, ProblemCollector, spell
from promptpack.linter.types.signatures import LIST_METHODS, LOOP_METHODS, MAPPING_METHODS, TEXT_METHODS, value_of
from promptpack.problem import Problem, Severity, did_you_mean

_SIZES: Final = ("length", "size", "count", "len")
_QUOTE: Final = "'"


def look_up(owner: Type, key: str, node: nodes.Node, collector: ProblemCollector) -> Type:
    """Return the type of `X.key`; a missing key is reported only where it is used."""
    at = collector.locate_lazily(node, key)
    subject = spell(node.node)  # type: ignore[attr-defined]  # lookups only
    found = [(one, _key(one, key, subject, at, collector)) for one in members(owner)]
    wrong = [one for one, value in found if value is None]
    values = [value for _, value in found if value is not None]
    if wrong:
        values.append(_missing_key(wrong, key, subject, at, certain=not values))
    return _mark_definite(union(values))


def _mark_definite(found: Type) -> Type:
    """Mark a key as definitely missing if every variant lacks it."""
    reasons = [one.reason for one in members(found) if isinstance(one, MissingType)]
    if len(reasons) < len(members(found)) or None in reasons:
        return found
    return union(MissingType(replace(reason, is_definite=True)) for reason in reasons if reason is not None)


def _missing_key(wrong: list[Type], key: str, subject: str, at: LazyLocation, *, certain: bool) -> Type:
    kinds = " or ".join(dict.fromkeys(describe(one) for one in wrong))
    hint = "" if certain else "test it with 'is mapping' first"
    if key in _SIZES:
        hint = f"write {subject.strip(_QUOTE)} | length"
    certain_message, possible = (f"{subject} {verb} {kinds}, which has no key {key!r}" for verb in ("is", "may be"))
    return MissingType(MissingReason(WRONG_KIND, certain_message, possible, hint, at))


def _key(one: Type, key: str, subject: str, at: LazyLocation, collector: ProblemCollector) -> Type | None:
    match one:
        case AnyType():
            if one.shape is not None:
                _warn_misspelled(one.shape, key, subject, at, collector)
            return union((ANY, MissingType()))
        case MappingType():
            return _key_of_mapping(one, key, subject, at, collector)
        case ObjectType():
            return _attribute(one, key, at)
        case TupleType() if key in one.names:
            return one.items[one.names.index(key)]
    return None


def _key_of_mapping(owner: MappingType, key: str, subject: str, at: LazyLocation, collector: ProblemCollector) -> Type:
    known = property_of(owner, key)
    possible = f"{subject} may have no key {key!r}"
    if known is None:
        count_steps(len(owner.properties))
        hint = did_you_mean(key, owner.properties) or _keys_hint(owner)
        return MissingType(MissingReason(UNKNOWN_KEY, f"{subject} has no key {key!r}", possible, hint, at))
    if key not in owner.properties:
        _warn_misspelled(owner, key, subject, at, collector)
        return union((known.type, MissingType()))
    if known.required:
        return known.type
    if is_never(known.type):
        certain = f"{subject} has no key {key!r} here"
        return MissingType(MissingReason(MAYBE_MISSING, certain, possible, "", at))
    hint = "add it to 'required', test it with 'is defined', or give a default"
    return union((known.type, MissingType(MissingReason(MAYBE_MISSING, possible, possible, hint, at))))


def _keys_hint(owner: MappingType) -> str:
    return f"its keys are {', '.join(owner.properties)}" if owner.properties else "it has no keys"


def _attribute(owner: ObjectType, key: str, at: LazyLocation) -> Type:
    if owner.attributes is None:
        return union((ANY, MissingType()))
    if key in owner.attributes:
        return owner.attributes[key]
    message = f"{owner.name!r} has no {key!r}"
    return MissingType(MissingReason(UNKNOWN_KEY, message, message, did_you_mean(key, owner.attributes), at))


def _has_key(owner: Type, key: str) -> bool:
    """Return whether every kind of a value is a mapping that declares a key."""
    return all(isinstance(one, MappingType) and key in one.properties for one in members(owner))


def _warn_misspelled(owner: MappingType, key: str, subject: str, at: LazyLocation, collector: ProblemCollector) -> None:
    count_steps(len(owner.properties) // 8)
    if key in owner.properties:
        return
    near = next((name for name in owner.properties if is_misspelling(key, name)), None)
    near = near or next((f"{name}.{key}" for name, one in owner.properties.items() if _has_key(one.type, key)), None)
    if near is not None:
        message = f"{subject} declares no key {key!r}"
        collector.add(Problem(UNKNOWN_KEY, message, at.resolve(), f"did you mean {near!r}?", "warning"))


def look_up_index(owner: Type, argument: Type, node: nodes.Getitem, collector: ProblemCollector) -> Type:
    """Return the type of `X[argument]` for an argument that is not a literal key."""
    return union(_index(one, argument, node, collector) for one in members(owner))


def _index(one: Type, argument: Type, node: nodes.Getitem, collector: ProblemCollector) -> Type:
    words = [member for member in members(argument) if isinstance(member, TextType)]
    if isinstance(one, MappingType):
        if len(words) == len(members(argument)) and all(word.words is not None for word in words):
            names = sorted(name for word in words for name in word.words or ())
            return union((*(_property_type(one, name) for name in names), MissingType()))
        return union((value_of(one), MissingType()))
    if isinstance(one, (ListType, TupleType)) and not (isinstance(one, ListType) and one.form != "list"):
        if words and len(words) == len(members(argument)):
            return _missing_index(one, "text", node, collector)
        position = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if isinstance(one, TupleType) and isinstance(position, int) and -len(one.items) <= position < len(one.items):
            return one.items[position]
        # The length of a list is unknown.
        return union((one.item if isinstance(one, ListType) else union(one.items), MissingType()))
    if isinstance(one, TextType):
        return union((TextType(), MissingType()))
    if isinstance(one, (AnyType, ObjectType)):
        return union((ANY, MissingType()))
    return _missing_index(one, "", node, collector)


def _property_type(owner: MappingType, name: str) -> Type:
    known = property_of(owner, name)
    return NEVER if known is None else known.type


def _missing_index(one: Type, by: str, node: nodes.Getitem, collector: ProblemCollector) -> Type:
    subject = spell(node.node)
    tail = f"cannot be indexed by {by}" if by else "cannot be indexed"
    lazy = isinstance(one, ListType) and one.form != "list"
    hint = "add '| list' before it" if lazy else ""
    certain, possible = (f"{subject} {verb} {describe(one)}, which {tail}" for verb in ("is", "may be"))
    return MissingType(MissingReason(WRONG_KIND, certain, possible, hint, collector.locate_lazily(node)))


def call_method(
    owner: Type, name: str, arguments: list[Type], node: nodes.Getattr, collector: ProblemCollector
) -> Type:
    """Return the type of the result of a method, and report a method that the value does not have."""
    found = [(one, _method(one, name, arguments)) for one in members(owner)]
    lacking = [one for one, result in found if result is None]
    if lacking:
        certain = len(lacking) == len(found)
        kinds = " or ".join(dict.fromkeys(describe(one) for one in lacking))
        message = f"{spell(node.node)} {'is' if certain else 'may be'} {kinds}, which has no method {name!r}"
        severity: Severity = "error" if certain else "warning"
        collector.add(Problem(WRONG_KIND, message, collector.locate(node, name), "", severity))
    return union(result for _, result in found if result is not None) if len(lacking) < len(found) else ANY


def _method(one: Type, name: str, arguments: list[Type]) -> Type | None:
    match one:
        case AnyType():
            return ANY
        case TextType():
            return TEXT_METHODS.get(name)
        case ListType(form="list") | TupleType():
            return LIST_METHODS.get(name)
        case MappingType():
            return _get(one, arguments) if name == "get" else _method_of_mapping(one, name)
        case ObjectType(name="loop"):
            return LOOP_METHODS.get(name)
        case ObjectType():
            return ANY
    return None


def _method_of_mapping(one: MappingType, name: str) -> Type | None:
    returns = MAPPING_METHODS.get(name)
    return None if returns is None else returns(one)


def _get(owner: MappingType, arguments: list[Type]) -> Type:
    default = arguments[1] if len(arguments) > 1 else NullType()
    match arguments[:1]:
        case [TextType(words=frozenset() as words)] if len(words) == 1:
            known = property_of(owner, next(iter(words)))
            if known is None:
                return default
            return known.type if known.required else union((known.type, default))
    return union((value_of(owner), default))
