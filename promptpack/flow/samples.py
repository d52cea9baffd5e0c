"""Samples of a schema, mostly edge cases; the caller must check that the schema really accepts them."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from promptpack.schema.pointers import find_target

_MAX_DEPTH: Final = 8
_MAX_SAMPLES: Final = 60
_MAX_LENGTH: Final = 40
_EVERY_TYPE: Final[tuple[Any, ...]] = ("text", 1, True, None, [], {})


def samples(schema: Any) -> Iterator[Any]:
    """Iterate over samples of a schema with local references: the full value, the minimal one, then edge cases."""
    return islice(_Sampler(schema).of(schema, 0), _MAX_SAMPLES * 4)


class _Sampler:
    def __init__(self, root: Any) -> None:
        self._root = root

    def of(self, schema: Any, depth: int) -> Iterator[Any]:
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            yield from _EVERY_TYPE
            return
        yield from (schema.get("examples") or ())[:1]
        merged = self._merge(schema, depth)
        if "const" in merged:
            yield merged["const"]
        elif "enum" in merged:
            yield from merged["enum"]
        elif "anyOf" in merged or "oneOf" in merged:
            others = {key: value for key, value in merged.items() if key not in ("anyOf", "oneOf")}
            for branch in merged.get("anyOf") or merged["oneOf"]:
                yield from islice(self.of({**others, "allOf": [branch]}, depth + 1), _MAX_SAMPLES)
        else:
            yield from self._of_type(merged, depth)

    def _of_type(self, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        declared = schema.get("type", "object" if "properties" in schema or "required" in schema else None)
        for name in declared if isinstance(declared, list) else [declared]:
            match name:
                case "string":
                    yield from _texts(schema)
                case "integer" | "number":
                    yield from _numbers(schema, is_integer=name == "integer")
                case "array":
                    yield from self._lists(schema, depth)
                case "object":
                    yield from self._objects(schema, depth)
                case "boolean":
                    yield from (True, False)
                case "null":
                    yield None
                case _:
                    yield from _EVERY_TYPE

    def _merge(self, schema: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
        """Merge a schema with its `$ref` and its `allOf`."""
        parts = [find_target(self._root, schema["$ref"])] if "$ref" in schema else []
        parts += schema.get("allOf") or ()
        merged: dict[str, Any] = {}
        for part in parts:
            if isinstance(part, Mapping) and depth < _MAX_DEPTH:
                merged = _combine(merged, self._merge(part, depth + 1))
        return _combine(merged, {key: value for key, value in schema.items() if key not in ("$ref", "allOf")})

    def _lists(self, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        minimum, maximum = schema.get("minItems", 0), schema.get("maxItems", _MAX_LENGTH)
        for item in islice(self.of(schema.get("items", True), depth + 1), _MAX_SAMPLES):
            yield [item] * max(1, minimum)
        first = next(self.of(schema.get("items", True), depth + 1))
        yield [first] * minimum
        yield [first] * min(maximum, _MAX_LENGTH)

    def _objects(self, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        required = schema.get("required", ())
        full = {name: next(self.of(inner, depth + 1)) for name, inner in properties.items()}
        full |= {name: "text" for name in required if name not in full}
        yield full
        yield {name: value for name, value in full.items() if name in required}
        for name in properties:
            if name not in required:
                yield {key: value for key, value in full.items() if key != name}
        for name, inner in properties.items():
            for value in islice(self.of(inner, depth + 1), 1, _MAX_SAMPLES):
                yield {**full, name: value}
        if schema.get("additionalProperties", True) is not False:
            yield {**full, "somethingElse": "text"}


def _combine(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    both = {**below, **above}
    if "properties" in below and "properties" in above:
        both["properties"] = {**below["properties"], **above["properties"]}
    if "required" in below and "required" in above:
        both["required"] = [*below["required"], *above["required"]]
    return both


def _texts(schema: Mapping[str, Any]) -> Iterator[str]:
    least = schema.get("minLength", 0)
    yield "text" if least <= 4 <= schema.get("maxLength", 4) else "x" * max(least, 1)
    yield "x" * least
    yield "x" * min(schema.get("maxLength", _MAX_LENGTH), 10_000)


def _numbers(schema: Mapping[str, Any], *, is_integer: bool) -> Iterator[float]:
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    yield from (one for one in (1, low, high, 0, -1, 1_000_000) if one is not None)
    if not is_integer:
        yield from (0.5, (low or 0) + 0.25)
