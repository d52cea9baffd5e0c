"""A JSON Schema compiled to predicates: Python functions that return what `jsonschema` would, much faster.

Predicates fall back to `jsonschema` if they cannot decide exactly: for some keywords, references that are not local,
values that are not plain JSON data, and at the step limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.keywords import MAX_DEPTH, MAX_STEPS, StepLimitError, fingerprint, is_multiple
from promptpack.schema.patterns import PatternError
from promptpack.schema.pointers import split_pointer
from promptpack.schema.supported_keywords import PLAIN_TYPES, SchemaFallbackError, read_only_kind

if TYPE_CHECKING:
    Steps = list[int]
    Predicate = Callable[[Any, Steps, int], bool]
    """Takes a value, the remaining steps, and the depth of the value inside the root value."""


FALLBACK_ERRORS: Final = (SchemaFallbackError, StepLimitError, PatternError, RecursionError)
"""The errors that a predicate raises if only `jsonschema` can decide."""

_ROOT_HEADER: Final = """\
def {0}(v):
 s, d = [max_steps], 0
"""
_HEADER: Final = """\
def {0}(v, s, d):
 s[0] -= 1
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

    def accept(self, subschema: Any, value: Any, steps: Steps) -> bool:
        """Return whether a value is valid for a subschema; raise `SchemaFallbackError` if the steps run out."""
        cached = self._predicates.get(id(subschema))
        if cached is None:
            cached = self._predicates[id(subschema)] = (subschema, self._compile(subschema))
        if steps[0] <= 0:
            raise SchemaFallbackError
        try:
            return cached[1](value, steps, 0)
        except FALLBACK_ERRORS as error:
            raise SchemaFallbackError from error

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
        self._root = root
        self._references: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._names: dict[str, Any] = {"__builtins__": {}, **predicate_globals()}
        self._names["functions"] = self._names

    def compile(self, name: str, schema: Any, header: str = _HEADER) -> Callable[..., bool]:
        """Compile the predicate of a schema, under a name that other predicates can call."""
        exec(_compile(self.write(name, schema, header)), self._names)  # noqa: S102 -- it has no text of the schema
        return self._names[name]  # type: ignore[no-any-return]

    def write(self, name: str, schema: Any, header: str = _HEADER) -> str:
        """Return the source code of a predicate."""
        from promptpack.schema.predicate_writer import PredicateWriter

        lines = PredicateWriter(self._constant, self._function, self._refer).write(schema)
        return header.format(name) + "".join(f" {line}\n" for line in (*lines, "return True"))

    def compile_subschema(self, schema: Any) -> Predicate:
        """Compile the predicate of a subschema."""
        self._reject_id(schema)
        return self.compile(self._constant(None), schema)

    def _reject_id(self, schema: Any) -> None:
        if schema is not self._root and isinstance(schema, Mapping) and "$id" in schema:
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
        self._names[name] = self._lazy(name, schema)
        return name

    def _lazy(self, name: str, schema: Any) -> Predicate:
        def compile_first(value: Any, steps: Steps, depth: int) -> bool:
            return self.compile(name, schema)(value, steps, depth)

        return compile_first

    def _refer(self, reference: str) -> str:
        if reference not in self._references:
            self._references[reference] = self._function(self._resolve(reference))
        return self._references[reference]

    def _resolve(self, reference: str) -> Any:
        if not (reference == "#" or reference.startswith("#/")) or "%" in reference:
            raise SchemaFallbackError
        node: Any = self._root
        for name in split_pointer(reference):
            if not isinstance(node, Mapping) or name not in node:
                raise SchemaFallbackError
            node = node[name]
        return node


@lru_cache(maxsize=256)
def _compile(code: str) -> CodeType:
    """Compile the code of a predicate; many schemas have the same, because their texts are not in it."""
    return compile(code, "<schema>", "exec")


def fall_back(*_: Any) -> bool:
    """Raise `SchemaFallbackError`: the predicate of an unsupported schema."""
    raise SchemaFallbackError


def predicate_globals() -> dict[str, Any]:
    """Return everything that the code of a predicate can access besides its constants."""
    return {
        "KeyError": KeyError,
        "are_unique": _are_unique,
        "bool": bool,
        "dict": dict,
        "fingerprint": fingerprint,
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


def _are_unique(values: Sequence[Any]) -> bool:
    return len({fingerprint(value) for value in values}) == len(values)


def _words(value: Any, key: str, table: Mapping[str, str]) -> Iterable[Any]:
    """Return the value of the key; if there are no keys, all branches apply, so return all words of the table."""
    return (value.get(key),) if type(value) is dict else table
