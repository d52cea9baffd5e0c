"""A goal -> the schemas that hold together for one value: references followed, branches chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from promptpack.schema.generation.choices import Choices, choose, happens
from promptpack.schema.supported_keywords import read_discriminator

SchemaGoal = tuple[Any, ...]
"""Schemas that one value must meet together."""

_MAX_SCHEMAS: Final = 500


class NoValueError(Exception):
    """No value was found; `is_proven` if there is none."""

    def __init__(self, reason: str, *, is_proven: bool = False) -> None:
        super().__init__(reason)
        self.is_proven = is_proven


class Combiner:
    """Collects the schemas that hold for a value, with branches that it chooses."""

    def __init__(self, resolve: Callable[[str], Any]) -> None:
        self._resolve = resolve
        # Schemas made on the way, so that equal choices are the same object.
        self._words: dict[tuple[str, str], Mapping[str, Any]] = {}

    def combine(self, goal: Iterable[Any], choices: Choices) -> list[Mapping[str, Any]]:
        """Return all schemas that hold if the chosen branches do; references and keywords of these are followed."""
        found: dict[int, Mapping[str, Any]] = {}
        conditions: list[Mapping[str, Any]] = []
        self._collect(list(goal), choices, found, conditions)
        for schemas in (self._choose_words(conditions, found, choices), _choose_sides(conditions, choices)):
            self._collect(schemas, choices, found, conditions=[])
        return list(found.values())

    def _collect(
        self, schemas: list[Any], choices: Choices, found: dict[int, Mapping[str, Any]], conditions: list[Any]
    ) -> None:
        while schemas:
            schema = schemas.pop(0)
            if schema is False:
                raise NoValueError("no value is allowed here")
            if not isinstance(schema, Mapping) or id(schema) in found:
                continue
            found[id(schema)] = schema
            if len(found) > _MAX_SCHEMAS:
                raise NoValueError(f"more than {_MAX_SCHEMAS} schemas apply to one value")
            schemas += self._parts(schema, choices)
            conditions += [schema] if "if" in schema else []

    def _parts(self, schema: Mapping[str, Any], choices: Choices) -> list[Any]:
        parts = [self._resolve(schema["$ref"])] if isinstance(schema.get("$ref"), str) else []
        parts += schema.get("allOf", ())
        return parts + [choose(choices, schema[key]) for key in ("anyOf", "oneOf") if schema.get(key)]

    def _choose_words(self, conditions: list[Any], found: Mapping[int, Any], choices: Choices) -> list[Any]:
        """Choose one word for each key that conditions depend on, and return the schemas that hold for it."""
        by_key: dict[str, list[tuple[Sequence[str], Any]]] = {}
        for schema in list(conditions):
            branch = {key: schema[key] for key in ("if", "then", "else") if key in schema}
            discriminator = read_discriminator(branch)
            if discriminator is not None and "else" not in branch and "then" in branch:
                key, words, _ = discriminator
                if len(schema["if"]["properties"]) == 1:
                    by_key.setdefault(key, []).append((words, schema["then"]))
                    conditions.remove(schema)
        chosen: list[Any] = []
        for key, branches in by_key.items():
            word = choose(choices, _allowed_words(key, branches, found.values()))
            if word is not None:
                chosen.append(self._word_schema(key, word))
                chosen += [then for words, then in branches if word in words]
        return chosen

    def _word_schema(self, key: str, word: str) -> Mapping[str, Any]:
        made = {"properties": {key: {"const": word}}, "required": [key]}
        return self._words.setdefault((key, word), made)


def _allowed_words(key: str, branches: list[tuple[Sequence[str], Any]], schemas: Iterable[Any]) -> list[str | None]:
    """Return the words to choose from: those that the schema of the key lists, else those of the branches and none."""
    for schema in schemas:
        listed = schema.get("properties", {}).get(key)
        if isinstance(listed, Mapping):
            words = listed.get("enum", [listed["const"]] if "const" in listed else None)
            if words:
                return [word for word in words if isinstance(word, str)] or [None]
    return [*dict.fromkeys(word for words, _ in branches for word in words), None]


def _choose_sides(conditions: list[Any], choices: Choices) -> list[Any]:
    """Choose for each condition whether it holds; that it does not hold is left to chance."""
    chosen: list[Any] = []
    for schema in conditions:
        if happens(choices, 2):
            chosen += [schema["if"], schema.get("then", True)]
        else:
            chosen.append(schema.get("else", True))
    return chosen
