"""A JSON Schema compiled to predicates: Python functions with the same results as `jsonschema`, but much faster.

Predicates fall back to `jsonschema` if they cannot decide exactly: for some keywords, references that are not local,
values that are not plain JSON data, and at the step limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import count
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from promptpack.schema.equality import are_unique, equality_key, is_multiple
from promptpack.schema.patterns import PatternError
from promptpack.schema.pointers import split_pointer
from promptpack.schema.safety import iterate_schemas
from promptpack.schema.supported_keywords import (
    MAX_DEPTH,
    MAX_STEPS,
    PLAIN_TYPES,
    SchemaFallbackError,
    StepLimitError,
    read_only_kind,
    read_only_reference,
)

if TYPE_CHECKING:
    from promptpack.schema.ambiguity import RemainingSteps

    Predicate = Callable[[Any, RemainingSteps, int], bool]
    """Takes a value, the remaining steps, and the depth of the value inside the root value."""


FALLBACK_ERRORS: Final = (SchemaFallbackError, StepLimitError, PatternError, RecursionError)
"""The errors that a predicate raises if only `jsonschema` can decide."""

# The functions of different shapes that one schema may have, because Python compiles them slowly.
_MAX_SHAPES: Final = 1_000
_NAME: Final = re.compile(r"\bn[0-9]+\b")
_ROOT_HEADER: Final = """\
def predicate(v):
 s, d = [max_steps], 0
"""
_HEADER: Final = """\
def predicate(v, s, d):
 s[0] -= {0}
 if s[0] < 0 or d > max_depth: stop()
"""


def compile_predicate(source: Mapping[str, Any]) -> Callable[[Any], bool] | None:
    """Compile the predicate of a schema, which may raise `FALLBACK_ERRORS`; return None for unsupported schemas."""
    try:
        return PredicateCompiler(source).compile("test", source, _ROOT_HEADER)
    except (SchemaFallbackError, PatternError, RecursionError):
        return None


class SubschemaPredicates:
    """The predicates of the subschemas of a schema, each compiled on first use."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._compiler = PredicateCompiler(root)
        # The subschema is stored with its predicate, so that its id cannot be reused.
        self._predicates: dict[int, tuple[Any, Predicate]] = {}

    def find(self, subschema: Any) -> Predicate:
        """Return the predicate of a subschema, which may raise `FALLBACK_ERRORS`."""
        cached = self._predicates.get(id(subschema))
        if cached is None:
            cached = self._predicates[id(subschema)] = (subschema, self._compile(subschema))
        return cached[1]

    def accept(self, subschema: Any, value: Any, steps: RemainingSteps) -> bool:
        """Return whether a value is valid for a subschema; raise `SchemaFallbackError` if the steps run out."""
        predicate = self.find(subschema)
        if steps[0] <= 0:
            raise SchemaFallbackError
        try:
            return predicate(value, steps, 0)
        except FALLBACK_ERRORS as error:
            raise SchemaFallbackError from error

    def warm(self) -> None:
        """Compile the predicates of all subschemas."""
        for subschema in (True, False, *(found for _, found in iterate_schemas(self._compiler.root))):
            if id(subschema) not in self._predicates:
                self._predicates[id(subschema)] = (subschema, self._compile(subschema))
        for _, predicate in tuple(self._predicates.values()):
            if predicate is not fall_back:
                compile_all(predicate)
                return  # all of them call functions of the same compiler

    def _compile(self, subschema: Any) -> Predicate:
        try:
            return self._compiler.compile_subschema(subschema)
        except (SchemaFallbackError, PatternError, RecursionError):
            return fall_back


class PredicateCompiler:
    """Compiles the predicates of a schema, each on its first call."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        # A counter, because threads may compile functions of one schema together.
        self._numbers = count()
        self.root = root
        self._references: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._shapes: set[str] = set()
        self._names: dict[str, Any] = {"__builtins__": {}, **predicate_globals()}
        self._names["functions"] = self._names

    def compile(self, name: str, schema: Any, header: str = _HEADER) -> Callable[..., bool]:
        """Compile the predicate of a schema, under a name that other predicates can call."""
        shape, names = _split_names(self.write(schema, header))
        self._shapes.add(shape)
        if len(self._shapes) > _MAX_SHAPES:
            raise SchemaFallbackError
        code = _compile(shape)
        code = code.replace(co_names=tuple(names.get(one, one) for one in code.co_names))
        self._names[name] = FunctionType(code, self._names)
        return self._names[name]  # type: ignore[no-any-return]

    def write(self, schema: Any, header: str = _HEADER) -> str:
        """Return the source code of a predicate."""
        from promptpack.schema.predicate_writer import PredicateWriter, estimate_steps

        lines = PredicateWriter(self._constant, self._function, self._refer).write(schema)
        return header.format(estimate_steps(lines)) + "".join(f" {line}\n" for line in (*lines, "return True"))

    def compile_subschema(self, schema: Any) -> Predicate:
        """Compile the predicate of a subschema."""
        self._reject_id(schema)
        return self.compile(self._constant(None), schema)

    def _reject_id(self, schema: Any) -> None:
        if schema is not self.root and isinstance(schema, Mapping) and "$id" in schema:
            raise SchemaFallbackError

    def _new_name(self) -> str:
        return f"n{next(self._numbers)}"

    def _constant(self, value: Any) -> str:
        name = self._new_name()
        self._names[name] = value
        return name

    def _function(self, schema: Any) -> str:
        self._reject_id(schema)
        kind = read_only_kind(schema)
        if kind in self._kinds:
            return self._kinds[kind]
        name = self._new_name()
        if kind:
            self._kinds[kind] = name
        self._names[name] = _Uncompiled(self, name, schema)
        return name

    def _refer(self, reference: str) -> str:
        """Return the function of a reference; a chain of references is resolved once, to the schema at its end."""
        chain = [reference]
        while chain[-1] not in self._references:
            schema = self._resolve(chain[-1])
            target = read_only_reference(schema)
            if not target:
                self._references[chain[-1]] = self._function(schema)
            elif target in chain:
                raise SchemaFallbackError
            else:
                chain.append(target)
        function = self._references[chain[-1]]
        self._references.update(dict.fromkeys(chain, function))
        return function

    def _resolve(self, reference: str) -> Any:
        if not (reference == "#" or reference.startswith("#/")) or "%" in reference:
            raise SchemaFallbackError
        node: Any = self.root
        for name in split_pointer(reference):
            if not isinstance(node, Mapping) or name not in node:
                raise SchemaFallbackError
            node = node[name]
        return node


class _Uncompiled(NamedTuple):
    """A predicate that replaces itself on its first call."""

    compiler: PredicateCompiler
    name: str
    schema: Any

    def __call__(self, value: Any, steps: RemainingSteps, depth: int) -> bool:
        return self.compiler.compile(self.name, self.schema)(value, steps, depth)


def compile_all(predicate: Callable[..., bool]) -> None:
    """Compile all predicates that a compiled one may call; one that cannot be compiled fails on its first call."""
    names = predicate.__globals__
    failed: set[str] = set()
    while waiting := [one for one in list(names.values()) if type(one) is _Uncompiled and one.name not in failed]:
        for one in waiting:
            try:
                one.compiler.compile(one.name, one.schema)
            except (SchemaFallbackError, PatternError, RecursionError):
                failed.add(one.name)


def _split_names(source: str) -> tuple[str, dict[str, str]]:
    """Number the names in the code of a predicate from 0, and return the code with the names by their numbered ones."""
    numbered: dict[str, str] = {}
    shape = _NAME.sub(lambda found: numbered.setdefault(found[0], f"n{len(numbered)}"), source)
    return shape, {number: name for name, number in numbered.items()}


@lru_cache(maxsize=1024)
def _compile(shape: str) -> CodeType:
    """Compile the code of a predicate; many schemas have the same, because their texts are not in it."""
    module = compile(shape, "<schema>", "exec")
    return next(part for part in module.co_consts if isinstance(part, CodeType))


def fall_back(*_: Any) -> bool:
    """Raise `SchemaFallbackError`: the predicate of an unsupported schema."""
    raise SchemaFallbackError


def predicate_globals() -> dict[str, Any]:
    """Return everything that the code of a predicate can access besides its constants."""
    return {
        "KeyError": KeyError,
        "are_unique": are_unique,
        "bool": bool,
        "dict": dict,
        "equality_key": equality_key,
        "float": float,
        "int": int,
        "is_multiple": is_multiple,
        "len": len,
        "list": list,
        "max_depth": MAX_DEPTH,
        "max_steps": MAX_STEPS,
        "plain_types": PLAIN_TYPES,
        "reject": _reject,
        "stop": _stop,
        "str": str,
        "type": type,
        "words": _words,
    }


def _stop() -> None:
    raise StepLimitError


def _reject(value: Any) -> bool:
    """Return False for a value of the wrong kind; fall back if the value is not plain data."""
    if type(value) not in PLAIN_TYPES:
        raise SchemaFallbackError
    return False


def _words(value: Any, key: str, table: Mapping[str, str]) -> Iterable[Any]:
    """Return the value of the key; if there are no keys, all branches apply, so return all words of the table."""
    return (value.get(key),) if type(value) is dict else table
