"""Random templates of the whole language, and contexts for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

Draw = st.DrawFn
Writer = Callable[[Draw, Any], str]
T = TypeVar("T")

PARTIALS = {
    "plain": "(a partial: {{ S }}{% if B %} yes{% endif %})",
    "looping": "{% for w in W %}{{ loop.index }}{{ w }}{% if not loop.last %}, {% endif %}{% endfor %}",
    "needy": "[{{ D.name }} {{ x | default('no x') }}]",
}
MACROS = (
    "{% macro peek() %}{{ late | default('-') }}{{ show(S) }}{% endmacro %}"
    "{% macro show(v, label='v') %}<{{ label }}={{ v }}>{% endmacro %}"
    "{% macro wrap(times=1) %}{% for i in range(times) %}({{ caller() }}){% endfor %}{% endmacro %}"
)

_words = st.text(st.sampled_from("ab Z9\n<{%\"'\\é中😀"), max_size=6)
_small = st.integers(-3, 12)
_floats = st.sampled_from([0.0, 0.5, -1.25, 3.0, 1e-7, 1e16, 0.00001, 123456.789])
_leaves: st.SearchStrategy[Any] = _words | _small | _floats | st.booleans() | st.none()
_data = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3), max_leaves=8
)
_records = st.fixed_dictionaries(
    {"name": _words, "size": _small, "flag": st.booleans(), "inner": st.fixed_dictionaries({"deep": _data})},
    optional={"rare": _words},
)

VALUES = {
    "S": _words,
    "N": _small,
    "B": st.booleans(),
    "W": st.lists(_words, max_size=4),
    "L": st.lists(_small, max_size=4),
    "R": st.lists(_records, max_size=3),
    "D": _records,
    "A": _data,
}
contexts = st.fixed_dictionaries(VALUES)


@dataclass(frozen=True)
class _Scope:
    """The names that a template may use here, by type, and how many more levels it may nest."""

    deep: int = 3
    texts: tuple[str, ...] = ("S", "D.name", "D['name']")
    numbers: tuple[str, ...] = ("N", "D.size")
    truths: tuple[str, ...] = ("B", "D.flag")
    records: tuple[str, ...] = ("D",)
    anything: tuple[str, ...] = ("A", "D", "R", "W", "L", "D.inner.deep", "D.inner", "U", "D.rare", "S.name", "N.x")
    loops: tuple[str, ...] = field(default=())

    def inner(self, **more: tuple[str, ...]) -> "_Scope":
        joined = {name: getattr(self, name) + names for name, names in more.items()}
        return replace(self, deep=self.deep - 1, **joined)


def _pick(draw: Draw, options: Sequence[T]) -> T:
    """Draw one of the options; to make a new strategy of them takes longer than to draw."""
    return options[draw(_indexes(len(options)))]


@cache
def _indexes(count: int) -> st.SearchStrategy[int]:
    return st.sampled_from(range(count))


@st.composite
def templates(draw: Draw) -> str:
    """Draw a template that uses names of the context, and undefined names."""
    body = _body(draw, _Scope())
    return MACROS + body if any(name in body for name in ("peek(", "show(", "wrap(")) else body


def _body(draw: Draw, scope: _Scope) -> str:
    return "".join(_statement(draw, scope) for _ in range(draw(st.integers(1, 4))))


def _statement(draw: Draw, scope: _Scope) -> str:
    simple: list[Writer] = [_text, _output, _output, _output, _include, _set]
    nested: list[Writer] = [_if, _for, _for, _with, _set_block, _filter_block, _call_block, _count]
    return _pick(draw, [*simple, *nested] if scope.deep else simple)(draw, scope)


def _tag(draw: Draw, inside: str) -> str:
    start, end = _pick(draw, ["", "-", "+"]), _pick(draw, ["", "-", "+"])
    return f"{{%{start} {inside} {end}%}}"


def _text(draw: Draw, _: _Scope) -> str:
    texts = [
        "plain",
        " ",
        "\n",
        "\n\n  ",
        "}} %}",
        "中文\n",
        "{# a comment #}",
        "{% raw %}{{ x }}{% endraw %}",
        "'\\n\"",
    ]
    return _pick(draw, texts)


def _output(draw: Draw, scope: _Scope) -> str:
    end = _pick(draw, [" }}", " -}}"])
    return "{{ " + _printed(draw, scope) + end + _pick(draw, ["", " ", "\n", "x"])


def _printed(draw: Draw, scope: _Scope) -> str:
    kind = _pick(draw, [_text_of, _number_of, _truth_of, _anything])
    return kind(draw, scope)


def _anything(draw: Draw, scope: _Scope) -> str:
    value = _pick(draw, scope.anything)
    return _pick(
        draw,
        [value, f"{value} | tojson(indent=2)", f"{value} | json(4)", f"{value} | default('none', true)"]
        + ([f"[{value}, 1]", f"{{'k': {value}}}"] if value != "U" else []),
    )


def _text_of(draw: Draw, scope: _Scope) -> str:
    name = _pick(draw, scope.texts)
    if not scope.deep:
        return name
    inner = scope.inner()
    choices: list[Callable[[], str]] = [
        lambda: name,
        lambda: "'lit'",
        lambda: f"({_text_of(draw, inner)} ~ {_number_of(draw, inner)})",
        lambda: f"({_text_of(draw, inner)} | {_pick(draw, ['upper', 'lower', 'trim', 'capitalize', 'title'])})",
        lambda: f"({_text_of(draw, inner)} | replace('a', {_text_of(draw, inner)}))",
        lambda: f"(W | join({_text_of(draw, inner)}))",
        lambda: "(L | join('-'))",
        lambda: f"({_text_of(draw, inner)} if {_truth_of(draw, inner)} else {_text_of(draw, inner)})",
        lambda: f"{name}[{draw(_small)}:{draw(_small)}]",
        lambda: f"{name}.upper()",
        lambda: "(R | map(attribute='name') | join('+'))",
        lambda: f"(U | default({_text_of(draw, inner)}))",
        lambda: f"show({_text_of(draw, inner)}, label={_text_of(draw, inner)})",
        lambda: "peek()",
        lambda: "W[0]",
        lambda: "(W | first)",
        *(lambda loop=loop: f"{loop}.cycle('odd', 'even')" for loop in scope.loops),
    ]
    return _pick(draw, choices)()


def _number_of(draw: Draw, scope: _Scope) -> str:
    name = _pick(draw, scope.numbers)
    if not scope.deep:
        return name
    inner = scope.inner()
    operator = _pick(draw, ["+", "-", "*", "//", "%"])
    choices: list[Callable[[], str]] = [
        lambda: name,
        lambda: str(draw(_small)),
        lambda: f"({_number_of(draw, inner)} {operator} {_number_of(draw, inner)})",
        lambda: f"({_pick(draw, ['L', 'W', 'R', 'S', 'D'])} | length)",
        lambda: "(L | sum)",
        lambda: "(L | max)",
        lambda: "(R | sum(attribute='size'))",
        lambda: f"({_number_of(draw, inner)} | abs)",
        lambda: f"(-{name})",
        lambda: "L[0]",
        *(lambda loop=loop: f"{loop}.{_pick(draw, ['index', 'index0', 'revindex', 'length'])}" for loop in scope.loops),
    ]
    return _pick(draw, choices)()


def _truth_of(draw: Draw, scope: _Scope) -> str:
    name = _pick(draw, scope.truths)
    if not scope.deep:
        return name
    inner = scope.inner()
    compared = _pick(draw, ["<", "<=", "==", "!=", ">"])
    choices: list[Callable[[], str]] = [
        lambda: name,
        lambda: f"({_number_of(draw, inner)} {compared} {_number_of(draw, inner)})",
        lambda: f"({_text_of(draw, inner)} == {_text_of(draw, inner)})",
        lambda: f"(not {_truth_of(draw, inner)})",
        lambda: f"({_truth_of(draw, inner)} {_pick(draw, ['and', 'or'])} {_truth_of(draw, inner)})",
        lambda: f"({_pick(draw, scope.anything)} is {_pick(draw, ['defined', 'undefined'])})",
        lambda: f"({_number_of(draw, inner)} is {_pick(draw, ['odd', 'even', 'number', 'string'])})",
        lambda: f"({_number_of(draw, inner)} in L)",
        lambda: f"({_text_of(draw, inner)} in W)",
        lambda: "('rare' in D)",
        *(lambda loop=loop: f"{loop}.{_pick(draw, ['first', 'last'])}" for loop in scope.loops),
        *(lambda loop=loop: f"{loop}.changed({_truth_of(draw, inner)})" for loop in scope.loops),
    ]
    return _pick(draw, choices)()


def _include(draw: Draw, _: _Scope) -> str:
    # Without context, Jinja turns the macro or block around it into a generator, and so prints an object there.
    context = _pick(draw, ["", " with context"])
    # After an include we keep the newline, which Jinja removes, so none follows here.
    return "{% include '" + _pick(draw, sorted(PARTIALS)) + f"'{context} %}}."


def _set(draw: Draw, scope: _Scope) -> str:
    return _tag(draw, f"set {_pick(draw, ['x', 'S', 'late'])} = {_text_of(draw, scope)}")


def _set_block(draw: Draw, scope: _Scope) -> str:
    return f"{{% set x %}}{_body(draw, scope.inner())}{{% endset %}}{{{{ x }}}}"


def _filter_block(draw: Draw, scope: _Scope) -> str:
    return f"{{% filter upper %}}{_body(draw, scope.inner())}{{% endfilter %}}"


def _call_block(draw: Draw, scope: _Scope) -> str:
    return f"{{% call wrap({draw(st.integers(0, 2))}) %}}{_body(draw, scope.inner(loops=()))}{{% endcall %}}"


def _count(draw: Draw, scope: _Scope) -> str:
    step = f"{{% set ns.n = ns.n + {_number_of(draw, scope.inner())} %}}"
    return f"{{% set ns = namespace(n=0) %}}{{% for y in L %}}{step}{{{{ ns.n }}}}{{% endfor %}}={{{{ ns.n }}}}"


def _if(draw: Draw, scope: _Scope) -> str:
    inner = scope.inner()
    middle = _tag(draw, f"elif {_truth_of(draw, scope)}") + _body(draw, inner) if draw(st.booleans()) else ""
    other = _tag(draw, "else") + _body(draw, inner) if draw(st.booleans()) else ""
    return _tag(draw, f"if {_truth_of(draw, scope)}") + _body(draw, inner) + middle + other + _tag(draw, "endif")


def _with(draw: Draw, scope: _Scope) -> str:
    inner = scope.inner(texts=("t",))
    return _tag(draw, f"with t = {_text_of(draw, scope)}") + _body(draw, inner) + _tag(draw, "endwith")


def _for(draw: Draw, scope: _Scope) -> str:
    loops: list[tuple[str, dict[str, tuple[str, ...]]]] = [
        ("w in W", {"texts": ("w",)}),
        ("w in W if w != S", {"texts": ("w",)}),
        ("n in L", {"numbers": ("n",)}),
        ("n in L | sort", {"numbers": ("n",)}),
        ("n in range(3)", {"numbers": ("n",)}),
        ("n in L if n is odd", {"numbers": ("n",)}),
        ("w in W | map('upper')", {"texts": ("w",)}),
        ("k, v in D.items()", {"texts": ("k",), "anything": ("v",)}),
        ("k in D", {"texts": ("k",)}),
        ("c in S", {"texts": ("c",)}),
        ("i in A", {"anything": ("i",)}),
        ("u in U", {}),
        ("g in R | groupby('size')", {"numbers": ("g.grouper", "g[0]"), "anything": ("g.list",)}),
        (
            "r in R",
            {"texts": ("r.name",), "numbers": ("r.size",), "anything": ("r", "r.rare", "r.inner.deep")},
        ),
        ("r in R if r.flag", {"texts": ("r.name",), "numbers": ("r.size",), "anything": ("r",)}),
    ]
    head, names = _pick(draw, loops)
    inner = replace(scope.inner(**names), loops=("loop",) if draw(st.booleans()) else ())
    other = _tag(draw, "else") + _body(draw, scope.inner()) if draw(st.booleans()) else ""
    return _tag(draw, f"for {head}") + _body(draw, inner) + other + _tag(draw, "endfor")
