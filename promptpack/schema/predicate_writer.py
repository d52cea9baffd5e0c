"""Write a JSON Schema as the body of a Python function that returns False at the first mismatch.

No text of a schema becomes code: variables are numbered, and all values are constants in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from promptpack.schema.equality import equality_key
from promptpack.schema.patterns import read_pattern
from promptpack.schema.supported_keywords import (
    KEYWORDS_BY_KIND,
    SchemaFallbackError,
    read_discriminator,
    read_kinds,
    require_supported,
    require_texts,
)

Lines = list[str]
Constant = Callable[[Any], str]
"""Adds a value to the table and returns its name."""

_KIND_TESTS: Final[Mapping[str, str]] = {
    "object": "type({0}) is dict",
    "array": "type({0}) is list",
    "string": "type({0}) is str",
    "number": "type({0}) is int or type({0}) is float",
    "integer": "type({0}) is int or type({0}) is float and {0}.is_integer()",
    "boolean": "type({0}) is bool",
    "null": "{0} is None",
}
_FAILING_OPERATORS: Final[Mapping[str, str]] = {
    "minimum": "<",
    "maximum": ">",
    "exclusiveMinimum": "<=",
    "exclusiveMaximum": ">=",
}
# How deep subschemas are written inline, and how many in one function.
_MAX_INLINE_DEPTH: Final = 12
_MAX_INLINE: Final = 200
# With more optional keys than this, the keys of the value are looked up in a table.
_MAX_SINGLE_LOOKUPS: Final = 16
# Python compiles long functions slowly; real schemas stay far below these.
_MAX_CALLS: Final = 5_000
_MAX_REQUIRED: Final = 100
# The branches of each word are written once more.
_MAX_WORDS: Final = 1_000
# So many lines of a predicate take as long as one step.
_LINES_A_STEP: Final = 8


class _ValueCheck(NamedTuple):
    """A schema, the variable of its value, the depth of the value, and the remaining levels to write inline."""

    schema: Mapping[str, Any]
    value: str
    depth: int
    inline: int

    def is_only(self, kind: str) -> bool:
        """Return whether the keyword `type` allows only this kind."""
        return self.schema.get("type") == kind


class PredicateWriter:
    """Writes one function; the arguments return the name of a constant, or of the function of a subschema or `$ref`."""

    def __init__(self, constant: Constant, function: Constant, refer: Callable[[str], str]) -> None:
        self._constant = constant
        self._function = function
        self._refer = refer
        self._variables = 0
        self._written = 0

    def write(self, schema: Any, value: str = "v", depth: int = 0, inline: int = _MAX_INLINE_DEPTH) -> Lines:
        """Return the code that returns False unless the value is valid for the schema."""
        if isinstance(schema, bool):
            return [] if schema else ["return False"]
        require_supported(schema)
        check = _ValueCheck(schema, value, depth, inline)
        return [*self._write_kinds(check), *self._write_choices(check), *self._write_same_value(check)]

    def _write_subschema(self, schema: Any, value: str, depth: int, inline: int) -> Lines:
        """Write a subschema inline while the limits allow it, otherwise as a call."""
        if isinstance(schema, bool):
            return self.write(schema)
        if inline and self._written < _MAX_INLINE and "$id" not in schema:
            self._written += 1
            return self.write(schema, value, depth, inline - 1)
        return [f"if not {self._write_call(schema, value, depth)}: return False"]

    def _write_child(self, schema: Any, value: str, parent: _ValueCheck) -> Lines:
        return self._write_subschema(schema, value, parent.depth + 1, parent.inline)

    def _write_call(self, schema: Any, value: str, depth: int) -> str:
        self._written += 1
        if self._written > _MAX_CALLS:
            raise SchemaFallbackError
        return _call(self._function(schema), value, depth)

    def _new_variable(self) -> str:
        self._variables += 1
        return f"v{self._variables}"

    def _write_kinds(self, check: _ValueCheck) -> Lines:
        """Write the keyword `type` and all keywords that apply to one kind of value."""
        constrained = [kind for kind, keywords in KEYWORDS_BY_KIND.items() if not keywords.isdisjoint(check.schema)]
        if not constrained and "type" not in check.schema:
            return []
        kinds = read_kinds(check.schema)
        bodies = {kind: self._write_body(kind, check) if kind in constrained else [] for kind in kinds}
        rejected = f"return reject({check.value})"
        has_any_kind = "type" not in check.schema
        if len(kinds) == 1:
            return [f"if not ({_KIND_TESTS[kinds[0]].format(check.value)}): {rejected}", *bodies[kinds[0]]]
        lines: Lines = []
        for kind, body in bodies.items():
            if body:
                lines += [f"{'elif' if lines else 'if'} {_KIND_TESTS[kind].format(check.value)}:", *_indent(body)]
        others = (
            f"type({check.value}) in plain_types"
            if has_any_kind
            else " or ".join(_KIND_TESTS[kind].format(check.value) for kind, body in bodies.items() if not body)
        )
        return [*lines, f"{'elif' if lines else 'if'} not ({others or False}): {rejected}"]

    def _write_body(self, kind: str, check: _ValueCheck) -> Lines:
        match kind:
            case "object":
                return self._write_object(check)
            case "array":
                return self._write_array(check)
            case "string":
                return self._write_string(check)
            case _:
                return self._write_number(check)

    def _write_range(self, check: _ValueCheck, measured: str, minimum: str, maximum: str) -> Lines:
        lines = []
        if check.schema.get(minimum):
            lines.append(f"if {measured} < {self._constant(check.schema[minimum])}: return False")
        if maximum in check.schema:
            lines.append(f"if {measured} > {self._constant(check.schema[maximum])}: return False")
        return lines

    def _write_string(self, check: _ValueCheck) -> Lines:
        lines = self._write_range(check, f"len({check.value})", "minLength", "maxLength")
        if "pattern" in check.schema:
            found = self._constant(read_pattern(check.schema["pattern"]).is_found_in)
            lines.append(f"if not {found}({check.value}, s): return False")
        return lines

    def _write_number(self, check: _ValueCheck) -> Lines:
        # The code tests for failure, not success: NaN, for which every comparison is false, must pass.
        lines = [
            f"if {check.value} {operator} {self._constant(check.schema[keyword])}: return False"
            for keyword, operator in _FAILING_OPERATORS.items()
            if keyword in check.schema
        ]
        if "multipleOf" in check.schema:
            factor = self._constant(check.schema["multipleOf"])
            lines.append(f"if not is_multiple({check.value}, {factor}, s): return False")
        return lines

    def _write_array(self, check: _ValueCheck) -> Lines:
        lines = self._write_range(check, f"len({check.value})", "minItems", "maxItems")
        first: Sequence[Any] = check.schema.get("prefixItems", ())
        for index, schema in enumerate(first):
            item = self._new_variable()
            inner = self._write_child(schema, item, check)
            if inner:
                lines += [f"if len({check.value}) > {index}:", f" {item} = {check.value}[{index}]", *_indent(inner)]
        item = self._new_variable()
        rest = self._new_variable() if first else check.value
        lines += [f"{rest} = {check.value}[{len(first)}:]"] if first else []
        lines += _write_loop(item, rest, self._write_child(check.schema.get("items", True), item, check))
        lines += self._write_contains(check)
        if check.schema.get("uniqueItems"):
            lines.append(f"if not are_unique({check.value}, s): return False")
        return lines

    def _write_contains(self, check: _ValueCheck) -> Lines:
        if "contains" not in check.schema:
            return []
        found, item = self._new_variable(), self._new_variable()
        lines = [f"{found} = 0", f"for {item} in {check.value}:"]
        lines.append(f" {found} += {self._write_call(check.schema['contains'], item, check.depth + 1)}")
        lines.append(f"if {found} < {self._constant(check.schema.get('minContains', 1))}: return False")
        if check.schema.get("maxContains") is not None:
            lines.append(f"if {found} > {self._constant(check.schema['maxContains'])}: return False")
        return lines

    def _write_object(self, check: _ValueCheck) -> Lines:
        schema, value = check.schema, check.value
        lines = [*self._write_members(check), *self._write_other_keys(check)]
        lines += self._write_range(check, f"len({value})", "minProperties", "maxProperties")
        key = self._new_variable()
        lines += _write_loop(key, value, self._write_child(schema.get("propertyNames", True), key, check))
        lines += self._write_dependent_required(check)
        for name, inner in schema.get("dependentSchemas", {}).items():
            call = self._write_call(inner, value, check.depth)
            lines.append(f"if {self._constant(name)} in {value} and not {call}: return False")
        return lines

    def _write_dependent_required(self, check: _ValueCheck) -> Lines:
        required = {
            name: frozenset(require_texts(names)) for name, names in check.schema.get("dependentRequired", {}).items()
        }
        if not required:
            return []
        key, table = self._new_variable(), self._constant(required)
        cost = max(map(len, required.values())) // _LINES_A_STEP
        lines = [f"if {key} in {table} and not {check.value}.keys() >= {table}[{key}]: return False"]
        return [f"s[0] -= {cost} * len({check.value})", *_write_loop(key, check.value, lines)]

    def _write_members(self, check: _ValueCheck) -> Lines:
        """Write `required` and `properties`."""
        required = dict.fromkeys(require_texts(check.schema.get("required", ())))
        properties = check.schema.get("properties", {})
        if len(required) > _MAX_REQUIRED:
            missing = [f"if not {check.value}.keys() >= {self._constant(frozenset(required))}: return False"]
            return [*missing, *self._write_optional(properties, check)]
        lookups: Lines = []
        inner: Lines = []
        for name in required:
            item = self._new_variable()
            lookups.append(f" {item} = {check.value}[{self._constant(name)}]")
            inner += self._write_child(properties.get(name, True), item, check)
        fetched = ["try:", *lookups, "except KeyError: return False"] if lookups else []
        optional = {name: schema for name, schema in properties.items() if name not in required}
        return [*fetched, *inner, *self._write_optional(optional, check)]

    def _write_optional(self, properties: Mapping[str, Any], check: _ValueCheck) -> Lines:
        key, item = self._new_variable(), self._new_variable()
        if len(properties) > _MAX_SINGLE_LOOKUPS:
            # Most keys are absent from most values, so most of these functions are never compiled.
            table = self._constant({name: self._function(schema) for name, schema in properties.items()})
            call = _call(f"functions[{table}[{key}]]", item, check.depth + 1)
            body = [f"if {key} in {table} and not {call}: return False"]
            return _write_loop(f"{key}, {item}", f"{check.value}.items()", body)
        lines: Lines = []
        for name, schema in properties.items():
            inner = self._write_child(schema, item, check)
            key = self._constant(name)
            lines += _write_if(f"{key} in {check.value}", [f"{item} = {check.value}[{key}]", *inner] if inner else [])
        return lines

    def _write_other_keys(self, check: _ValueCheck) -> Lines:
        """Write `patternProperties` and `additionalProperties`."""
        patterns: Mapping[str, Any] = check.schema.get("patternProperties", {})
        others = check.schema.get("additionalProperties", True)
        named = self._constant(frozenset(check.schema.get("properties", ())))
        if others is False and not patterns:
            return [f"if not {check.value}.keys() <= {named}: return False"]
        key, item, matched = self._new_variable(), self._new_variable(), self._new_variable()
        lines = [f"{matched} = {key} in {named}"]
        for pattern, schema in patterns.items():
            found = self._constant(read_pattern(pattern).is_found_in)
            inner = self._write_child(schema, item, check)
            lines += [f"if {found}({key}, s):", f" {matched} = True", *_indent(inner)]
        rest = self._write_child(others, item, check)
        if not patterns and not rest:
            return []
        return _write_loop(f"{key}, {item}", f"{check.value}.items()", [*lines, *_write_if(f"not {matched}", rest)])

    def _write_choices(self, check: _ValueCheck) -> Lines:
        lists = [check.schema["enum"]] if "enum" in check.schema else []
        lists += [[check.schema["const"]]] if "const" in check.schema else []
        return [line for values in lists for line in self._write_enum(values, check)]

    def _write_enum(self, values: Sequence[Any], check: _ValueCheck) -> Lines:
        allowed = self._constant(frozenset(equality_key(one) for one in values))
        if not all(isinstance(one, str) for one in values):
            is_allowed = f"type({check.value}) in plain_types and equality_key({check.value}, s) in {allowed}"
            return [f"if not ({is_allowed}): return reject({check.value})"]
        guard = [] if check.is_only("string") else [f"if type({check.value}) is not str: return reject({check.value})"]
        return [*guard, f"if {check.value} not in {allowed}: return False"]

    def _write_same_value(self, check: _ValueCheck) -> Lines:
        """Write the subschemas that validate the same value."""
        schema, value, depth = check.schema, check.value, check.depth
        lines: Lines = []
        if "$ref" in schema:
            lines.append(f"if not {_call(self._refer(schema['$ref']), value, depth)}: return False")
        lines += self._write_all_of(check)
        if "anyOf" in schema:
            calls = " or ".join(self._write_call(branch, value, depth) for branch in schema["anyOf"])
            lines.append(f"if not ({calls or False}): return False")
        if "oneOf" in schema:
            count = self._new_variable()
            lines.append(f"{count} = 0")
            lines += (f"{count} += {self._write_call(branch, value, depth)}" for branch in schema["oneOf"])
            lines.append(f"if {count} != 1: return False")
        if "not" in schema:
            lines.append(f"if {self._write_call(schema['not'], value, depth)}: return False")
        if "if" in schema:
            holds = self._new_variable()
            lines.append(f"{holds} = {self._write_call(schema['if'], value, depth)}")
            lines += _write_if(holds, self._write_subschema(schema.get("then", True), value, depth, check.inline))
            otherwise = self._write_subschema(schema.get("else", True), value, depth, check.inline)
            lines += _write_if(f"not {holds}", otherwise)
        return lines

    def _write_all_of(self, check: _ValueCheck) -> Lines:
        """Write the branches of `allOf`; branches with the same discriminator key become one table lookup."""
        lines: Lines = []
        by_key: dict[str, dict[str, list[Any]]] = {}
        words_written = 0
        for branch in check.schema.get("allOf", ()):
            discriminator = read_discriminator(branch)
            words_written += 0 if discriminator is None else len(discriminator[1])
            if discriminator is None or words_written > _MAX_WORDS:
                lines += self._write_subschema(branch, check.value, check.depth, check.inline)
                continue
            key, words, rest = discriminator
            for word in words:
                by_key.setdefault(key, {}).setdefault(word, []).append(rest)
        for key, branches in by_key.items():
            table = self._constant({word: self._function(_all_of(schemas)) for word, schemas in branches.items()})
            word = self._new_variable()
            call = _call(f"functions[{table}[{word}]]", check.value, check.depth)
            found = [f"if type({word}) is str and {word} in {table} and not {call}: return False"]
            if check.is_only("object"):
                lines += [f"{word} = {check.value}.get({self._constant(key)})", *found]
            else:
                lines += [f"for {word} in words({check.value}, {self._constant(key)}, {table}):", *_indent(found)]
        return lines


def _all_of(schemas: list[Any]) -> Any:
    return schemas[0] if len(schemas) == 1 else {"allOf": schemas}


def _call(function: str, value: str, depth: int) -> str:
    return f"{function}({value}, s, d + {depth})"


def _write_loop(name: str, values: str, body: Lines) -> Lines:
    """Write a loop over a container, which costs its length; the table of `words` is as short as the schema."""
    if not body:
        return []
    return [
        f"s[0] -= {len(body) + 2} * len({values}) // {_LINES_A_STEP}",
        "if s[0] < 0: stop()",
        f"for {name} in {values}:",
        *_indent(body),
    ]


def estimate_steps(lines: Lines) -> int:
    """Return the cost of the lines of a predicate."""
    return 1 + len(lines) // _LINES_A_STEP


def _write_if(condition: str, lines: Lines) -> Lines:
    return [f"if {condition}:", *_indent(lines)] if lines else []


def _indent(lines: Iterable[str]) -> Lines:
    return [f" {line}" for line in lines]
