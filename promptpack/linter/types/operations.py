"""Check operators: the kinds they accept, the types they return, and how a comparison narrows them."""

from contextlib import nullcontext
from typing import Final

from jinja2 import nodes

from promptpack.linter.analysis_meter import count_steps
from promptpack.linter.types.lattice import (
    ANY,
    AnyType,
    ListType,
    MappingType,
    MissingType,
    NullType,
    NumberType,
    ObjectType,
    TextType,
    TupleType,
    Type,
    describe,
    is_never,
    kind_of,
    members,
    union,
)
from promptpack.linter.types.narrowing import DEFINED, Narrower, among, constant_key, for_each_member, narrow_key
from promptpack.linter.types.problems import IMPOSSIBLE_VALUE, WRONG_KIND, ProblemCollector, spell
from promptpack.linter.types.signatures import ITERABLE, KEYS, TEXTS
from promptpack.problem import Problem, did_you_mean

TypedOperand = tuple[nodes.Node, Type]
Narrowing = tuple[nodes.Node, Type, Narrower, Narrower]
"""The effect of a condition: an expression, its type, and the narrowers for a condition that holds or fails."""

_SIGNS: Final = {
    "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "eq": "==", "ne": "!=", "in": "in", "notin": "not in",
}  # fmt: skip
_OPERATORS: Final = {
    nodes.Add: "+", nodes.Sub: "-", nodes.Mul: "*", nodes.Div: "/", nodes.FloorDiv: "//", nodes.Mod: "%",
    nodes.Pow: "**", nodes.Neg: "-", nodes.Pos: "+",
}  # fmt: skip


def check_comparison(
    operator: str, left: TypedOperand, right: TypedOperand, collector: ProblemCollector
) -> Narrowing | None:
    """Check a comparison, and return its narrowing."""
    match operator:
        case "eq" | "ne":
            narrowing = _equality(left, right, collector) or _equality(right, left, collector)
            _report_lazy(left, right, collector)
            return narrowing if narrowing is None or operator == "eq" else _negate(narrowing)
        case "in" | "notin":
            narrowing = check_containment(left, right, collector)
            return narrowing if narrowing is None or operator == "in" else _negate(narrowing)
    _check_order(operator, left, right, collector)
    return None


def _negate(narrowing: Narrowing) -> Narrowing:
    subject, type_, holds, fails = narrowing
    return subject, type_, fails, holds


def _equality(subject: TypedOperand, other: TypedOperand, collector: ProblemCollector) -> Narrowing | None:
    if not isinstance(other[0], nodes.Const) or isinstance(subject[0], nodes.Const):
        return None
    value = other[0].value
    report_impossible(subject, other[0], collector)
    return subject[0], subject[1], *among([value])


def report_impossible(subject: TypedOperand, word: nodes.Const, collector: ProblemCollector) -> None:
    """Report a comparison with a value that the other side never has; comparing with null is always allowed."""
    node, type_ = subject
    if word.value is None or is_never(type_) or not is_never(among([word.value])[0](type_)):
        return
    words = sorted({one for member in members(type_) if isinstance(member, TextType) for one in member.words or ()})
    if words and isinstance(word.value, str):
        count_steps(len(words))
        message = f"{spell(node)} is never {word.value!r}"
        hint = did_you_mean(word.value, words) or f"it is one of {', '.join(words)}"
    else:
        kinds = " or ".join(dict.fromkeys(describe(member) for member in members(type_)))
        message = f"{spell(node)} is {kinds} and never equals {word.value!r}"
        hint = ""
    collector.add(Problem(IMPOSSIBLE_VALUE, message, collector.locate(word), hint, "warning"))


def _report_lazy(left: TypedOperand, right: TypedOperand, collector: ProblemCollector) -> None:
    for node, type_ in (left, right):
        if any(isinstance(one, ListType) and one.form == "lazy" for one in members(type_)):
            message = f"{spell(node)} is a lazy list, which equals nothing"
            collector.add(Problem(WRONG_KIND, message, collector.locate(node), "add '| list' before it", "warning"))


def use_item(item: Type, owner: TypedOperand, collector: ProblemCollector) -> Type:
    """Report the left side of `in` if it is missing: a warning if its right may be an empty list, which hides that."""
    node, type_ = owner
    is_literal = isinstance(node, (nodes.List, nodes.Tuple)) and node.items
    may_be_empty = any(isinstance(one, (AnyType, ListType, ObjectType, TupleType)) for one in members(type_))
    with collector.as_warnings() if may_be_empty and not is_literal else nullcontext():
        return collector.use(item)


def check_containment(item: TypedOperand, owner: TypedOperand, collector: ProblemCollector) -> Narrowing | None:
    """Check `item in owner`, and return its narrowing."""
    accepted = collector.expect(owner[1], ITERABLE, "'in'", owner[0], collector.locate_lazily(owner[0]))
    _check_item(item, accepted, collector)
    if isinstance(owner[0], (nodes.List, nodes.Tuple)):
        return _among(item, owner[0].items, collector)
    if not isinstance(item[0], nodes.Const):
        return None
    if isinstance(item[0].value, str) and is_constant_path(owner[0]):
        return _key_in(item[0].value, owner[0], accepted)
    return None


def is_constant_path(node: nodes.Node) -> bool:
    """Return whether a node is a name, or a lookup by literal keys."""
    return isinstance(node, nodes.Name) or (constant_key(node) is not None and is_constant_path(node.node))  # type: ignore[attr-defined]


def _check_item(item: TypedOperand, owner: Type, collector: ProblemCollector) -> None:
    texts = [one for one in members(owner) if isinstance(one, TextType)]
    if texts and len(texts) == len(members(owner)):
        collector.expect(item[1], TEXTS, "'in' with text on its right", item[0], collector.locate_lazily(item[0]))
    mappings = [one for one in members(owner) if isinstance(one, MappingType)]
    # A tuple may be a key, but not a list.
    if mappings and not any(isinstance(one, TupleType) for one in members(item[1])):
        with nullcontext() if len(mappings) == len(members(owner)) else collector.as_warnings():
            collector.expect(
                item[1], KEYS, "'in' with a mapping on its right", item[0], collector.locate_lazily(item[0])
            )
    lists = [one for one in members(owner) if isinstance(one, ListType)]
    if lists and len(lists) == len(members(owner)) and isinstance(item[0], nodes.Const):
        inside = union(one.item for one in lists)
        if isinstance(inside, TextType) and inside.words is not None and isinstance(item[0].value, str):
            _report_never_in(item[0], inside.words, collector)


def _report_never_in(word: nodes.Const, words: frozenset[str], collector: ProblemCollector) -> None:
    if word.value not in words and words:
        count_steps(len(words))
        hint = did_you_mean(word.value, words) or f"it contains only {', '.join(sorted(words))}"
        collector.add(
            Problem(IMPOSSIBLE_VALUE, f"{word.value!r} is never in the list", collector.locate(word), hint, "warning")
        )


def _among(item: TypedOperand, values: list[nodes.Expr], collector: ProblemCollector) -> Narrowing | None:
    constants = [one for one in values if isinstance(one, nodes.Const)]
    if isinstance(item[0], nodes.Const):
        return None
    for one in constants:
        if isinstance(one.value, str):
            report_impossible(item, one, collector)
    if len(constants) < len(values):
        return None
    return item[0], item[1], *among([one.value for one in constants])


def _key_in(key: str, owner: nodes.Node, type_: Type) -> Narrowing | None:
    if not any(isinstance(one, MappingType) for one in members(type_)):
        return None

    def for_key(narrower: Narrower) -> Narrower:
        return for_each_member(lambda one: narrow_key(one, key, narrower) if isinstance(one, MappingType) else one)

    return owner, type_, for_key(DEFINED[0]), for_key(DEFINED[1])


def _check_order(operator: str, left: TypedOperand, right: TypedOperand, collector: ProblemCollector) -> None:
    """Report an order comparison of kinds that have no order."""
    wrong = [(one, other) for one in members(left[1]) for other in members(right[1]) if not _can_be_ordered(one, other)]
    if not wrong:
        return
    certain = len(wrong) == len(members(left[1])) * len(members(right[1]))
    one, other = wrong[0]
    pair = f"{describe(one)} with {describe(other)}"
    message = f"{_SIGNS[operator]!r} cannot compare {pair}" if certain else f"{_SIGNS[operator]!r} may fail on {pair}"
    collector.add(Problem(WRONG_KIND, message, collector.locate(left[0]), "", "error" if certain else "warning"))


def _can_be_ordered(one: Type, other: Type) -> bool:
    if any(isinstance(side, (AnyType, MissingType)) for side in (one, other)):
        return True
    if any(isinstance(side, (NullType, MappingType, ObjectType)) for side in (one, other)):
        return False
    numbers = ("number", "boolean")
    return kind_of(one) == kind_of(other) or (kind_of(one) in numbers and kind_of(other) in numbers)


def check_arithmetic(node: nodes.Expr, left: Type, right: Type | None, collector: ProblemCollector) -> Type:
    """Check an arithmetic operator, and return the type of its result."""
    sign = _OPERATORS[type(node)]
    others = (NumberType(),) if right is None else members(right)
    results = [(one, other, _result(sign, one, other)) for one in members(left) for other in others]
    wrong = [(one, other) for one, other, result in results if result is None]
    if wrong:
        certain = len(wrong) == len(results)
        kinds = describe(wrong[0][0]) + ("" if right is None else f" and {describe(wrong[0][1])}")
        message = f"{sign!r} {'cannot be applied to' if certain else 'may fail on'} {kinds}"
        hint = "use '~' to join texts" if sign == "+" else ""
        collector.add(Problem(WRONG_KIND, message, collector.locate(node), hint, "error" if certain else "warning"))
    return union(result for _, _, result in results if result is not None) if len(wrong) < len(results) else ANY


def _result(sign: str, one: Type, other: Type) -> Type | None:
    if isinstance(one, AnyType) or isinstance(other, AnyType):
        return ANY
    left, right = kind_of(one), kind_of(other)
    numbers = ("number", "boolean")
    if left in numbers and right in numbers:
        integers = all(isinstance(side, NumberType) and side.is_integer for side in (one, other))
        return NumberType(integers and sign not in ("/", "**"))
    if sign == "%" and left == "text":
        return TextType()
    if sign == "+" and left == right == "text":
        return TextType()
    if sign == "+" and isinstance(one, ListType) and isinstance(other, ListType) and one.form == other.form == "list":
        return ListType(union((one.item, other.item)))
    if sign == "+" and isinstance(one, TupleType) and isinstance(other, TupleType):
        return TupleType((*one.items, *other.items))
    if sign == "*":
        return _repeated(one, other) or _repeated(other, one)
    return None


def _repeated(one: Type, times: Type) -> Type | None:
    if kind_of(times) not in ("number", "boolean"):
        return None
    if isinstance(one, TextType):
        return TextType()
    if isinstance(one, ListType) and one.form == "list":
        return one
    return ListType(union(one.items)) if isinstance(one, TupleType) else None
