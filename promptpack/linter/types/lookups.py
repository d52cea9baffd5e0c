"""Looking up keys, indices and methods: what a value of each type has by a name."""

from dataclasses import replace

from jinja2 import nodes

from promptpack.linter.types.lattice import (
    ANY,
    NEVER,
    Anything,
    Gap,
    ListOf,
    MappingOf,
    Missing,
    Null,
    Object,
    Spot,
    Text,
    TupleOf,
    Type,
    describe,
    field_of,
    is_never,
    join,
    members,
)
from promptpack.linter.types.report import MAYBE_MISSING, UNKNOWN_KEY, WRONG_KIND, Report, spell
from promptpack.linter.types.signatures import LIST_METHODS, LOOP_METHODS, MAPPING_METHODS, TEXT_METHODS, value_of
from promptpack.problem import Problem, Severity, did_you_mean

_SHORTEST_MISSPELT = 5


def look_up(owner: Type, key: str, node: nodes.Node, report: Report) -> Type:
    """Give the type of `X.key`; what is not there is told where it is used."""
    spot = report.spot(node, key)
    subject = spell(node.node)  # type: ignore[attr-defined]  # look-ups only
    found = [(one, _key(one, key, subject, spot, report)) for one in members(owner)]
    wrong = [one for one, value in found if value is None]
    values = [value for _, value in found if value is not None]
    if wrong:
        values.append(_no_key(wrong, key, subject, spot, certain=not values))
    return _sure(join(values))


def _sure(found: Type) -> Type:
    """Be sure of what is missing in every case."""
    gaps = [one.gap for one in members(found) if isinstance(one, Missing)]
    if len(gaps) < len(members(found)) or None in gaps:
        return found
    return join(Missing(replace(gap, sure=True)) for gap in gaps if gap is not None)


def _no_key(wrong: list[Type], key: str, subject: str, spot: Spot, *, certain: bool) -> Type:
    kinds = " or ".join(dict.fromkeys(describe(one) for one in wrong))
    is_so, may_be = (f"{subject} {verb} {kinds}, which has no key {key!r}" for verb in ("is", "may be"))
    return Missing(Gap(WRONG_KIND, is_so, may_be, "" if certain else "test it with 'is mapping' first", spot))


def _key(one: Type, key: str, subject: str, spot: Spot, report: Report) -> Type | None:
    match one:
        case Anything():
            if one.shape is not None:
                _warn_of_misspelling(one.shape, key, subject, spot, report)
            return join((ANY, Missing()))
        case MappingOf():
            return _key_of_mapping(one, key, subject, spot, report)
        case Object():
            return _attribute(one, key, spot)
        case TupleOf() if key in one.names:
            return one.items[one.names.index(key)]
    return None


def _key_of_mapping(owner: MappingOf, key: str, subject: str, spot: Spot, report: Report) -> Type:
    known = field_of(owner, key)
    if known is None:
        hint = did_you_mean(key, owner.fields) or _keys_hint(owner)
        return Missing(
            Gap(UNKNOWN_KEY, f"{subject} has no key {key!r}", f"{subject} may have no key {key!r}", hint, spot)
        )
    if key not in owner.fields:
        _warn_of_misspelling(owner, key, subject, spot, report)
        return join((known.type, Missing()))
    if known.required:
        return known.type
    if is_never(known.type):
        certain, possible = f"{subject} has no key {key!r} here", f"{subject} may have no key {key!r}"
        return Missing(Gap(MAYBE_MISSING, certain, possible, "", spot))
    message = f"{subject} may have no key {key!r}"
    hint = "add it to 'required', test it with 'is defined', or give a default"
    return join((known.type, Missing(Gap(MAYBE_MISSING, message, message, hint, spot))))


def _keys_hint(owner: MappingOf) -> str:
    return f"its keys are {', '.join(owner.fields)}" if owner.fields else "it has no keys"


def _attribute(owner: Object, key: str, spot: Spot) -> Type:
    if owner.attributes is None:
        return join((ANY, Missing()))
    if key in owner.attributes:
        return owner.attributes[key]
    message = f"{owner.name!r} has no {key!r}"
    return Missing(Gap(UNKNOWN_KEY, message, message, did_you_mean(key, owner.attributes), spot))


def _warn_of_misspelling(owner: MappingOf, key: str, subject: str, spot: Spot, report: Report) -> None:
    near = next((name for name in owner.fields if key not in owner.fields and is_misspelling(key, name)), None)
    if near is not None:
        message = f"{subject} declares no key {key!r}"
        report.tell(Problem(UNKNOWN_KEY, message, spot.place, f"did you mean {near!r}?", "warning"))


def is_misspelling(word: str, known: str) -> bool:
    """Say whether a word is a slip of another: the same but for case and underscores, or one letter off."""
    folded, other = (text.casefold().replace("_", "").replace("-", "") for text in (word, known))
    if folded == other:
        return True
    shorter, longer = sorted((folded, other), key=len)
    if len(shorter) < _SHORTEST_MISSPELT or len(longer) - len(shorter) > 1 or _is_plural(longer, shorter):
        return False
    if len(shorter) < len(longer):
        return any(longer[:index] + longer[index + 1 :] == shorter for index in range(len(longer)))
    different = [index for index in range(len(longer)) if longer[index] != shorter[index]]
    swapped = len(different) == 2 and sorted(longer) == sorted(shorter) and different[1] - different[0] == 1
    return len(different) == 1 or swapped


def _is_plural(longer: str, shorter: str) -> bool:
    return longer == shorter + "s" and not shorter.endswith("s")


def index(owner: Type, argument: Type, node: nodes.Getitem, report: Report) -> Type:
    """Give the type of `X[argument]` where the argument is worked out."""
    return join(_index(one, argument, node, report) for one in members(owner))


def _index(one: Type, argument: Type, node: nodes.Getitem, report: Report) -> Type:
    words = [member for member in members(argument) if isinstance(member, Text)]
    if isinstance(one, MappingOf):
        if len(words) == len(members(argument)) and all(word.words is not None for word in words):
            names = sorted(name for word in words for name in word.words or ())
            return join((*(_quiet_key(one, name) for name in names), Missing()))
        return join((value_of(one), Missing()))
    if isinstance(one, (ListOf, TupleOf)) and not (isinstance(one, ListOf) and one.form != "list"):
        if words and len(words) == len(members(argument)):
            return _no_index(one, "text", node, report)
        position = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if isinstance(one, TupleOf) and isinstance(position, int) and -len(one.items) <= position < len(one.items):
            return one.items[position]
        # Nobody can tell how long a list is.
        return join((one.item if isinstance(one, ListOf) else join(one.items), Missing()))
    if isinstance(one, Text):
        return join((Text(), Missing()))
    if isinstance(one, (Anything, Object)):
        return join((ANY, Missing()))
    return _no_index(one, "", node, report)


def _quiet_key(owner: MappingOf, name: str) -> Type:
    known = field_of(owner, name)
    return NEVER if known is None else known.type


def _no_index(one: Type, by: str, node: nodes.Getitem, report: Report) -> Type:
    subject = spell(node.node)
    tail = f"cannot be looked into by {by}" if by else "cannot be looked into"
    lazy = isinstance(one, ListOf) and one.form != "list"
    hint = "add '| list' before it" if lazy else ""
    certain, possible = (f"{subject} {verb} {describe(one)}, which {tail}" for verb in ("is", "may be"))
    return Missing(Gap(WRONG_KIND, certain, possible, hint, report.spot(node)))


def method(owner: Type, name: str, arguments: list[Type], node: nodes.Getattr, report: Report) -> Type:
    """Give what a method gives, and tell those that a value does not have."""
    found = [(one, _method(one, name, arguments)) for one in members(owner)]
    without = [one for one, given in found if given is None]
    if without:
        certain = len(without) == len(found)
        kinds = " or ".join(dict.fromkeys(describe(one) for one in without))
        message = f"{spell(node.node)} {'is' if certain else 'may be'} {kinds}, which has no method {name!r}"
        severity: Severity = "error" if certain else "warning"
        report.tell(Problem(WRONG_KIND, message, report.place(node, name), "", severity))
    return join(given for _, given in found if given is not None) if len(without) < len(found) else ANY


def _method(one: Type, name: str, arguments: list[Type]) -> Type | None:
    match one:
        case Anything():
            return ANY
        case Text():
            return TEXT_METHODS.get(name)
        case ListOf(form="list") | TupleOf():
            return LIST_METHODS.get(name)
        case MappingOf():
            return _get(one, arguments) if name == "get" else _given(one, name)
        case Object(name="loop"):
            return LOOP_METHODS.get(name)
        case Object():
            return ANY
    return None


def _given(one: MappingOf, name: str) -> Type | None:
    gives = MAPPING_METHODS.get(name)
    return None if gives is None else gives(one)


def _get(owner: MappingOf, arguments: list[Type]) -> Type:
    instead = arguments[1] if len(arguments) > 1 else Null()
    match arguments[:1]:
        case [Text(words=frozenset() as words)] if len(words) == 1:
            known = field_of(owner, next(iter(words)))
            if known is None:
                return instead
            return known.type if known.required else join((known.type, instead))
    return join((value_of(owner), instead))
