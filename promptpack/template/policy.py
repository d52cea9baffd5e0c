"""The policy: what a template may contain. Its syntax tree is checked before it is compiled."""

import math
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from jinja2 import nodes

from promptpack.characters import is_encodable
from promptpack.problem import MAX_KNOWN, Problem, did_you_mean
from promptpack.template.codegen import METHOD
from promptpack.template.formatting import reads_attributes
from promptpack.template.hints import hint_for_filter, hint_for_method, hint_for_test
from promptpack.template.includes import LoadingTag, constant_names
from promptpack.template.language import FILTERS, METHOD_NAMES, TESTS
from promptpack.template.model import Limits, Source

APPLIES_TEST = {"select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}
"""Which argument of a filter names the test that it applies to each item."""
NUMBER_HINT = "write it as text, in quotes"
_MAX_BITS = Limits().bits
# The comparisons of unknown names with known ones; this many are not misspellings.
_MAX_COMPARISONS = 200_000
_CHECKED = frozenset((
    nodes.Const, nodes.Extends, nodes.Filter, nodes.For, nodes.FromImport, nodes.Getattr, nodes.Import, nodes.Include,
    nodes.Macro, nodes.Name, nodes.ScopedEvalContextModifier, nodes.Test,
))  # fmt: skip


class PartialNames:
    """The names of partials, and a hint at one of them for each unknown name."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._hints: dict[str, str] = {}
        self._comparisons = _MAX_COMPARISONS

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def hint(self, unknown: str) -> str:
        """Return how to correct an unknown name."""
        if unknown not in self._hints and self._comparisons > 0:
            self._comparisons -= min(len(self._names), MAX_KNOWN)
            self._hints[unknown] = did_you_mean(unknown, self._names)
        return self._hints.get(unknown) or "add it under 'partials', or as a file in _partials/"


def check(tree: Sequence[nodes.Node], source: Source, partials: PartialNames | None) -> list[Problem]:
    """Return the problems of a template; `partials` are the known ones, or None if more may be added later."""
    modules = {node.target for node in tree if isinstance(node, nodes.Import)}
    found = [
        (node.lineno, problem)
        for node in tree
        if type(node) in _CHECKED
        for problem in _check_node(node, partials, modules)
    ]
    return [problem.place(position, source) for position, problem in sorted(found, key=lambda one: one[0])]


def refuse_unknown(tag: LoadingTag, source: Source, partials: PartialNames) -> Problem:
    """Return the problem of a tag that loads an unknown partial."""
    return _unknown_partial(tag.target, partials).place(tag.node.lineno, source)


class _WordProblem(NamedTuple):
    code: str
    message: str
    hint: str
    word: str  # its location is that of the problem

    def place(self, position: int, source: Source) -> Problem:
        return Problem(self.code, self.message, source.locate_word(position, self.word), self.hint)


def _check_node(node: nodes.Node, partials: PartialNames | None, modules: Collection[str]) -> Iterator[_WordProblem]:
    match node:
        case nodes.Name():
            yield from _check_name(node.name)
        case nodes.Macro():
            yield from _check_name(node.name)
        case nodes.Getattr():
            yield from _check_attribute(node, modules)
        case nodes.Const():
            yield from _check_constant(node.value)
        case nodes.Filter():
            yield from _check_filter(node)
        case nodes.Test() if node.name not in TESTS:
            yield _unknown_test(node.name)
        case nodes.ScopedEvalContextModifier():
            yield _WordProblem("PP307", "unknown tag 'autoescape'", "remove it: prompts are not escaped", "autoescape")
        case nodes.For() if node.recursive:
            yield _WordProblem("PP323", "recursive loops are not allowed", "use a macro", "recursive")
        case nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Extends():
            yield from _check_partials(node.template, partials)


def _check_name(name: str) -> Iterator[_WordProblem]:
    if name == "self":
        yield _WordProblem("PP323", "'self' is not allowed: a block could call itself", "use a macro", "self")
    elif name.startswith("__"):
        yield _WordProblem("PP308", f"the name {name!r} is not allowed", "start it with a letter or a single '_'", name)


def _check_filter(node: nodes.Filter) -> Iterator[_WordProblem]:
    """Check the name of a filter, and the name of the filter or test that it applies to each item."""
    if node.name not in FILTERS:
        yield _unknown_filter(node.name)
    index = APPLIES_TEST.get(node.name, 0)
    applied = node.args[index] if index < len(node.args) else None
    if not isinstance(applied, nodes.Const) or not isinstance(applied.value, str):
        return
    if node.name == "map" and applied.value not in FILTERS:
        yield _unknown_filter(applied.value)
    if node.name in APPLIES_TEST and applied.value not in TESTS:
        yield _unknown_test(applied.value)


def _unknown_filter(name: str) -> _WordProblem:
    return _WordProblem("PP303", f"unknown filter {name!r}", hint_for_filter(name), name)


def _unknown_test(name: str) -> _WordProblem:
    return _WordProblem("PP304", f"unknown test {name!r}", hint_for_test(name), name)


def _check_constant(value: object) -> Iterator[_WordProblem]:
    if isinstance(value, str) and not is_encodable(value):
        yield _WordProblem("PP302", "template syntax: half of a surrogate pair", "write the character itself", "\\u")
    elif isinstance(value, float) and not math.isfinite(value):
        yield _WordProblem("PP322", "template has a number that is too large", NUMBER_HINT, "")
    elif isinstance(value, int) and value.bit_length() > _MAX_BITS:
        yield _WordProblem("PP322", "template has a number that is too long", NUMBER_HINT, "")


def _is_text(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, str)


def _check_attribute(node: nodes.Getattr, modules: Collection[str]) -> Iterator[_WordProblem]:
    if node.attr.startswith("__"):
        hint = "templates can use plain data only"
        yield _WordProblem("PP308", f"templates cannot access {node.attr!r}", hint, node.attr)
    elif node.attr == "format" and isinstance(node.node, nodes.Const) and reads_attributes(str(node.node.value)):
        hint = "look the value up first: '{}'.format(x.key)"
        yield _WordProblem("PP308", "a format can use names and positions only", hint, node.attr)
    elif node.ctx == METHOD and node.attr == "format" and not _is_text(node.node):
        hint = "write the format in quotes: '{}'.format(x)"
        yield _WordProblem("PP308", "'format' of a value could be controlled by its data", hint, node.attr)
    elif node.ctx == METHOD and node.attr not in METHOD_NAMES and not _is_module(node.node, modules):
        hint = hint_for_method(node.attr)
        yield _WordProblem("PP308", f"unknown method {node.attr!r}", hint, node.attr)


def _is_module(owner: nodes.Expr, modules: Collection[str]) -> bool:
    # The methods of modules are macros; `self` is reported as PP323.
    return isinstance(owner, nodes.Name) and owner.name in (*modules, "self")


def _check_partials(template: nodes.Expr, partials: PartialNames | None) -> Iterator[_WordProblem]:
    names = list(constant_names(template))
    expected = len(template.items) if isinstance(template, (nodes.List, nodes.Tuple)) else 1
    if len(names) != expected:
        name = template.name if isinstance(template, nodes.Name) else "rules"
        hint = f'write a name in quotes: {{% include "{name}" %}}'
        yield _WordProblem("PP306", "the name of a partial must not be an expression", hint, "")
    for name in names:
        if partials is not None and name not in partials:
            yield _unknown_partial(name, partials)


def _unknown_partial(name: str, partials: PartialNames) -> _WordProblem:
    return _WordProblem("PP305", f"unknown partial {name!r}", partials.hint(name), name)
