"""Random values near a schema: many of them are valid, and the others are close to its limits."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from promptpack.schema.pointers import find_target
from tests.properties.inclusion_schemas import NAMES, NUMBERS, WORDS

_TEXTS = ("", "a", "b", "c", "ab", "abc", "aa", "zz", "x-", "x-1", "1", "12", "é", "A b", "aaaa", "\n", "x-ab", "ba")
_STEPS = (0, 0, 1, -1, 0.5, -0.5, 2, 0.1)
_MAX_DEPTH = 5


class Values:
    """Draws values near a schema; a number always gives the same ones."""

    def __init__(self, root: Mapping[str, Any], number: int) -> None:
        self._root = root
        self._random = Random(number)  # noqa: S311 -- no secret is made from it

    def draw(self, count: int) -> Iterator[Any]:
        """Yield values near the whole schema."""
        for _ in range(count):
            yield self._value([self._root], 0)

    def _value(self, schemas: list[Any], depth: int) -> Any:
        parts = list(self._flatten(schemas, 0))
        words = [word for part in parts for word in part.get("enum", [part["const"]] if "const" in part else [])]
        if words and self._is_likely(0.9):
            return self._random.choice(words)
        if self._is_likely(0.03):
            return self._random.choice(WORDS)
        kind = self._kind(parts)
        if depth > _MAX_DEPTH and kind in ("array", "object"):
            return [] if kind == "array" else {}
        match kind:
            case "null":
                return None
            case "boolean":
                return self._is_likely(0.5)
            case "integer" | "number":
                return self._number(parts, is_whole=kind == "integer")
            case "string":
                return self._text(parts)
            case "array":
                return self._list(parts, depth)
            case _:
                return self._object(parts, depth)

    def _is_likely(self, chance: float) -> bool:
        return self._random.random() < chance

    def _flatten(self, schemas: list[Any], depth: int) -> Iterator[Mapping[str, Any]]:
        """Yield the schemas that one value is to meet, for a random choice of alternatives."""
        for schema in schemas:
            if not isinstance(schema, dict):
                continue
            yield schema
            if depth > _MAX_DEPTH:
                continue
            inner = [find_target(self._root, schema["$ref"])] if "$ref" in schema else []
            inner += schema.get("allOf", ())
            inner += [self._random.choice(schema[key]) for key in ("anyOf", "oneOf") if schema.get(key)]
            if "if" in schema:
                inner += [schema["if"], schema.get("then")] if self._is_likely(0.5) else [schema.get("else")]
            if isinstance(schema.get("not"), dict) and "not" in schema["not"]:
                inner.append(schema["not"]["not"])
            inner += [one for one in schema.get("dependentSchemas", {}).values() if self._is_likely(0.5)]
            yield from self._flatten(inner, depth + 1)

    def _kind(self, parts: list[Mapping[str, Any]]) -> str:
        kinds = {"null", "boolean", "integer", "number", "string", "array", "object"}
        for part in parts:
            if "type" in part:
                named = {part["type"]} if isinstance(part["type"], str) else set(part["type"])
                kinds &= named | ({"integer"} if "number" in named else set())
        return self._random.choice(sorted(kinds) or ["object"])

    def _number(self, parts: list[Mapping[str, Any]], *, is_whole: bool) -> Any:
        limits = [part[key] for part in parts for key in part if "imum" in key]
        factors = [part["multipleOf"] for part in parts if "multipleOf" in part]
        number = self._random.choice(limits or NUMBERS) + self._random.choice(_STEPS)
        if factors and self._is_likely(0.8):
            number = self._random.choice(factors) * self._random.randint(-4, 12)
        number = round(number, 3)
        return int(number) if is_whole or (number == int(number) and self._is_likely(0.7)) else number

    def _text(self, parts: list[Mapping[str, Any]]) -> str:
        sizes = [int(part[key]) for part in parts for key in ("minLength", "maxLength") if key in part]
        if sizes and self._is_likely(0.5):
            return self._random.choice("aab0x") * max(
                self._random.choice(sizes) + self._random.choice((0, 0, 1, -1)), 0
            )
        return self._random.choice(_TEXTS)

    def _list(self, parts: list[Mapping[str, Any]], depth: int) -> list[Any]:
        sizes = [int(part[key]) for part in parts for key in part if key.startswith(("min", "max")) and part[key] < 9]
        length = max(self._random.choice([*sizes, 0, 1, 2, 3]) + self._random.choice((0, 0, 1, -1)), 0)
        items = [self._value(_item_schemas(parts, index), depth + 1) for index in range(length)]
        for part in parts:
            if "contains" in part and self._is_likely(0.7):
                place = self._random.randint(0, len(items))
                items.insert(place, self._value([part["contains"], *_item_schemas(parts, place)], depth + 1))
        if items and self._is_likely(0.15):
            items.append(self._random.choice(items))
        return items

    def _object(self, parts: list[Mapping[str, Any]], depth: int) -> dict[str, Any]:
        required = {name for part in parts for name in part.get("required", ())}
        named = {name for part in parts for name in part.get("properties", ())}
        chosen = {name for name in required if self._is_likely(0.95)}
        chosen |= {name for name in named if self._is_likely(0.5)}
        for part in parts:
            for name, others in part.get("dependentRequired", {}).items():
                chosen |= set(others) if name in chosen and self._is_likely(0.9) else set()
        chosen |= {name for name in (*NAMES, *_TEXTS[:8]) if self._is_likely(0.06)}
        return {name: self._value(_member_schemas(parts, name), depth + 1) for name in sorted(chosen)}


def _item_schemas(parts: list[Mapping[str, Any]], index: int) -> list[Any]:
    found = []
    for part in parts:
        prefix = part.get("prefixItems", ())
        rest = part.get("items", part.get("unevaluatedItems", True))
        found.append(prefix[index] if index < len(prefix) else rest)
    return found


def _member_schemas(parts: list[Mapping[str, Any]], name: str) -> list[Any]:
    found = []
    for part in parts:
        own = part.get("properties", {})
        others = part.get("additionalProperties", part.get("unevaluatedProperties", True))
        found += [own.get(name, others), *part.get("patternProperties", {}).values()]
    return found
