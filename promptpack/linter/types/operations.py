"""Operators: what they take, what they give, and what a comparison says about its sides."""

from typing import Final

from jinja2 import nodes

from promptpack.linter.types.lattice import (
    ANY,
    Anything,
    ListOf,
    MappingOf,
    Missing,
    Null,
    Number,
    Object,
    Text,
    TupleOf,
    Type,
    describe,
    is_never,
    join,
    kind_of,
    members,
)
from promptpack.linter.types.narrowing import DEFINED, Part, among, constant_key, equal_to, refine_key
from promptpack.linter.types.report import IMPOSSIBLE_VALUE, WRONG_KIND, Report, spell
from promptpack.linter.types.signatures import TEXTS, WALKED
from promptpack.problem import Problem, did_you_mean

Side = tuple[nodes.Node, Type]
Narrowing = tuple[nodes.Node, Type, Part, Part]
"""What a condition narrows: an expression, its type, and the parts for which the condition holds and fails."""

_SIGNS: Final = {
    "lt": "<",
    "lteq": "<=",
    "gt": ">",
    "gteq": ">=",
    "eq": "==",
    "ne": "!=",
    "in": "in",
    "notin": "not in",
}
_OPERATORS: Final = {
    nodes.Add: "+", nodes.Sub: "-", nodes.Mul: "*", nodes.Div: "/", nodes.FloorDiv: "//", nodes.Mod: "%",
    nodes.Pow: "**", nodes.Neg: "-", nodes.Pos: "+",
}  # fmt: skip


def compare(operator: str, left: Side, right: Side, report: Report) -> Narrowing | None:
    """Check a comparison, and give what it narrows."""
    match operator:
        case "eq" | "ne":
            narrowing = _equality(left, right, report) or _equality(right, left, report)
            _refuse_lazy(left, right, report)
            return narrowing if narrowing is None or operator == "eq" else _turned(narrowing)
        case "in" | "notin":
            narrowing = containment(left, right, report)
            return narrowing if narrowing is None or operator == "in" else _turned(narrowing)
    _order(operator, left, right, report)
    return None


def _turned(narrowing: Narrowing) -> Narrowing:
    subject, type_, holds, fails = narrowing
    return subject, type_, fails, holds


def _equality(subject: Side, other: Side, report: Report) -> Narrowing | None:
    if not isinstance(other[0], nodes.Const) or isinstance(subject[0], nodes.Const):
        return None
    value = other[0].value
    tell_impossible(subject, other[0], report)
    return subject[0], subject[1], *equal_to(value)


def tell_impossible(subject: Side, word: nodes.Const, report: Report) -> None:
    """Tell a comparison with a value that the other side never has; with null one may always compare."""
    node, type_ = subject
    if word.value is None or is_never(type_) or not is_never(equal_to(word.value)[0](type_)):
        return
    words = sorted({one for member in members(type_) if isinstance(member, Text) for one in member.words or ()})
    if words and isinstance(word.value, str):
        message = f"{spell(node)} is never {word.value!r}"
        hint = did_you_mean(word.value, words) or f"it is one of {', '.join(words)}"
    else:
        kinds = " or ".join(dict.fromkeys(describe(member) for member in members(type_)))
        message = f"{spell(node)} is {kinds} and never equals {word.value!r}"
        hint = ""
    report.tell(Problem(IMPOSSIBLE_VALUE, message, report.place(word), hint, "warning"))


def _refuse_lazy(left: Side, right: Side, report: Report) -> None:
    for node, type_ in (left, right):
        if any(isinstance(one, ListOf) and one.form == "lazy" for one in members(type_)):
            message = f"{spell(node)} is a lazy list, which equals nothing"
            report.tell(Problem(WRONG_KIND, message, report.place(node), "add '| list' before it", "warning"))


def containment(item: Side, owner: Side, report: Report) -> Narrowing | None:
    """Check `item in owner`."""
    kept = report.expect(owner[1], WALKED, "'in'", owner[0], report.spot(owner[0]))
    _item_in_text(item, kept, report)
    if isinstance(owner[0], (nodes.List, nodes.Tuple)):
        return _among(item, owner[0].items, report)
    if not isinstance(item[0], nodes.Const):
        return None
    if isinstance(item[0].value, str) and constant_path(owner[0]):
        return _key_in(item[0].value, owner[0], kept)
    return None


def constant_path(node: nodes.Node) -> bool:
    """Say whether a node is a name, or a look-up by keys that are written out."""
    return isinstance(node, nodes.Name) or (constant_key(node) is not None and constant_path(node.node))  # type: ignore[attr-defined]


def _item_in_text(item: Side, owner: Type, report: Report) -> None:
    texts = [one for one in members(owner) if isinstance(one, Text)]
    if texts and len(texts) == len(members(owner)):
        report.expect(item[1], TEXTS, "'in' on the left of a text", item[0], report.spot(item[0]))
    lists = [one for one in members(owner) if isinstance(one, ListOf)]
    if lists and len(lists) == len(members(owner)) and isinstance(item[0], nodes.Const):
        inside = join(one.item for one in lists)
        if isinstance(inside, Text) and inside.words is not None and isinstance(item[0].value, str):
            _tell_never_in(item[0], inside.words, report)


def _tell_never_in(word: nodes.Const, words: frozenset[str], report: Report) -> None:
    if word.value not in words and words:
        hint = did_you_mean(word.value, words) or f"it holds only {', '.join(sorted(words))}"
        report.tell(
            Problem(IMPOSSIBLE_VALUE, f"{word.value!r} is never in the list", report.place(word), hint, "warning")
        )


def _among(item: Side, values: list[nodes.Expr], report: Report) -> Narrowing | None:
    constants = [one for one in values if isinstance(one, nodes.Const)]
    if isinstance(item[0], nodes.Const):
        return None
    for one in constants:
        if isinstance(one.value, str):
            tell_impossible(item, one, report)
    if len(constants) < len(values):
        return None
    return item[0], item[1], *among([one.value for one in constants])


def _key_in(key: str, owner: nodes.Node, type_: Type) -> Narrowing | None:
    if not any(isinstance(one, MappingOf) for one in members(type_)):
        return None

    def part(which: Part) -> Part:
        def of_mapping(owner: Type) -> Type:
            return join(refine_key(one, key, which) if isinstance(one, MappingOf) else one for one in members(owner))

        return of_mapping

    return owner, type_, part(DEFINED[0]), part(DEFINED[1])


def _order(operator: str, left: Side, right: Side, report: Report) -> None:
    """Tell an order between kinds that have none."""
    wrong = [(one, other) for one in members(left[1]) for other in members(right[1]) if not _can_be_ordered(one, other)]
    if not wrong:
        return
    certain = len(wrong) == len(members(left[1])) * len(members(right[1]))
    one, other = wrong[0]
    verb = "is" if certain else "may be"
    message = f"{_SIGNS[operator]!r} cannot compare {describe(one)} with {describe(other)}, which it {verb} given"
    report.tell(Problem(WRONG_KIND, message, report.place(left[0]), "", "error" if certain else "warning"))


def _can_be_ordered(one: Type, other: Type) -> bool:
    if any(isinstance(side, (Anything, Missing)) for side in (one, other)):
        return True
    if any(isinstance(side, (Null, MappingOf, Object)) for side in (one, other)):
        return False
    numbers = ("number", "boolean")
    return kind_of(one) == kind_of(other) or (kind_of(one) in numbers and kind_of(other) in numbers)


def arithmetic(node: nodes.Expr, left: Type, right: Type | None, report: Report) -> Type:
    """Check an operator and give the type of its result."""
    sign = _OPERATORS[type(node)]
    pairs = [(one, other) for one in members(left) for other in (members(right) if right is not None else (Number(),))]
    results = [(one, other, _result(sign, one, other)) for one, other in pairs]
    wrong = [(one, other) for one, other, result in results if result is None]
    if wrong:
        certain = len(wrong) == len(results)
        kinds = describe(wrong[0][0]) + ("" if right is None else f" and {describe(wrong[0][1])}")
        message = f"{sign!r} does not take {kinds}, which it {'is' if certain else 'may be'} given"
        hint = "use '~' to join texts" if sign == "+" else ""
        report.tell(Problem(WRONG_KIND, message, report.place(node), hint, "error" if certain else "warning"))
    return join(result for _, _, result in results if result is not None) if len(wrong) < len(results) else ANY


def _result(sign: str, one: Type, other: Type) -> Type | None:
    if isinstance(one, Anything) or isinstance(other, Anything):
        return ANY
    left, right = kind_of(one), kind_of(other)
    numbers = ("number", "boolean")
    if left in numbers and right in numbers:
        whole = sign not in ("/", "**") and all(isinstance(side, Number) and side.whole for side in (one, other))
        return Number(whole)
    if sign == "%" and left == "text":
        return Text()
    if sign == "+" and left == right == "text":
        return Text()
    if sign == "+" and isinstance(one, ListOf) and isinstance(other, ListOf) and one.form == other.form == "list":
        return ListOf(join((one.item, other.item)))
    if sign == "+" and isinstance(one, TupleOf) and isinstance(other, TupleOf):
        return TupleOf((*one.items, *other.items))
    if sign == "*":
        return _repeated(one, other) or _repeated(other, one)
    return None


def _repeated(one: Type, times: Type) -> Type | None:
    if kind_of(times) not in ("number", "boolean"):
        return None
    if isinstance(one, Text):
        return Text()
    if isinstance(one, ListOf) and one.form == "list":
        return one
    return ListOf(join(one.items)) if isinstance(one, TupleOf) else None
