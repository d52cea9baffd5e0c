"""Everyday conditions as one Python function that proves them all at once, without counting each step.

What is read of the conditions becomes code that takes for granted what is usual. Where that is not so, it fails:
nothing is proven, and the conditions are worked out one by one. What is common to several is worked out once. Their
steps are not counted but bounded from above, which will do as long as the bound keeps to the limits.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, filterfalse
from typing import Any, Final

from promptpack.template.bounds import Limits
from promptpack.template.failure import RENDER_ERRORS
from promptpack.template.filters import out_of_order
from promptpack.template.limits import meter
from promptpack.template.model import Expression
from promptpack.template.reading import read_expression
from promptpack.template.script import Script, UnusualError

Condition = tuple[Expression | None, Expression]
"""What must be true, where something else is or always."""

_LONGEST: Final = 20_000
# Each is at least the steps that are counted: for a character of a condition, for an item or a letter that it looks at
# in one of its parts, and for a character of a reply of which all is measured.
_STEPS_OF_SOURCE: Final = 64
_STEPS_OF_AN_ITEM: Final = 8
_STEPS_OF_A_CHARACTER: Final = 4
_LAZY: Final = ("map", "reject", "select", "unique")
_SMALL: Final = frozenset((bool, float, int, type(None)))
_LIST: Final = {list}
_TEXT: Final = {str}
_EXACT: Final = [["case_sensitive", ["value", True]]]
_TESTS: Final[Mapping[str, str]] = {
    "false": "{0} is False",
    "mapping": "type({0}) is dict",
    "none": "{0} is None",
    "string": "type({0}) is str",
    "true": "{0} is True",
}


class Proof:
    """Proves that conditions on a reply hold, where that is quickly done."""

    def __init__(self, conditions: Sequence[Condition], names: Iterable[str], limits: Limits) -> None:
        self._limits = limits
        texts = [str(part) for condition in conditions for part in condition if part is not None]
        self._steps = _STEPS_OF_SOURCE * sum(1 + len(text) for text in texts)
        self._steps_of_an_item = self._steps_of_a_character = 0
        self._prove: Callable[..., int] = _leave_unproven
        try:
            scripts = [(None if when is None else _read(when), _read(require)) for when, require in conditions]
            self._prove = _compile(scripts, names)
        except UnusualError:
            return
        parts = [part for pair in scripts for script in pair for part in _parts(script)]
        # What several conditions have in common is worked out once, and counted for each of them.
        self._steps_of_an_item = _STEPS_OF_AN_ITEM * max(Counter(map(repr, parts)).values(), default=0)
        measured = [part for part in parts if part[0] == "filter" and part[2:3] == ["out_of_order"]]
        self._steps_of_a_character = _STEPS_OF_A_CHARACTER * len(measured)

    def holds(self, reply: Any, values: Mapping[str, Any] | None, characters: int) -> bool:
        """Say whether all conditions certainly hold within the limits; the reply was read from so many characters."""
        limits = self._limits
        room = min(limits.items, limits.text)
        if characters >= room or meter() is not None:
            return False
        try:
            items = self._prove(reply, values, room)
        except (UnusualError, *RENDER_ERRORS):
            return False
        steps = self._steps + self._steps_of_an_item * items + self._steps_of_a_character * characters
        return items < room and steps <= limits.steps


def _leave_unproven(*_: object) -> int:
    raise UnusualError


def _compile(conditions: Iterable[tuple[Script | None, Script]], names: Iterable[str]) -> Callable[..., int]:
    groups: dict[str, tuple[Script | None, list[Script]]] = {}
    for when, require in conditions:
        groups.setdefault(repr(when), (when, []))[1].append(require)
    writer = _Writer(names)
    for when, required in groups.values():
        with writer.inside(f"if {'True' if when is None else writer.value(when)}:"):
            for script in required:
                writer.line(f"if not {writer.value(script)}: raise doubt")
    code = "\n ".join(("def prove(reply, values, room):", *writer.lines, "return w"))
    exec(compile(code, "<rules>", "exec"), writer.reachable)  # noqa: S102 -- no text of a rule is in the code
    return writer.reachable["prove"]  # type: ignore[no-any-return]


def _read(expression: Expression) -> Script:
    source = expression.source
    reading = read_expression(source.text) if source.syntax == "jinja" and len(source.text) <= _LONGEST else None
    if reading is None:
        raise UnusualError
    return reading.script


def _parts(script: Any) -> Iterator[Script]:
    """Give the parts of a condition that take steps of their own."""
    if type(script) is list:
        if script and script[0] in ("compare", "filter", "test"):
            yield script
        for part in script:
            yield from _parts(part)


def _size(value: Any) -> int:
    """Give what it takes to compare a value, if it is small, or a list of texts."""
    kind = type(value)
    if kind in _SMALL:
        return 0
    if kind is str or (kind is list and _TEXT.issuperset(map(type, value))):
        return len(value)
    raise UnusualError


class _Writer:
    """Writes the code of conditions line by line, each value under a name; `w` is how many items were looked at."""

    def __init__(self, names: Iterable[str]) -> None:
        self.reachable: dict[str, Any] = {
            "__builtins__": {"dict": dict, "len": len, "list": list, "map": map, "sorted": sorted, "str": str}
            | {"sum": sum, "type": type, "frozenset": frozenset},
            "LIST": _LIST,
            "TEXT": _TEXT,
            "chain": chain.from_iterable,
            "doubt": UnusualError,
            "filterfalse": filterfalse,
            "filter": filter,
            "out_of_order": out_of_order,
            "size": _size,
        }
        self.lines = ["w = 0"]
        self._indent = ""
        self._known: dict[str, str] = {repr(["name", "reply"]): "reply"}
        self._lists: frozenset[str] = frozenset()
        self._texts: frozenset[str] = frozenset()
        # All are looked up, as a rule that looks at an input which is not there is not worked out.
        for name in sorted(set(names) - {"reply", "pack"}):
            self._known[repr(["name", name])] = self._let(f"values[{self._constant(name)}]")

    def line(self, text: str) -> None:
        """Write a line of code."""
        self.lines.append(self._indent + text)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """Write what is done on a condition; what is worked out there is not known behind it."""
        self.line(head)
        before = self._indent, dict(self._known), self._lists, self._texts
        self._indent += " "
        yield
        self.line("pass")
        self._indent, self._known, self._lists, self._texts = before

    def value(self, script: Script) -> str:
        """Write what works out a value, and give its name; a lazy one is for the filter behind it alone."""
        match script:
            case ["filter", _, name, _, _] if name in _LAZY:
                return self._doubt()
        return self._chained(script)

    def _chained(self, script: Script) -> str:
        key = repr(script)
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = self._write(script)
        return name

    def _write(self, script: Script) -> str:
        match script:
            case ["value", value]:
                return self._constant(value)
            case ["get", owner, key]:
                return self._let(f"{self.value(owner)}[{self._constant(key)}]")
            case ["not", inner]:
                return self._let(f"not {self.value(inner)}")
            case [("and" | "or") as word, left, right]:
                name = self._let(self.value(left))
                with self.inside(f"if {'' if word == 'and' else 'not '}{name}:"):
                    self.line(f"{name} = {self.value(right)}")
                return name
            case ["compare", left, operator, right]:
                return self._compare(left, operator, right)
            case ["test", value, name, [], []]:
                return self._test(value, name)
            case ["filter", value, name, given, named]:
                return self._filter(value, name, given, named)
        return self._doubt()

    def _compare(self, left: Script, operator: str, right: Script) -> str:
        is_containment = operator in ("in", "not in")
        if right[0] == "list" and all(item[0] == "value" for item in right[1:]):
            value, choices = self.value(left), [item[1] for item in right[1:]]
            self.line(f"w += size({value}) + {len(choices)}")
            return self._let(f"{value} {operator} {self._constant(choices)}")
        value, other = self.value(left), self.value(right)
        if right[0] != "value" and (left[0] != "value" or is_containment):
            self.line(f"w += {self._size_of(value)} + {self._size_of(other)}")
        return self._let(f"{value} {operator} {other}")

    def _test(self, value: Script, name: str) -> str:
        if name == "defined" and value[0] == "get":
            owner = self.value(value[1])
            self.line(f"if type({owner}) is not dict: raise doubt")
            found = self._let(f"{owner}.get({self._constant(value[2])}, doubt)")
            self.line(f"if type({found}) in (dict, list, str): w += len({found})")
            return self._let(f"{found} is not doubt")
        if name not in _TESTS:
            return self._doubt()
        tested = self.value(value)
        self.line(f"if type({tested}) in (dict, list, str): w += len({tested})")
        return self._let(_TESTS[name].format(tested))

    def _filter(self, value: Script, name: str, given: Script, named: Script) -> str:
        match name, given, named:
            case "length" | "count", [], []:
                return self._let(f"len({self.value(value)})")
            case "trim", [], []:
                return self._trim(self.value(value))
            case "list", [], []:
                found = self._list(value)
                self.line(f"w += len({found})")
                return found
            case "map", [], [["attribute", ["value", str() as key]]] if "." not in key and not key.isdigit():
                found = self._list(value)
                self.line(f"w += len({found})")
                return self._made(f"[item[{self._constant(key)}] for item in {found}]")
            case "flatten", [], []:
                return self._flatten(self._list(value))
            case "unique", [], named if named == _EXACT:
                return self._arranged(value, "list(dict.fromkeys({0}))")
            case "sort", [], named if named == _EXACT:
                return self._arranged(value, "sorted({0})")
            case "select" | "reject", [["value", "in"], texts], []:
                return self._sift("filter" if name == "select" else "filterfalse", value, texts)
            case "out_of_order", [order], [] if _is_of_reply(value) and _is_of_reply(order):
                return self._out_of_order(value, order)
        return self._doubt()

    def _trim(self, value: str) -> str:
        self.line(f"if type({value}) is not str: raise doubt")
        self.line(f"w += len({value})")
        return self._let(f"{value}.strip()")

    def _flatten(self, values: str) -> str:
        self.line(f"if not LIST.issuperset(map(type, {values})): raise doubt")
        self.line(f"w += len({values}) + sum(map(len, {values}))")
        self.line("if w > room: raise doubt")
        return self._text_list(self._made(f"list(chain({values}))"))

    def _arranged(self, values: Script, made: str) -> str:
        found = self._text_list(self._list(values))
        self.line(f"w += len({found}) + sum(map(len, {found}))")
        return self._made(made.format(found), is_texts=True)

    def _sift(self, function: str, values: Script, texts: Script) -> str:
        found = self._text_list(self._list(values))
        known = self._text_list(self._as_list(self.value(texts)))
        self.line(f"w += len({found}) + len({known})")
        return self._made(f"list({function}(frozenset({known}).__contains__, {found}))", is_texts=True)

    def _out_of_order(self, tasks: Script, order: Script) -> str:
        for key in ("id", "dependencies"):
            named = ["filter", tasks, "map", [], [["attribute", ["value", key]]]]
            self._text_list(self._list(named if key == "id" else ["filter", named, "flatten", [], []]))
        return self._let(f"out_of_order({self.value(tasks)}, {self._text_list(self._as_list(self.value(order)))})")

    def _list(self, script: Script) -> str:
        return self._as_list(self._chained(script))

    def _as_list(self, name: str) -> str:
        if name not in self._lists:
            self.line(f"if type({name}) is not list: raise doubt")
            self._lists |= {name}
        return name

    def _text_list(self, name: str) -> str:
        if name not in self._texts:
            self.line(f"if not TEXT.issuperset(map(type, {name})): raise doubt")
            self._texts |= {name}
        return name

    def _made(self, expression: str, *, is_texts: bool = False) -> str:
        name = self._let(expression)
        self._lists |= {name}
        self._texts |= {name} if is_texts else frozenset()
        return name

    def _size_of(self, name: str) -> str:
        return f"len({name})" if name in self._texts else f"size({name})"

    def _let(self, expression: str) -> str:
        name = f"v{len(self.lines)}"
        self.line(f"{name} = {expression}")
        return name

    def _constant(self, value: Any) -> str:
        name = f"c{len(self.reachable)}"
        self.reachable[name] = value
        return name

    def _doubt(self) -> str:
        self.line("raise doubt")
        return "doubt"  # which nobody gets to look at


def _is_of_reply(script: Script) -> bool:
    while script[0] == "get":
        script = script[1]
    return script == ["name", "reply"]
