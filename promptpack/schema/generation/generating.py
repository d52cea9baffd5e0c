"""Generate values that a JSON Schema accepts; each one is validated, and the search for witnesses is the fallback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from promptpack.schema.generation.choices import Choices, FirstChoices, choose, happens
from promptpack.schema.generation.combining import Combiner, NoValueError, SchemaGoal
from promptpack.schema.generation.containers import make_list, make_object
from promptpack.schema.generation.numbers import make_number
from promptpack.schema.generation.texts import make_text
from promptpack.schema.generation.witnesses import WitnessSearch
from promptpack.schema.inclusion.step_meter import StepMeter, UndecidedError
from promptpack.schema.inclusion.unevaluated import rewrite
from promptpack.schema.pointers import find_target
from promptpack.schema.predicates import SubschemaPredicates
from promptpack.schema.supported_keywords import KEYWORDS_BY_KIND, SchemaFallbackError
from promptpack.schema.validation import Schema

__all__ = ["NoValueError", "ValueGenerator"]

_KINDS: Final = ("string", "integer", "boolean", "null", "number", "array", "object")
_MAX_DEPTH: Final = 6
_ATTEMPTS: Final = 3
_ROOT_ATTEMPTS: Final = 12
# The subschemas that one value may be generated for before the search takes over.
_MAX_NODES: Final = 1_500
_VALIDATION_STEPS: Final = 50_000
_NESTED: Final = 30


class ValueGenerator:
    """Generates values for one schema, which has only local references; its results are cached for the next value.

    `samples` are texts that free texts are often chosen from.
    """

    def __init__(self, source: Mapping[str, Any] | bool, samples: Sequence[str] = ()) -> None:
        schema = source if isinstance(source, Mapping) else {"not": {}} if source is False else {}
        self._schema = Schema({key: value for key, value in schema.items() if key not in ("$id", "$schema")})
        self.samples = samples
        try:
            self._root = rewrite(self._schema.source, StepMeter())
        except UndecidedError:
            self._root = self._schema.source
        self._predicates = SubschemaPredicates(self._root)
        self._witnesses = WitnessSearch(self._root)
        self._combiner = Combiner(self._resolve)
        self._remaining = 0

    def generate(self, choices: Choices) -> Any:
        """Return a value that the schema accepts, or raise `NoValueError`, which says why there is none."""
        reason, is_proven = "no value was found", False
        for _ in range(1 if isinstance(choices, FirstChoices) else _ROOT_ATTEMPTS):
            self._remaining = _MAX_NODES
            try:
                value = self.make((self._root,), choices, 0)
            except NoValueError as error:
                if error.is_proven:
                    raise
                reason, is_proven = str(error), error.is_proven
                continue
            if self._schema.accepts(value):
                return value
        raise NoValueError(reason, is_proven=is_proven)

    def accepts(self, goal: SchemaGoal, value: Any) -> bool:
        """Return whether a value meets all schemas, as far as a short look shows."""
        steps = [_VALIDATION_STEPS]
        try:
            return all(
                schema if isinstance(schema, bool) else self._predicates.accept(schema, value, steps) for schema in goal
            )
        except SchemaFallbackError:
            return True  # the whole value is validated at the end

    def make(self, goal: SchemaGoal, choices: Choices, depth: int) -> Any:
        """Return a value that meets all schemas of a goal."""
        self._remaining -= 1
        for _ in range(_ATTEMPTS if self._remaining > 0 and depth <= _MAX_DEPTH else 0):
            try:
                value = self._attempt(goal, choices, depth)
            except NoValueError:
                continue
            if self.accepts(goal, value):
                return value
        return self._find(goal, choices)

    def _find(self, goal: SchemaGoal, choices: Choices) -> Any:
        witnesses = self._witnesses.find(goal)
        if not witnesses.values:
            raise NoValueError(witnesses.reason, is_proven=witnesses.is_proven)
        return choose(choices, witnesses.values)

    def _attempt(self, goal: SchemaGoal, choices: Choices, depth: int) -> Any:
        schemas = self._combiner.combine(goal, choices)
        listed = [
            schema.get("enum", [schema.get("const")]) for schema in schemas if "enum" in schema or "const" in schema
        ]
        if listed:
            words = [word for word in min(listed, key=len) if self.accepts(tuple(schemas), word)]
            if not words:
                raise NoValueError("no listed value is allowed")
            return choose(choices, words)
        kind = choose(choices, _find_kinds(schemas, choices))
        if not schemas and happens(choices, 24):
            return _nest("deep", choices.integer(1, _NESTED))
        return self._make_kind(kind, schemas, choices, depth)

    def _make_kind(self, kind: str, schemas: list[Mapping[str, Any]], choices: Choices, depth: int) -> Any:
        if kind == "string":
            return make_text(schemas, choices, self.samples)
        if kind in ("integer", "number"):
            return make_number(schemas, choices, is_whole=kind == "integer")
        if kind == "boolean":
            return happens(choices, 2)
        if kind == "null":
            return None
        make_container = make_list if kind == "array" else make_object
        return make_container(self, self._combiner, schemas, choices, depth)

    def _resolve(self, reference: str) -> Any:
        is_local = reference == "#" or reference.startswith("#/")
        target = find_target(self._root, reference) if is_local else None
        if not isinstance(target, Mapping | bool):
            raise NoValueError(f"the reference {reference!r} has no local target")
        return target


def _find_kinds(schemas: Sequence[Mapping[str, Any]], choices: Choices) -> list[str]:
    """Return the kinds to choose from: those that all schemas allow, and usually only those that keywords are about."""
    kinds = [kind for kind in _KINDS if all(_allows(schema.get("type"), kind) for schema in schemas)]
    if not kinds:
        raise NoValueError("no kind of value is allowed")
    if "integer" in kinds and "number" in kinds and not any("type" in schema for schema in schemas):
        kinds.remove("number")
    keywords = {keyword for schema in schemas for keyword in schema}
    meant = [kind for kind in kinds if not keywords.isdisjoint(KEYWORDS_BY_KIND[kind])]
    return meant if meant and not happens(choices, 8) else kinds


def _allows(expected: Any, kind: str) -> bool:
    if expected is None:
        return True
    allowed = [expected] if isinstance(expected, str) else expected
    return kind in allowed or (kind == "integer" and "number" in allowed)


def _nest(value: Any, levels: int) -> Any:
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value
