"""A JSON Schema written as the body of a Python function, which gives False at the first thing that is wrong.

No text of a schema is ever part of the code: names in it are counted, and all values come from a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.forms import KEYWORDS_OF, asked_word, kinds_of, refuse, texts
from promptpack.schema.keywords import FallbackError, form
from promptpack.schema.patterns import read_pattern

if TYPE_CHECKING:
    Lines = list[str]
    Constant = Callable[[Any], str]
    """Puts a value into the table and gives its name."""


_TESTS: Final[Mapping[str, str]] = {
    "object": "type({0}) is dict",
    "array": "type({0}) is list",
    "string": "type({0}) is str",
    "number": "type({0}) is int or type({0}) is float",
    "integer": "type({0}) is int or type({0}) is float and {0}.is_integer()",
    "boolean": "type({0}) is bool",
    "null": "{0} is None",
}
_BROKEN_BY: Final[Mapping[str, str]] = {
    "minimum": "<",
    "maximum": ">",
    "exclusiveMinimum": "<=",
    "exclusiveMaximum": ">=",
}
# How far schemas inside of each other, and how many in all, are written into one function.
_DEEPEST_INLINE: Final = 12
_MOST_INLINE: Final = 200
# From how many optional keys on they are looked up, rather than asked for one by one.
_MANY: Final = 16
# Python takes its time over long functions; nobody writes a schema that is this wide.
_WIDEST: Final = 5_000


@dataclass(frozen=True)
class _Part:
    """A schema, the name of the value it is about, how deep in the whole value that stands, and the room left."""

    schema: Mapping[str, Any]
    value: str
    depth: int
    room: int

    @property
    def deeper(self) -> int:
        """The depth of what is inside of the value."""
        return self.depth + 1

    def is_only(self, kind: str) -> bool:
        """Say whether the keyword `type` leaves values of this kind alone."""
        return self.schema.get("type") == kind


class Writer:
    """Writes one function; `constant` names a value, `function` the function of another schema, `refer` of a `$ref`."""

    def __init__(self, constant: Constant, function: Constant, refer: Callable[[str], str]) -> None:
        self._constant = constant
        self._function = function
        self._refer = refer
        self._names = 0
        self._written = 0

    def write(self, schema: Any, value: str = "v", depth: int = 0, room: int = _DEEPEST_INLINE) -> Lines:
        """Write what returns False unless the value meets the schema."""
        if isinstance(schema, bool):
            return [] if schema else ["return False"]
        refuse(schema)
        part = _Part(schema, value, depth, room)
        return [*self._of_kind(part), *self._choice(part), *self._applied(part)]

    def _inner(self, schema: Any, value: str, depth: int, room: int) -> Lines:
        """Write a schema inside of another: in place while that is small, else as a call."""
        if isinstance(schema, bool):
            return self.write(schema)
        if room and self._written < _MOST_INLINE and "$id" not in schema:
            self._written += 1
            return self.write(schema, value, depth, room - 1)
        return [f"if not {self._called(schema, value, depth)}: return False"]

    def _called(self, schema: Any, value: str, depth: int) -> str:
        self._written += 1
        if self._written > _WIDEST:
            raise FallbackError
        return _call(self._function(schema), value, depth)

    def _name(self) -> str:
        self._names += 1
        return f"v{self._names}"

    def _of_kind(self, part: _Part) -> Lines:
        """Write the keyword `type` and all keywords that are about one kind of value."""
        asked = [kind for kind, keywords in KEYWORDS_OF.items() if not keywords.isdisjoint(part.schema)]
        if not asked and "type" not in part.schema:
            return []
        kinds = kinds_of(part.schema)
        bodies = {kind: self._body(kind, part) if kind in asked else [] for kind in kinds}
        refused = f"return wrong({part.value})"
        every = "type" not in part.schema
        if len(kinds) == 1:
            return [f"if not ({_TESTS[kinds[0]].format(part.value)}): {refused}", *bodies[kinds[0]]]
        lines: Lines = []
        for kind, body in bodies.items():
            if body:
                lines += [f"{'elif' if lines else 'if'} {_TESTS[kind].format(part.value)}:", *_indented(body)]
        others = (
            f"type({part.value}) in plain"
            if every
            else " or ".join(_TESTS[kind].format(part.value) for kind, body in bodies.items() if not body)
        )
        return [*lines, f"{'elif' if lines else 'if'} not ({others or False}): {refused}"]

    def _body(self, kind: str, part: _Part) -> Lines:
        match kind:
            case "object":
                return self._object(part)
            case "array":
                return self._array(part)
            case "string":
                return self._string(part)
            case _:
                return self._number(part)

    def _bounds(self, part: _Part, measured: str, least: str, most: str) -> Lines:
        lines = []
        if part.schema.get(least):
            lines.append(f"if {measured} < {self._constant(part.schema[least])}: return False")
        if most in part.schema:
            lines.append(f"if {measured} > {self._constant(part.schema[most])}: return False")
        return lines

    def _string(self, part: _Part) -> Lines:
        lines = self._bounds(part, f"len({part.value})", "minLength", "maxLength")
        if "pattern" in part.schema:
            found = self._constant(read_pattern(part.schema["pattern"]).is_found_in)
            lines.append(f"if not {found}({part.value}): return False")
        return lines

    def _number(self, part: _Part) -> Lines:
        # A value breaks a bound or does not: NaN, which no comparison holds for, breaks none.
        lines = [
            f"if {part.value} {operator} {self._constant(part.schema[keyword])}: return False"
            for keyword, operator in _BROKEN_BY.items()
            if keyword in part.schema
        ]
        if "multipleOf" in part.schema:
            factor = self._constant(part.schema["multipleOf"])
            lines.append(f"if not is_multiple({part.value}, {factor}): return False")
        return lines

    def _array(self, part: _Part) -> Lines:
        lines = self._bounds(part, f"len({part.value})", "minItems", "maxItems")
        if part.schema.get("uniqueItems"):
            lines.append(f"if not are_unique({part.value}): return False")
        first: Sequence[Any] = part.schema.get("prefixItems", ())
        for index, schema in enumerate(first):
            item = self._name()
            inner = self._inner(schema, item, part.deeper, part.room)
            if inner:
                lines += [f"if len({part.value}) > {index}:", f" {item} = {part.value}[{index}]", *_indented(inner)]
        item = self._name()
        rest = f"{part.value}[{len(first)}:]" if first else part.value
        lines += _each(item, rest, self._inner(part.schema.get("items", True), item, part.deeper, part.room))
        return [*lines, *self._contains(part)]

    def _contains(self, part: _Part) -> Lines:
        if "contains" not in part.schema:
            return []
        found, item = self._name(), self._name()
        lines = [f"{found} = 0", f"for {item} in {part.value}:"]
        lines.append(f" {found} += {self._called(part.schema['contains'], item, part.deeper)}")
        lines.append(f"if {found} < {self._constant(part.schema.get('minContains', 1))}: return False")
        if part.schema.get("maxContains") is not None:
            lines.append(f"if {found} > {self._constant(part.schema['maxContains'])}: return False")
        return lines

    def _object(self, part: _Part) -> Lines:
        schema, value = part.schema, part.value
        lines = [*self._members(part), *self._others(part)]
        lines += self._bounds(part, f"len({value})", "minProperties", "maxProperties")
        key = self._name()
        lines += _each(key, value, self._inner(schema.get("propertyNames", True), key, part.deeper, part.room))
        for name, needed in schema.get("dependentRequired", {}).items():
            wanted = self._constant(frozenset(texts(needed)))
            lines.append(f"if {self._constant(name)} in {value} and not {value}.keys() >= {wanted}: return False")
        for name, inner in schema.get("dependentSchemas", {}).items():
            met = self._called(inner, value, part.depth)
            lines.append(f"if {self._constant(name)} in {value} and not {met}: return False")
        return lines

    def _members(self, part: _Part) -> Lines:
        """Write the required keys, and the schemas of the named ones."""
        required = dict.fromkeys(texts(part.schema.get("required", ())))
        properties = part.schema.get("properties", {})
        taken: Lines = []
        inner: Lines = []
        for name in required:
            item = self._name()
            taken.append(f" {item} = {part.value}[{self._constant(name)}]")
            inner += self._inner(properties.get(name, True), item, part.deeper, part.room)
        fetched = ["try:", *taken, "except KeyError: return False"] if taken else []
        return [*fetched, *inner, *self._optional({k: v for k, v in properties.items() if k not in required}, part)]

    def _optional(self, properties: Mapping[str, Any], part: _Part) -> Lines:
        key, item = self._name(), self._name()
        if len(properties) > _MANY:
            # Most of them are absent from most values, and then their code is never needed.
            table = self._constant({name: self._function(schema) for name, schema in properties.items()})
            met = _call(f"functions[{table}[{key}]]", item, part.deeper)
            return _each(
                f"{key}, {item}", f"{part.value}.items()", [f"if {key} in {table} and not {met}: return False"]
            )
        lines: Lines = []
        for name, schema in properties.items():
            inner = self._inner(schema, item, part.deeper, part.room)
            key = self._constant(name)
            lines += _when(f"{key} in {part.value}", [f"{item} = {part.value}[{key}]", *inner] if inner else [])
        return lines

    def _others(self, part: _Part) -> Lines:
        """Write the schemas of keys that fit patterns, and of those that nothing is said about."""
        patterns: Mapping[str, Any] = part.schema.get("patternProperties", {})
        others = part.schema.get("additionalProperties", True)
        known = self._constant(frozenset(part.schema.get("properties", ())))
        if others is False and not patterns:
            return [f"if not {part.value}.keys() <= {known}: return False"]
        key, item, fits = self._name(), self._name(), self._name()
        lines = [f"{fits} = {key} in {known}"]
        for pattern, schema in patterns.items():
            found = self._constant(read_pattern(pattern).is_found_in)
            inner = self._inner(schema, item, part.deeper, part.room)
            lines += [f"if {found}({key}):", f" {fits} = True", *_indented(inner)]
        rest = self._inner(others, item, part.deeper, part.room)
        if not patterns and not rest:
            return []
        return _each(f"{key}, {item}", f"{part.value}.items()", [*lines, *_when(f"not {fits}", rest)])

    def _choice(self, part: _Part) -> Lines:
        lists = [part.schema["enum"]] if "enum" in part.schema else []
        lists += [[part.schema["const"]]] if "const" in part.schema else []
        return [line for values in lists for line in self._one_of(values, part)]

    def _one_of(self, values: Sequence[Any], part: _Part) -> Lines:
        forms = self._constant(frozenset(form(one) for one in values))
        if not all(isinstance(one, str) for one in values):
            return [
                f"if type({part.value}) not in plain or form({part.value}) not in {forms}: return wrong({part.value})"
            ]
        known = [] if part.is_only("string") else [f"if type({part.value}) is not str: return wrong({part.value})"]
        return [*known, f"if {part.value} not in {forms}: return False"]

    def _applied(self, part: _Part) -> Lines:
        """Write the schemas that are about the same value."""
        schema, value, depth = part.schema, part.value, part.depth
        lines: Lines = []
        if "$ref" in schema:
            lines.append(f"if not {_call(self._refer(schema['$ref']), value, depth)}: return False")
        lines += self._all_of(part)
        if "anyOf" in schema:
            met = " or ".join(self._called(branch, value, depth) for branch in schema["anyOf"])
            lines.append(f"if not ({met or False}): return False")
        if "oneOf" in schema:
            met = self._name()
            lines.append(f"{met} = 0")
            lines += (f"{met} += {self._called(branch, value, depth)}" for branch in schema["oneOf"])
            lines.append(f"if {met} != 1: return False")
        if "not" in schema:
            lines.append(f"if {self._called(schema['not'], value, depth)}: return False")
        if "if" in schema:
            met = self._name()
            lines.append(f"{met} = {self._called(schema['if'], value, depth)}")
            lines += _when(met, self._inner(schema.get("then", True), value, depth, part.room))
            lines += _when(f"not {met}", self._inner(schema.get("else", True), value, depth, part.room))
        return lines

    def _all_of(self, part: _Part) -> Lines:
        """Write the branches; those that ask for one word under a key become one look-up of that word."""
        lines: Lines = []
        by_key: dict[str, dict[str, list[Any]]] = {}
        for branch in part.schema.get("allOf", ()):
            asked = asked_word(branch)
            if asked is None:
                lines += self._inner(branch, part.value, part.depth, part.room)
                continue
            key, words, rest = asked
            for word in words:
                by_key.setdefault(key, {}).setdefault(word, []).append(rest)
        for key, branches in by_key.items():
            table = self._constant({word: self._function({"allOf": schemas}) for word, schemas in branches.items()})
            word = self._name()
            met = _call(f"functions[{table}[{word}]]", part.value, part.depth)
            found = [f"if type({word}) is str and {word} in {table} and not {met}: return False"]
            if part.is_only("object"):
                lines += [f"{word} = {part.value}.get({self._constant(key)})", *found]
            else:
                lines += _each(word, f"words({part.value}, {self._constant(key)}, {table})", found)
        return lines


def _call(function: str, value: str, depth: int) -> str:
    return f"{function}({value}, s, d + {depth})"


def _each(name: str, values: str, body: Lines) -> Lines:
    return [f"for {name} in {values}:", *_indented(body)] if body else []


def _when(condition: str, lines: Lines) -> Lines:
    return [f"if {condition}:", *_indented(lines)] if lines else []


def _indented(lines: Iterable[str]) -> Lines:
    return [f" {line}" for line in lines]
