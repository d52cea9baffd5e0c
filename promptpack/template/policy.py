"""What a template may contain: found in its syntax tree, before any code is made of it."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from jinja2 import nodes

from promptpack.problem import Location, Problem, did_you_mean
from promptpack.template.generator import METHOD
from promptpack.template.language import FILTERS, METHOD_NAMES, TESTS
from promptpack.template.model import Source
from promptpack.template.names import constant_names
from promptpack.template.positions import decode

_LOADING = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


def check(tree: nodes.Node, source: Source, partials: Collection[str] | None) -> list[Problem]:
    """Find everything outside of the small language; `partials` are those there are, or None when more may come."""
    imported = {node.target for node in tree.find_all(nodes.Import)}
    return [
        Problem(found.code, found.message, _locate(source, node.lineno, found.word), found.hint)
        for node in tree.find_all(nodes.Node)
        for found in _check_node(node, partials, imported)
    ]


class _Found(NamedTuple):
    code: str
    message: str
    hint: str
    word: str


def _locate(source: Source, position: int, word: str) -> Location:
    """Point at the word itself: Jinja knows only where the filter, test or look-up around it starts."""
    line, column = decode(position)
    lines = source.text.split("\n")
    found = lines[line - 1].find(word, column - 1) if line <= len(lines) else -1
    return source.locate(line, found + 1 if found >= 0 else column)


def _check_node(node: nodes.Node, partials: Collection[str] | None, imported: Collection[str]) -> Iterator[_Found]:
    match node:
        case nodes.Filter() if node.name not in FILTERS:
            yield _Found("PP303", f"no filter named {node.name!r}", did_you_mean(node.name, FILTERS), node.name)
        case nodes.Test() if node.name not in TESTS:
            yield _Found("PP304", f"no test named {node.name!r}", did_you_mean(node.name, TESTS), node.name)
        case nodes.Name() if node.name.startswith("_") or node.name == "self":
            hint = "start names with a letter"
            yield _Found("PP308", f"the name {node.name!r} is not allowed", hint, node.name)
        case nodes.Getattr() if node.attr.startswith("__"):
            hint = "templates work on plain data only"
            yield _Found("PP308", f"{node.attr!r} is not reachable from a template", hint, node.attr)
        case nodes.Getattr() if node.ctx == METHOD:
            yield from _check_method(node, imported)
        case nodes.For() if node.recursive:
            yield _Found("PP308", "recursive loops are not allowed", "use a macro", "recursive")
        case nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Extends():
            yield from _check_loading(node.template, partials)


def _check_method(called: nodes.Getattr, imported: Collection[str]) -> Iterator[_Found]:
    of_import = isinstance(called.node, nodes.Name) and called.node.name in imported
    if not of_import and called.attr not in METHOD_NAMES:
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


def find_cycles(trees: dict[str, nodes.Template]) -> Iterator[tuple[str, nodes.Node]]:
    """Find the partials that include themselves, and the tags that close the circle."""
    for name in trees:
        yield from _closing_tags(name, trees)


def _closing_tags(start: str, trees: dict[str, nodes.Template]) -> Iterator[tuple[str, nodes.Node]]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for tag in trees[name].find_all(_LOADING):
            for target in constant_names(tag.template):  # type: ignore[attr-defined]  # every loading tag has one
                if target == start:
                    yield name, tag
                elif target in trees:
                    waiting.append(target)
