"""Values that a schema is likely to accept, its edges first: whoever uses one checks that the schema really does."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

_DEEPEST: Final = 8
_MOST: Final = 60
_LONG: Final = 40
_EVERY_KIND: Final[tuple[Any, ...]] = ("text", 1, True, None, [], {})


def samples(schema: Any) -> Iterator[Any]:
    """Give values for a schema whose references are local: a whole one, the barest one, and one edge at a time."""
    return islice(_Sampler(schema).of(schema, 0), _MOST * 4)


class _Sampler:
    def __init__(self, root: Any) -> None:
        self._root = root

    def of(self, schema: Any, depth: int) -> Iterator[Any]:
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            yield from _EVERY_KIND
            return
        yield from (schema.get("examples") or ())[:1]
        whole = self._merged(schema, depth)
        if "const" in whole:
            yield whole["const"]
        elif "enum" in whole:
            yield from whole["enum"]
        elif "anyOf" in whole or "oneOf" in whole:
            others = {key: value for key, value in whole.items() if key not in ("anyOf", "oneOf")}
            for branch in whole.get("anyOf") or whole["oneOf"]:
                yield from islice(self.of({**others, "allOf": [branch]}, depth + 1), _MOST)
        else:
            yield from self._by_kind(whole, depth)

    def _by_kind(self, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        declared = schema.get("type", "object" if "properties" in schema or "required" in schema else None)
        for kind in declared if isinstance(declared, list) else [declared]:
            match kind:
                case "string":
                    yield from _texts(schema)
                case "integer" | "number":
                    yield from _numbers(schema, whole=kind == "integer")
                case "array":
                    yield from self._lists(schema, depth)
                case "object":
                    yield from self._objects(schema, depth)
                case "boolean":
                    yield from (True, False)
                case "null":
                    yield None
                case _:
                    yield from _EVERY_KIND

    def _merged(self, schema: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
        """Lay a schema over what it refers to and over what else must hold."""
        parts = [self._target(schema["$ref"])] if "$ref" in schema else []
        parts += schema.get("allOf") or ()
        merged: dict[str, Any] = {}
        for part in parts:
            if isinstance(part, Mapping) and depth < _DEEPEST:
                merged = _laid_over(merged, self._merged(part, depth + 1))
        return _laid_over(merged, {key: value for key, value in schema.items() if key not in ("$ref", "allOf")})

    def _target(self, reference: str) -> Any:
        node = self._root
        for step in reference.split("/")[1:]:
            node = node.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(node, Mapping) else None
        return node

    def _lists(self, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", _LONG)
        for item in islice(self.of(schema.get("items", True), depth + 1), _MOST):
            yield [item] * max(1, least)
        first = next(self.of(schema.get("items", True), depth + 1))
        yield [first] * least
        yield [first] * min(most, _LONG)

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
            for value in islice(self.of(inner, depth + 1), 1, _MOST):
                yield {**full, name: value}
        if schema.get("additionalProperties", True) is not False:
            yield {**full, "somethingElse": "text"}


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
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
    yield "x" * min(schema.get("maxLength", _LONG), 10_000)


def _numbers(schema: Mapping[str, Any], *, whole: bool) -> Iterator[float]:
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    yield from (one for one in (1, low, high, 0, -1, 1_000_000) if one is not None)
    if not whole:
        yield from (0.5, (low or 0) + 0.25)
