"""Partials are visited once per scope, even if many tags name them."""

import pytest
from jinja2 import nodes

from promptpack import PackError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.includes import MAX_VISITS, IncludeWalker, TooManyIncludesError
from promptpack.template.model import Source
from promptpack.template.names import DependencyFinder


def sources(texts: dict[str, str]) -> dict[str, Source]:
    return {name: Source.of_text(text, name) for name, text in texts.items()}


def fan_out(levels: int, width: int) -> dict[str, str]:
    inner = {f"p{level}": f'{{% include "p{level + 1}" %}}' * width for level in range(levels)}
    return {**inner, f"p{levels}": "{{ LAST }}"}


def test_a_walker_enters_each_partial_once_per_scope() -> None:
    entered: list[str] = []
    walker: IncludeWalker[str, int] = IncludeWalker({"a": "A", "b": "B"}.get)

    def enter(_: str, text: str) -> int:
        entered.append(text)
        return len(entered)

    def visit(name: str, scope: str) -> list[tuple[str, int]]:
        return list(walker.visit(nodes.Const(name), scope, enter))

    assert visit("a", "x") == visit("a", "x") == [("a", 1)]
    assert visit("a", "y") == [("a", 2)]
    assert visit("b", "x") == [("b", 3)]
    assert visit("missing", "x") == []
    assert entered == ["A", "A", "B"]


def test_a_walker_does_not_enter_a_partial_inside_itself() -> None:
    walker: IncludeWalker[str, int] = IncludeWalker({"a": "A"}.get)
    inner: list[int] = []

    def enter(name: str, _: str) -> int:
        inner.append(len(list(walker.visit(nodes.Const(name), "other", enter))))
        return 1

    assert list(walker.visit(nodes.Const("a"), None, enter)) == [("a", 1)]
    assert inner == [0]


def test_a_walker_stops_at_its_limit() -> None:
    walker: IncludeWalker[str, int] = IncludeWalker({str(number): "" for number in range(4)}.get, max_visits=3)
    names = nodes.List([nodes.Const(str(number)) for number in range(4)])
    with pytest.raises(TooManyIncludesError):
        list(walker.visit(names, None, lambda *_: 0))


def test_partials_that_multiply_are_visited_once_each() -> None:
    engine = Engine(sources(fan_out(20, 8)), caching=True)
    template = compile(Source.of_text('{% if false %}{% include "p0" %}{% endif %}'), engine)
    assert template.names == {"LAST"}
    assert template.partials == {f"p{level}" for level in range(21)}
    assert template.render({"LAST": "x"}) == ""


def test_names_that_the_includer_sets_are_not_dependencies() -> None:
    engine = Engine(sources({"p": "{{ A }}{{ B }}"}))
    one = compile(Source.of_text('{% set A = 1 %}{% include "p" %}'), engine)
    both = compile(Source.of_text('{% set A = 1 %}{% include "p" %}{% set B = 1 %}{% include "p" %}'), engine)
    neither = compile(Source.of_text('{% set A, B = 1, 1 %}{% include "p" %}'), engine)
    assert [sorted(one.names), sorted(both.names), sorted(neither.names)] == [["B"], ["B"], []]


def test_partials_nested_too_deeply_are_refused() -> None:
    engine = Engine(sources(fan_out(40, 1)))
    with pytest.raises(PackError) as caught:
        _ = engine.partial_trees
    assert str(caught.value) == (
        f"p8:1:1: PP324 more than {MAX_VISITS:,} partials, or includes nested more than 32 levels deep\n"
        "  hint: use fewer partials"
    )


def test_a_finder_accepts_partials_that_include_themselves() -> None:
    engine = Engine(dynamic_partials=True)
    tree = engine.parse(Source.of_text('{{ A }}{% include "p" %}'))
    assert DependencyFinder({"p": tree}).find(tree).names == {"A"}
