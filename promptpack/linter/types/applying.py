"""Filters and tests: applied to types as they will be to values."""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Final

from jinja2 import nodes

from promptpack.linter.types.lattice import (
    ANY,
    ListOf,
    MappingOf,
    Missing,
    Text,
    Type,
    describe,
    is_never,
    join,
    members,
    present,
)
from promptpack.linter.types.lookups import look_up
from promptpack.linter.types.narrowing import TEST_PARTS, refine_key, truthy
from promptpack.linter.types.operations import Narrowing, compare, containment, tell_impossible
from promptpack.linter.types.report import WRONG_ARGUMENT, WRONG_KIND, Report
from promptpack.linter.types.signatures import FILTERS, FORGIVING_FILTERS, LAZY_FILTERS, TESTS, Signature, item_of
from promptpack.problem import Problem, did_you_mean

_ATTRIBUTE: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OPERATOR_TESTS: Final[Mapping[str, str]] = {
    "!=": "ne", "<": "lt", "<=": "lteq", "==": "eq", ">": "gt", ">=": "gteq", "eq": "eq", "equalto": "eq",
    "ge": "gteq", "greaterthan": "gt", "gt": "gt", "le": "lteq", "lessthan": "lt", "lt": "lt", "ne": "ne",
}  # fmt: skip


def keywords(node: nodes.Filter) -> dict[str, nodes.Expr]:
    """Give the arguments of a filter that have names."""
    return {str(keyword.key): keyword.value for keyword in node.kwargs}


def apply_filter(
    node: nodes.Filter, given: Type, positional: list[Type], named: dict[str, Type], report: Report
) -> Type:
    """Check what a filter is given, and give the type of its result."""
    signature = FILTERS.get(node.name)
    if signature is None:
        return ANY  # told when the template is compiled
    if node.name in ("default", "d"):
        return _default(node, given, positional, named)
    for argument in (*positional, *named.values()):
        report.use(join((argument, ANY)))
    if node.dyn_args is None and node.dyn_kwargs is None:
        _check_arguments(node, signature, report)
    value = given if node.name in FORGIVING_FILTERS and not is_never(present(given)) else report.use(given)
    return _apply(node, signature, present(value), report)


def _apply(node: nodes.Filter, signature: Signature, value: Type, report: Report) -> Type:
    subject = node.node or node
    spot = report.spot(node, node.name)
    with report.mildly() if node.name in LAZY_FILTERS else nullcontext():
        kept = report.expect(value, signature.takes, f"filter {node.name!r}", subject, spot)
    if kept == value:
        report.doubt(value, signature.suits, f"filter {node.name!r}", subject, spot)
    match node.name:
        case "map":
            return _map(node, kept, report)
        case "sum":
            _check_sum(node, kept, report)
        case "select" | "reject" | "selectattr" | "rejectattr":
            return _select(node, kept, report)
        case "sort" | "min" | "max" | "unique" | "groupby" | "join":
            _by_attribute(node, item_of(kept), report)
    return signature.gives(kept)


def _default(node: nodes.Filter, given: Type, positional: list[Type], named: dict[str, Type]) -> Type:
    instead = positional[0] if positional else named.get("default_value", Text(frozenset(("",))))
    boolean = node.args[1] if len(node.args) > 1 else keywords(node).get("boolean")
    if boolean is not None:
        replaced = isinstance(boolean, nodes.Const) and boolean.value is True
        return join((truthy(given) if replaced else present(given), instead))
    return join((present(given), instead)) if present(given) != given else given


def _check_arguments(node: nodes.Filter, signature: Signature, report: Report) -> None:
    words = signature.parameters.split()
    if "..." in words:
        return
    by_place = words[: words.index("*")] if "*" in words else words
    known = [word.rstrip("=") for word in words if word != "*"]
    given = [*(word.rstrip("=") for word in by_place[: len(node.args)]), *keywords(node)]
    what = f"filter {node.name!r}"
    told: tuple[str, str] | None = None
    if len(node.args) > len(by_place):
        told = f"{what} takes {counted(len(by_place))}, not {len(node.args)}", _listed(known)
    for name in keywords(node):
        if name not in known:
            told = f"{what} has no argument {name!r}", did_you_mean(name, known) or _listed(known)
    for word in by_place:
        if not word.endswith("=") and word not in given:
            told = f"{what} needs the argument {word!r}", _listed(known)
    if told:
        report.tell(Problem(WRONG_ARGUMENT, told[0], report.place(node, node.name), told[1]))


def counted(arguments: int) -> str:
    """Say how many arguments something takes."""
    return f"{arguments or 'no'} argument{'' if arguments == 1 else 's'}"


def _listed(known: list[str]) -> str:
    return f"its arguments are {', '.join(known)}" if known else ""


def _map(node: nodes.Filter, value: Type, report: Report) -> Type:
    item = item_of(value)
    named = keywords(node)
    if "attribute" in named:
        found = _attribute(item, named["attribute"], report)
        return ListOf(join((present(found), ANY)) if "default" in named else found, "lazy")
    if node.args and isinstance(node.args[0], nodes.Const) and isinstance(node.args[0].value, str):
        return ListOf(_mapped(node.args[0], node, item, report), "lazy")
    return ListOf(ANY, "lazy")


def _mapped(word: nodes.Const, node: nodes.Filter, item: Type, report: Report) -> Type:
    signature = FILTERS.get(word.value)
    if signature is None or word.value in ("default", "d", "map"):
        return ANY
    inner = nodes.Filter(node.args[0], word.value, node.args[1:], [], None, None, lineno=word.lineno)
    # An empty list has no item that the filter could fail on.
    with report.mildly():
        return _apply(inner, signature, report.use(item), report)


def _attribute(item: Type, name: nodes.Expr, report: Report) -> Type:
    """Follow `attribute="a.b"` into the items of a list."""
    if not isinstance(name, nodes.Const) or not isinstance(name.value, str) or not _ATTRIBUTE.fullmatch(name.value):
        return ANY
    found = item
    for step in name.value.split("."):
        looked = nodes.Getattr(nodes.Name("item", "load", lineno=name.lineno), step, "load", lineno=name.lineno)
        found = look_up(present(found), step, looked, report)
    if not is_never(present(found)) or is_never(found):
        return found
    # No item has it: told here, since a list of nothing may be used in ways that do not fail.
    with report.mildly():
        report.use(found)
    return Missing()


def _check_sum(node: nodes.Filter, value: Type, report: Report) -> None:
    item = _by_attribute(node, item_of(value), report)
    wrong = [one for one in members(item) if isinstance(one, (Text, MappingOf, ListOf))]
    if wrong:
        message = f"filter 'sum' needs numbers, but an item is {describe(wrong[0])}"
        hint = "name the attribute to add up" if isinstance(wrong[0], MappingOf) else ""
        report.tell(Problem(WRONG_KIND, message, report.place(node, node.name), hint, "warning"))


def _by_attribute(node: nodes.Filter, item: Type, report: Report) -> Type:
    named = keywords(node)
    first_is_attribute = node.name in ("groupby", "sum")
    attribute = named.get("attribute") or (node.args[0] if first_is_attribute and node.args else None)
    if attribute is None:
        return _used_in_items(item, report)
    found = _attribute(item, attribute, report)
    return present(found) if "default" in named else _used_in_items(found, report)


def _used_in_items(found: Type, report: Report) -> Type:
    """Tell what items lack; since a list may be empty, never as certain."""
    return report.use(join((found, ANY))) if any(isinstance(one, Missing) for one in members(found)) else found


def _select(node: nodes.Filter, value: Type, report: Report) -> Type:
    item = item_of(value)
    arguments = list(node.args)
    subject = item
    if node.name.endswith("attr"):
        if not arguments:
            return ListOf(item, "lazy")
        subject = _attribute(item, arguments.pop(0), report)
    if arguments and isinstance(arguments[0], nodes.Const) and isinstance(arguments[0].value, str):
        forgiving = arguments[0].value not in TESTS or TESTS[arguments[0].value].forgiving
        _select_word(arguments, subject, report)
    else:
        forgiving = False
    if not forgiving:
        _used_in_items(subject, report)
    return ListOf(_selected(node, item, arguments), "lazy")


def _select_word(arguments: list[nodes.Expr], subject: Type, report: Report) -> None:
    name, *rest = arguments
    if isinstance(name, nodes.Const) and _OPERATOR_TESTS.get(name.value) in ("eq", "ne") and rest:
        word = rest[0]
        if isinstance(word, nodes.Const) and isinstance(word.value, str):
            tell_impossible((nodes.Const(None), present(subject)), word, report)


def _selected(node: nodes.Filter, item: Type, arguments: list[nodes.Expr]) -> Type:
    """Narrow the items that are left over: those that have an attribute have it afterwards."""
    name = arguments[0].value if arguments and isinstance(arguments[0], nodes.Const) else None
    parts = TEST_PARTS.get(name) if isinstance(name, str) else None
    if parts is None:
        return item
    part = parts[0] if node.name.startswith("select") else parts[1]
    if not node.name.endswith("attr"):
        return part(item)
    key = node.args[0]
    if not isinstance(key, nodes.Const) or not isinstance(key.value, str) or not key.value.isidentifier():
        return item
    return join(refine_key(one, key.value, part) for one in members(item))


def apply_test(node: nodes.Test, given: Type, arguments: list[Type], report: Report) -> Narrowing | None:
    """Check what a test is given, and give what it narrows."""
    signature = TESTS.get(node.name)
    if signature is None:
        return None  # told when the template is compiled
    value = given if signature.forgiving else report.use(given)
    spot = report.spot(node, node.name)
    report.expect(present(value), signature.takes, f"test {node.name!r}", node.node, spot)
    if len(node.args) != signature.arguments and node.dyn_args is None:
        message = f"test {node.name!r} takes {counted(signature.arguments)}, not {len(node.args)}"
        report.tell(Problem(WRONG_ARGUMENT, message, spot.place))
        return None
    if node.name in TEST_PARTS:
        return node.node, value, *TEST_PARTS[node.name]
    if node.name in _OPERATOR_TESTS:
        return compare(_OPERATOR_TESTS[node.name], (node.node, value), (node.args[0], arguments[0]), report)
    if node.name == "in":
        return containment((node.node, value), (node.args[0], arguments[0]), report)
    return None
