"""What a template may contain: found in its syntax tree, before any code is made of it."""

import math
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from jinja2 import nodes

from promptpack.characters import is_encodable
from promptpack.problem import Problem, did_you_mean
from promptpack.template.codegen import METHOD
from promptpack.template.includes import constant_names
from promptpack.template.language import FILTERS, METHOD_NAMES, TESTS
from promptpack.template.limits import Limits
from promptpack.template.model import Source

APPLIES_TEST = {"select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}
"""Which argument of a filter names the test that it applies to each item."""
_MOST_BITS = Limits().bits


def check(tree: Sequence[nodes.Node], source: Source, partials: Collection[str] | None) -> list[Problem]:
    """Find everything outside of the small language; `partials` are those there are, or None when more may come."""
    imported = {node.target for node in tree if isinstance(node, nodes.Import)}
    return [
        Problem(found.code, found.message, source.locate_word(node.lineno, found.word), found.hint)
        for node in tree
        for found in _check_node(node, partials, imported)
    ]


class _Found(NamedTuple):
    code: str
    message: str
    hint: str
    word: str


def _check_node(node: nodes.Node, partials: Collection[str] | None, imported: Collection[str]) -> Iterator[_Found]:
    match node:
        case nodes.Filter():
            yield from _check_filter(node)
        case nodes.Test() if node.name not in TESTS:
            yield _unknown_test(node.name)
        case nodes.Const():
            yield from _check_constant(node.value)
        case nodes.ScopedEvalContextModifier():
            yield _Found("PP307", "unknown tag 'autoescape'", "", "autoescape")
        case nodes.Name() if node.name == "self":
            yield _Found("PP323", "'self' would let a block call itself", "use a macro", "self")
        case nodes.Name() if node.name.startswith("_"):
            hint = "start names with a letter"
            yield _Found("PP308", f"the name {node.name!r} is not allowed", hint, node.name)
        case nodes.Getattr() if node.attr.startswith("__"):
            hint = "templates work on plain data only"
            yield _Found("PP308", f"{node.attr!r} is not reachable from a template", hint, node.attr)
        case nodes.Getattr() if node.ctx == METHOD:
            yield from _check_method(node, imported)
        case nodes.For() if node.recursive:
            yield _Found("PP323", "recursive loops are not allowed", "use a macro", "recursive")
        case nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Extends():
            yield from _check_loading(node.template, partials)


def _check_filter(node: nodes.Filter) -> Iterator[_Found]:
    """Check a filter's name, and the name of the filter or test that it is to apply to each item."""
    if node.name not in FILTERS:
        yield _unknown_filter(node.name)
    place = APPLIES_TEST.get(node.name, 0)
    applied = node.args[place] if place < len(node.args) else None
    if not isinstance(applied, nodes.Const) or not isinstance(applied.value, str):
        return
    if node.name == "map" and applied.value not in FILTERS:
        yield _unknown_filter(applied.value)
    if node.name in APPLIES_TEST and applied.value not in TESTS:
        yield _unknown_test(applied.value)


def _unknown_filter(name: str) -> _Found:
    return _Found("PP303", f"no filter named {name!r}", did_you_mean(name, FILTERS), name)


def _unknown_test(name: str) -> _Found:
    return _Found("PP304", f"no test named {name!r}", did_you_mean(name, TESTS), name)


def _check_constant(value: object) -> Iterator[_Found]:
    if isinstance(value, str) and not is_encodable(value):
        yield _Found("PP302", "template syntax: half of a surrogate pair", "write the character itself", "\\u")
    elif isinstance(value, float) and not math.isfinite(value):
        yield _Found("PP322", "template has a number that is too large", "", "")
    elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
        yield _Found("PP322", "template has a number that is too long", "", "")


def _check_method(called: nodes.Getattr, imported: Collection[str]) -> Iterator[_Found]:
    # What `self` may not do is told of `self`.
    is_elsewhere = isinstance(called.node, nodes.Name) and called.node.name in (*imported, "self")
    if not is_elsewhere and called.attr not in METHOD_NAMES:
        hint = did_you_mean(called.attr, METHOD_NAMES)
        yield _Found("PP308", f"no method named {called.attr!r}", hint, called.attr)


def _check_loading(template: nodes.Expr, partials: Collection[str] | None) -> Iterator[_Found]:
    names = list(constant_names(template))
    expected = len(template.items) if isinstance(template, (nodes.List, nodes.Tuple)) else 1
    if len(names) != expected:
        hint = 'write it in quotes: {% include "rules" %}'
        yield _Found("PP306", "the name of a partial must be written out", hint, "")
    for name in names:
        if partials is not None and name not in partials:
            hint = did_you_mean(name, partials) or "add it under 'partials', or as a file in _partials/"
            yield _Found("PP305", f"no partial named {name!r}", hint, name)
