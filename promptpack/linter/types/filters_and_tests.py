"""Apply filters and tests to types, as rendering will apply them to values."""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Final

from jinja2 import nodes

from promptpack.linter.types.lattice import (
    ANY,
    ListType,
    MappingType,
    MissingType,
    TextType,
    Type,
    describe,
    drop_missing,
    is_never,
    members,
    union,
)
from promptpack.linter.types.lookups import look_up
from promptpack.linter.types.narrowing import TEST_NARROWERS, narrow_key, truthy
from promptpack.linter.types.operations import (
    Narrowing,
    check_comparison,
    check_containment,
    report_impossible,
    use_item,
)
from promptpack.linter.types.problems import WRONG_ARGUMENT, WRONG_KIND, ProblemCollector
from promptpack.linter.types.signatures import FILTERS, LAZY_FILTERS, TESTS, TOLERANT_FILTERS, Signature, item_of
from promptpack.problem import Problem, did_you_mean

_OF_MAP: Final = ("attribute", "default")

_ATTRIBUTE: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OPERATOR_TESTS: Final[Mapping[str, str]] = {
    "!=": "ne", "<": "lt", "<=": "lteq", "==": "eq", ">": "gt", ">=": "gteq", "eq": "eq", "equalto": "eq",
    "ge": "gteq", "greaterthan": "gt", "gt": "gt", "le": "lteq", "lessthan": "lt", "lt": "lt", "ne": "ne",
}  # fmt: skip


def keyword_arguments(node: nodes.Filter) -> dict[str, nodes.Expr]:
    """Return the keyword arguments of a filter by name."""
    return {str(keyword.key): keyword.value for keyword in node.kwargs}


def apply_filter(
    node: nodes.Filter, given: Type, positional: list[Type], named: dict[str, Type], collector: ProblemCollector
) -> Type:
    """Check the value and the arguments of a filter, and return the type of its result."""
    signature = FILTERS.get(node.name)
    if signature is None:
        return ANY  # reported by the compiler
    if node.name in ("default", "d"):
        return _default(node, given, positional, named)
    for argument in (*positional, *named.values()):
        collector.use(union((argument, ANY)))
    if node.dyn_args is None and node.dyn_kwargs is None:
        _check_arguments(node, signature, collector)
    is_tolerant = node.name in TOLERANT_FILTERS
    with collector.as_warnings() if is_tolerant else nullcontext():
        value = given if is_tolerant and not is_never(drop_missing(given)) else collector.use(given)
    return _apply(node, signature, drop_missing(value), collector)


def _apply(node: nodes.Filter, signature: Signature, value: Type, collector: ProblemCollector) -> Type:
    subject = node.node or node
    at = collector.locate_lazily(node, node.name)
    with collector.as_warnings() if node.name in LAZY_FILTERS else nullcontext():
        accepted = collector.expect(value, signature.accepts, f"filter {node.name!r}", subject, at)
    if accepted == value:
        collector.warn_meaningless(value, signature.meaningful, f"filter {node.name!r}", subject, at)
    match node.name:
        case "map":
            return _map(node, accepted, collector)
        case "sum":
            _check_sum(node, accepted, collector)
        case "select" | "reject" | "selectattr" | "rejectattr":
            return _select(node, accepted, collector)
        case "sort" | "min" | "max" | "unique" | "groupby" | "join":
            _use_attribute(node, item_of(accepted), collector)
    return signature.returns(accepted)


def _default(node: nodes.Filter, given: Type, positional: list[Type], named: dict[str, Type]) -> Type:
    default = positional[0] if positional else named.get("default_value", TextType(frozenset(("",))))
    boolean = node.args[1] if len(node.args) > 1 else keyword_arguments(node).get("boolean")
    if boolean is not None:
        replaced = isinstance(boolean, nodes.Const) and boolean.value is True
        return union((truthy(given) if replaced else drop_missing(given), default))
    return union((drop_missing(given), default)) if drop_missing(given) != given else given


def _check_arguments(node: nodes.Filter, signature: Signature, collector: ProblemCollector) -> None:
    words = signature.parameters.split()
    if node.name == "map" and not node.args:
        for name in keyword_arguments(node):
            if name not in _OF_MAP:
                message, hint = f"filter 'map' has no argument {name!r}", did_you_mean(name, _OF_MAP)
                collector.add(Problem(WRONG_ARGUMENT, message, collector.locate(node, name), hint))
    if "..." in words:
        return
    positional = words[: words.index("*")] if "*" in words else words
    known = [word.rstrip("=") for word in words if word != "*"]
    given = [*(word.rstrip("=") for word in positional[: len(node.args)]), *keyword_arguments(node)]
    what = f"filter {node.name!r}"
    found: tuple[str, str] | None = None
    if len(node.args) > len(positional):
        found = f"{what} takes {spell_argument_count(len(positional))}, not {len(node.args)}", _list_arguments(known)
    for name in keyword_arguments(node):
        if name not in known:
            found = f"{what} has no argument {name!r}", did_you_mean(name, known) or _list_arguments(known)
    for word in positional:
        if not word.endswith("=") and word not in given:
            found = f"{what} needs the argument {word!r}", _list_arguments(known)
    if found:
        collector.add(Problem(WRONG_ARGUMENT, found[0], collector.locate(node, node.name), found[1]))


def spell_argument_count(arguments: int) -> str:
    """Return the number of arguments in words."""
    return f"{arguments or 'no'} argument{'' if arguments == 1 else 's'}"


def _list_arguments(known: list[str]) -> str:
    return f"its arguments are {', '.join(known)}" if known else ""


def _map(node: nodes.Filter, value: Type, collector: ProblemCollector) -> Type:
    item = item_of(value)
    named = keyword_arguments(node)
    if "attribute" in named:
        found = _attribute(item, named["attribute"], collector)
        return ListType(union((drop_missing(found), ANY)) if "default" in named else found, "lazy")
    if node.args and isinstance(node.args[0], nodes.Const) and isinstance(node.args[0].value, str):
        return ListType(_mapped(node.args[0], node, item, collector), "lazy")
    return ListType(ANY, "lazy")


def _mapped(word: nodes.Const, node: nodes.Filter, item: Type, collector: ProblemCollector) -> Type:
    signature = FILTERS.get(word.value)
    if signature is None or word.value in ("default", "d", "map"):
        return ANY
    inner = nodes.Filter(node.args[0], word.value, node.args[1:], [], None, None, lineno=word.lineno)
    # An empty list has no item that the filter could fail on.
    with collector.as_warnings():
        return _apply(inner, signature, collector.use(item), collector)


def _attribute(item: Type, name: nodes.Expr, collector: ProblemCollector) -> Type:
    """Follow `attribute="a.b"` into the items of a list."""
    if not isinstance(name, nodes.Const) or not isinstance(name.value, str) or not _ATTRIBUTE.fullmatch(name.value):
        return ANY
    found = item
    for key in name.value.split("."):
        lookup = nodes.Getattr(nodes.Name("item", "load", lineno=name.lineno), key, "load", lineno=name.lineno)
        found = look_up(drop_missing(found), key, lookup, collector)
    if not is_never(drop_missing(found)) or is_never(found):
        return found
    # No item has it. Report it here, since a list of missing values may be used in ways that do not fail.
    with collector.as_warnings():
        collector.use(found)
    return MissingType()


def _check_sum(node: nodes.Filter, value: Type, collector: ProblemCollector) -> None:
    item = _use_attribute(node, item_of(value), collector)
    wrong = [one for one in members(item) if isinstance(one, (TextType, MappingType, ListType))]
    if wrong:
        message = f"filter 'sum' needs numbers, but an item is {describe(wrong[0])}"
        hint = "name the attribute to add up" if isinstance(wrong[0], MappingType) else ""
        collector.add(Problem(WRONG_KIND, message, collector.locate(node, node.name), hint, "warning"))


def _use_attribute(node: nodes.Filter, item: Type, collector: ProblemCollector) -> Type:
    named = keyword_arguments(node)
    first_is_attribute = node.name in ("groupby", "sum")
    attribute = named.get("attribute") or (node.args[0] if first_is_attribute and node.args else None)
    if attribute is None:
        return _use_items(item, collector)
    found = _attribute(item, attribute, collector)
    return drop_missing(found) if "default" in named else _use_items(found, collector)


def _use_items(found: Type, collector: ProblemCollector) -> Type:
    """Report keys that items may lack, never as an error, since the list may be empty."""
    return collector.use(union((found, ANY))) if any(isinstance(one, MissingType) for one in members(found)) else found


def _select(node: nodes.Filter, value: Type, collector: ProblemCollector) -> Type:
    item = item_of(value)
    arguments = list(node.args)
    subject = item
    if node.name.endswith("attr"):
        if not arguments:
            return ListType(item, "lazy")
        subject = _attribute(item, arguments.pop(0), collector)
    if arguments and isinstance(arguments[0], nodes.Const) and isinstance(arguments[0].value, str):
        accepts_missing = arguments[0].value not in TESTS or TESTS[arguments[0].value].accepts_missing
        _select_word(arguments, subject, collector)
    else:
        accepts_missing = False
    if not accepts_missing:
        _use_items(subject, collector)
    return ListType(_selected(node, item, arguments), "lazy")


def _select_word(arguments: list[nodes.Expr], subject: Type, collector: ProblemCollector) -> None:
    name, *rest = arguments
    if isinstance(name, nodes.Const) and _OPERATOR_TESTS.get(name.value) in ("eq", "ne") and rest:
        word = rest[0]
        if isinstance(word, nodes.Const) and isinstance(word.value, str):
            report_impossible((nodes.Const(None), drop_missing(subject)), word, collector)


def _selected(node: nodes.Filter, item: Type, arguments: list[nodes.Expr]) -> Type:
    """Narrow the selected items: after a test that an attribute is defined, it is never missing."""
    name = arguments[0].value if arguments and isinstance(arguments[0], nodes.Const) else None
    narrowers = TEST_NARROWERS.get(name) if isinstance(name, str) else None
    if narrowers is None:
        return item
    narrower = narrowers[0] if node.name.startswith("select") else narrowers[1]
    if not node.name.endswith("attr"):
        return narrower(item)
    key = node.args[0]
    if not isinstance(key, nodes.Const) or not isinstance(key.value, str) or not key.value.isidentifier():
        return item
    return union(narrow_key(one, key.value, narrower) for one in members(item))


def apply_test(node: nodes.Test, given: Type, arguments: list[Type], collector: ProblemCollector) -> Narrowing | None:
    """Check the value and the arguments of a test, and return its narrowing."""
    signature = TESTS.get(node.name)
    if signature is None:
        return None  # reported by the compiler
    if node.name == "in" and arguments:
        value = use_item(given, (node.args[0], arguments[0]), collector)
    else:
        value = given if signature.accepts_missing else collector.use(given)
    at = collector.locate_lazily(node, node.name)
    collector.expect(drop_missing(value), signature.accepts, f"test {node.name!r}", node.node, at)
    if len(node.args) != signature.arguments and node.dyn_args is None:
        message = f"test {node.name!r} takes {spell_argument_count(signature.arguments)}, not {len(node.args)}"
        collector.add(Problem(WRONG_ARGUMENT, message, at.resolve()))
        return None
    if node.name in TEST_NARROWERS:
        return node.node, value, *TEST_NARROWERS[node.name]
    if node.name in _OPERATOR_TESTS:
        return check_comparison(_OPERATOR_TESTS[node.name], (node.node, value), (node.args[0], arguments[0]), collector)
    if node.name == "in":
        return check_containment((node.node, value), (node.args[0], arguments[0]), collector)
    return None
