"""The meaning of each keyword for a value of a known kind: the conditions to meet it, and the ways to fail it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any, Final, NamedTuple

from promptpack.schema.inclusion.atoms import (
    Among,
    Bound,
    Count,
    EveryKey,
    Except,
    Has,
    Item,
    ItemAt,
    Items,
    Keys,
    Lacks,
    Matches,
    Member,
    Multiple,
    Or,
    Size,
    SomeItem,
    SomeKey,
    Unique,
)
from promptpack.schema.inclusion.nodes import Literal, SchemaNode, SchemaNodes
from promptpack.schema.inclusion.step_meter import StepMeter, UndecidedError

KINDS: Final = ("null", "boolean", "number", "string", "array", "object")
Option = tuple[Item, ...]
_FALSE: Final = Or(())
# Writing two schemas of a `oneOf` that exclude each other takes a fraction of a step.
_PAIRS_A_STEP: Final = 5


class Clause(NamedTuple):
    """The items that hold together if a keyword is met, and the options of which one holds if it is not."""

    holds: Iterable[Item] = ()
    fails: Iterable[Option] = ()


_ALWAYS: Final = Clause()
_NEVER: Final = Clause((_FALSE,), ((),))


class LiteralExpander:
    """Expands literals into items about values of one kind."""

    def __init__(self, nodes: SchemaNodes, meter: StepMeter) -> None:
        self._nodes = nodes
        self._meter = meter
        self._cache: dict[tuple[Literal, str], tuple[Item, ...]] = {}

    def expand(self, literal: Literal, kind: str) -> tuple[Item, ...]:
        """Return the items that hold together exactly if the literal holds for a value of this kind."""
        items = self._cache.get((literal, kind))
        if items is None:
            items = self._cache[literal, kind] = self._expand(literal, kind)
            self._meter.spend(1 + len(items))
        return items

    def _expand(self, literal: Literal, kind: str) -> tuple[Item, ...]:
        node = literal.node
        if isinstance(node.schema, bool):
            return () if node.schema is literal.holds else (_FALSE,)
        clauses = self._clauses(_KeywordReader(self._nodes, node, kind))
        if literal.holds:
            return tuple(item for clause in clauses for item in clause.holds)
        options = _without_copies(option for clause in clauses for option in clause.fails)
        self._meter.spend(len(options))
        return () if () in options else (Or(options, comes_first=True),)

    def _clauses(self, part: _KeywordReader) -> list[Clause]:
        readers = {**_READERS["any"], **_READERS.get(part.kind, {})}
        return [read(part) for keyword, read in readers.items() if not part.schema.keys().isdisjoint(keyword)]


def _without_copies(options: Iterable[Option]) -> tuple[Option, ...]:
    """Drop options that are repeated; only those of literals are compared."""
    seen: dict[Any, Option] = {}
    for number, option in enumerate(options):
        seen.setdefault(option if all(isinstance(item, Literal) for item in option) else number, option)
    return tuple(seen.values())


class _KeywordReader:
    """One schema, read for one kind of value."""

    def __init__(self, nodes: SchemaNodes, node: SchemaNode, kind: str) -> None:
        assert isinstance(node.schema, Mapping)  # noqa: S101 -- booleans are expanded before
        self._nodes = nodes
        self._node = node
        self.schema: Mapping[str, Any] = node.schema
        self.kind = kind

    def node(self, schema: Any) -> SchemaNode:
        return self._nodes.make(schema, self._node.document)

    def literal(self, schema: Any, *, holds: bool = True) -> Literal:
        return Literal(self.node(schema), holds)

    def spend(self, steps: int) -> None:
        self._nodes.meter.spend(steps)

    def refute(self, schema: Any) -> Literal:
        return self.literal(schema, holds=False)

    def nodes(self, keyword: str) -> dict[str, SchemaNode]:
        return {name: self.node(schema) for name, schema in self.schema.get(keyword, {}).items()}

    def resolve(self) -> Any:
        return self._node.document.resolve(self.schema["$ref"])


def _kinds(part: _KeywordReader) -> Clause:
    kinds = part.schema["type"]
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if part.kind in kinds:
        return _ALWAYS
    if part.kind == "number" and "integer" in kinds:
        return Clause((Multiple(1, holds=True),), ((Multiple(1, holds=False),),))
    return _NEVER


def _words(part: _KeywordReader, values: Iterable[Any]) -> Clause:
    words = tuple(value for value in values if kind_of(value) == part.kind)
    return Clause((Among(words),), ((Except(words),),)) if words else _NEVER


def kind_of(value: Any) -> str:
    """Return the kind of a value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    kinds = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return kinds.get(type(value), "")


def _all_of(part: _KeywordReader) -> Clause:
    schemas = part.schema["allOf"]
    return Clause([part.literal(one) for one in schemas], [(part.refute(one),) for one in schemas])


def _any_of(part: _KeywordReader) -> Clause:
    schemas = part.schema["anyOf"]
    options = _without_copies((part.literal(one),) for one in schemas)
    return Clause([Or(options)], [tuple(part.refute(one) for one in schemas)])


def _one_of(part: _KeywordReader) -> Clause:
    schemas = part.schema["oneOf"]
    part.spend(len(schemas) ** 2 // _PAIRS_A_STEP)
    options = [
        tuple(part.literal(other, holds=number == index) for number, other in enumerate(schemas))
        for index in range(len(schemas))
    ]
    none = tuple(part.refute(one) for one in schemas)
    two = [(part.literal(one), part.literal(other)) for one, other in combinations(schemas, 2)]
    return Clause([Or(tuple(options))], [none, *two])


def _not(part: _KeywordReader) -> Clause:
    return Clause([part.refute(part.schema["not"])], [(part.literal(part.schema["not"]),)])


def _if(part: _KeywordReader) -> Clause:
    condition, then, otherwise = (part.schema.get(keyword, True) for keyword in ("if", "then", "else"))
    met, unmet = part.literal(condition), part.refute(condition)
    holds = Or(((met, part.literal(then)), (unmet, part.literal(otherwise))))
    return Clause([holds], [(met, part.refute(then)), (unmet, part.refute(otherwise))])


def _reference(part: _KeywordReader) -> Clause:
    target = part.resolve()
    return Clause([part.literal(target)], [(part.refute(target),)])


def _bound(keyword: str) -> Callable[[_KeywordReader], Clause]:
    is_upper, is_open = keyword.endswith("aximum"), keyword.startswith("exclusive")

    def read(part: _KeywordReader) -> Clause:
        value = part.schema[keyword]
        if isinstance(value, float) and not math.isfinite(value):
            # NaN refuses nothing, and no number of JSON lies beyond infinity.
            return _NEVER if value == (-math.inf if is_upper else math.inf) else _ALWAYS
        return Clause([Bound(value, is_upper, is_open)], [(Bound(value, not is_upper, not is_open),)])

    return read


def _multiple_of(part: _KeywordReader) -> Clause:
    factor = part.schema["multipleOf"]
    if not 0 < factor < math.inf:
        raise UndecidedError("'multipleOf' is not a positive number")
    return Clause([Multiple(factor, holds=True)], [(Multiple(factor, holds=False),)])


def _at_least(keyword: str) -> Callable[[_KeywordReader], Clause]:
    def read(part: _KeywordReader) -> Clause:
        low = math.ceil(part.schema[keyword])
        return Clause([Size(low)], [(Size(0, low - 1),)]) if low > 0 else _ALWAYS

    return read


def _at_most(keyword: str) -> Callable[[_KeywordReader], Clause]:
    def read(part: _KeywordReader) -> Clause:
        high = math.floor(part.schema[keyword])
        return Clause([Size(0, high)], [(Size(high + 1),)]) if high >= 0 else _NEVER

    return read


def _pattern(part: _KeywordReader) -> Clause:
    pattern = part.schema["pattern"]
    return Clause([Matches(pattern, holds=True)], [(Matches(pattern, holds=False),)])


def _required(part: _KeywordReader) -> Clause:
    names = dict.fromkeys(part.schema["required"])
    return Clause([Has(name) for name in names], [(Lacks(name),) for name in names])


def _keys(part: _KeywordReader) -> Clause:
    properties, patterns = part.nodes("properties"), part.nodes("patternProperties")
    others = part.schema.get("additionalProperties", True)
    fails: list[Option] = [(Member(name, Literal(node, holds=False)),) for name, node in _refutable(properties)]
    for pattern, node in _refutable(patterns):
        fails.append((SomeKey((part.literal({"pattern": pattern}),), (Literal(node, holds=False),)),))
    if others is not True:
        excluded = [part.refute({"pattern": pattern}) for pattern in patterns]
        excluded += [part.refute({"enum": list(properties)})] if properties else []
        fails.append((SomeKey(tuple(excluded), (part.refute(others),)),))
    return Clause([Keys(properties, patterns, None if others is True else part.node(others))], fails)


def _refutable(nodes: Mapping[str, SchemaNode]) -> list[tuple[str, SchemaNode]]:
    return [(name, node) for name, node in nodes.items() if node.schema is not True and node.schema != {}]


def _property_names(part: _KeywordReader) -> Clause:
    expected = part.schema["propertyNames"]
    return Clause([EveryKey(part.literal(expected))], [(SomeKey((part.refute(expected),), ()),)])


def _dependent_required(part: _KeywordReader) -> Clause:
    holds, fails = [], []
    for name, others in part.schema["dependentRequired"].items():
        holds.append(Or(((Lacks(name),), (Has(name), *map(Has, others)))))
        fails += [(Has(name), Lacks(other)) for other in others]
    return Clause(holds, fails)


def _dependent_schemas(part: _KeywordReader) -> Clause:
    holds, fails = [], []
    for name, node in part.nodes("dependentSchemas").items():
        holds.append(Or(((Lacks(name),), (Has(name), Literal(node, holds=True)))))
        fails.append((Has(name), Literal(node, holds=False)))
    return Clause(holds, fails)


def _items(part: _KeywordReader) -> Clause:
    prefix = tuple(part.node(schema) for schema in part.schema.get("prefixItems", ()))
    rest = part.schema.get("items", True)
    fails: list[Option] = [(ItemAt(index, Literal(node, holds=False)),) for index, node in enumerate(prefix)]
    if rest is not True:
        fails.append((SomeItem(len(prefix), part.refute(rest)),))
    return Clause([Items(prefix, None if rest is True else part.node(rest))], fails)


def _contains(part: _KeywordReader) -> Clause:
    node = part.node(part.schema["contains"])
    low = math.ceil(part.schema.get("minContains", 1))
    high = part.schema.get("maxContains")
    high = None if high is None else math.floor(high)
    fails: list[Option] = [(Count(node, 0, low - 1),)] if low > 0 else []
    fails += [(Count(node, high + 1, None),)] if high is not None else []
    return Clause([Count(node, low, high)], fails)


def _unique_items(part: _KeywordReader) -> Clause:
    return Clause([Unique(holds=True)], [(Unique(holds=False),)]) if part.schema["uniqueItems"] else _ALWAYS


_Readers = Mapping[tuple[str, ...], Callable[[_KeywordReader], Clause]]
_LIMITS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_READERS: Final[Mapping[str, _Readers]] = {
    "any": {
        ("type",): _kinds,
        ("enum",): lambda part: _words(part, part.schema["enum"]),
        ("const",): lambda part: _words(part, [part.schema["const"]]),
        ("$ref",): _reference,
        ("allOf",): _all_of,
        ("anyOf",): _any_of,
        ("oneOf",): _one_of,
        ("not",): _not,
        ("if",): _if,
    },
    "number": {**{(keyword,): _bound(keyword) for keyword in _LIMITS}, ("multipleOf",): _multiple_of},
    "string": {
        ("minLength",): _at_least("minLength"),
        ("maxLength",): _at_most("maxLength"),
        ("pattern",): _pattern,
    },
    "array": {
        ("minItems",): _at_least("minItems"),
        ("maxItems",): _at_most("maxItems"),
        ("prefixItems", "items"): _items,
        ("contains",): _contains,
        ("uniqueItems",): _unique_items,
    },
    "object": {
        ("minProperties",): _at_least("minProperties"),
        ("maxProperties",): _at_most("maxProperties"),
        ("required",): _required,
        ("properties", "patternProperties", "additionalProperties"): _keys,
        ("propertyNames",): _property_names,
        ("dependentRequired",): _dependent_required,
        ("dependentSchemas",): _dependent_schemas,
    },
}
