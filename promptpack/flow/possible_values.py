"""The values that a contract allows for a field of a reply: its schema, and samples, mostly edge cases."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from promptpack.flow.model import FirstValue, FixedValue, FlowValue, ObjectValue, ReplyValue
from promptpack.pack.contract import Contract
from promptpack.problem import nearest
from promptpack.schema.pointers import find_target, split_pointer
from promptpack.schema.validation import compile as compile_schema

Contracts = Mapping[str, Contract | None]  # by step
_MAX_VALUES = 200


class FieldSchema(NamedTuple):
    """The schema of a field, and whether every reply has the field."""

    schema: Mapping[str, Any]
    is_certain: bool


def field_at(contract: Contract, action: str, pointer: str) -> FieldSchema | None:
    """Return the schema of a field of a reply; None when no reply has it."""
    keys = split_pointer(pointer)
    root: Mapping[str, Any] = contract.json_schema()
    declared = contract.actions.get(action)
    if keys[:1] == ["params"] and declared is not None and declared.params is not None:
        root, keys = declared.params, keys[1:]
    found = _follow(root, root, keys)
    return found and FieldSchema({**found.schema, "$defs": root.get("$defs", {})}, found.is_certain)


def suggest_pointer(contract: Contract, action: str, pointer: str) -> str:
    """Return a hint at a pointer whose first unknown name is spelled like a field of the reply."""
    keys = split_pointer(pointer)
    for at, key in enumerate(keys):
        parent = field_at(contract, action, "".join(f"/{name}" for name in keys[:at]))
        near = nearest(key, parent.schema.get("properties", ())) if parent is not None else None
        if near is not None and near != key:
            return f"did you mean {''.join(f'/{name}' for name in (*keys[:at], near, *keys[at + 1 :]))!r}?"
    return ""


def _follow(root: Mapping[str, Any], node: Any, keys: list[str]) -> FieldSchema | None:
    node = _target(root, node)
    if not isinstance(node, Mapping):
        return FieldSchema({}, not keys) if node is True else None
    if not keys:
        return FieldSchema(node, True)
    name, rest = keys[0], keys[1:]
    if name in node.get("properties", {}):
        found = _follow(root, node["properties"][name], rest)
        is_certain = name in node.get("required", ())
    elif name.isdigit() and "items" in node:
        found = _follow(root, node["items"], rest)
        is_certain = int(name) < node.get("minItems", 0)
    else:
        # A schema without a type may allow the field, with any value.
        return None if node.get("type") in ("object", "array") else FieldSchema({}, False)
    return found and FieldSchema(found.schema, found.is_certain and is_certain)


def _target(root: Mapping[str, Any], node: Any) -> Any:
    for _ in range(16):
        if not isinstance(node, Mapping) or "$ref" not in node or not str(node["$ref"]).startswith("#/"):
            break
        node = find_target(root, str(node["$ref"]))
    return node


def items_of(field: FieldSchema) -> FieldSchema | None:
    """Return the schema of the items of a list, certain if the list is never empty; None if it is not a list."""
    if field.schema.get("type") != "array":
        return None
    items = _target(field.schema, field.schema.get("items", True))
    schema = {**(items if isinstance(items, Mapping) else {}), "$defs": field.schema["$defs"]}
    return FieldSchema(schema, field.is_certain and field.schema.get("minItems", 0) > 0)


def words_at(field: FieldSchema) -> list[Any] | None:
    """Return the values that decide a route: those of an enum, or both booleans; None if there are others."""
    if field.schema.get("type") == "boolean":
        return [True, False]
    allowed = field.schema.get("enum")
    return allowed if isinstance(allowed, list) and all(isinstance(word, str | bool) for word in allowed) else None


def deciding_fields(contract: Contract, action: str) -> Iterator[str]:
    """Yield the pointers to the required fields of a reply that can decide a route."""
    for parent in ("", "/params"):
        owner = field_at(contract, action, parent)
        for name in owner.schema.get("properties", ()) if owner is not None else ():
            field = field_at(contract, action, f"{parent}/{name}")
            if field is not None and field.is_certain and words_at(field) is not None:
                yield f"{parent}/{name}"


def values_of(value: FlowValue, contracts: Contracts) -> Iterator[Any]:
    """Iterate over values that a step may really get; nothing when they are unknown."""
    match value:
        case FixedValue():
            yield value.value
        case ReplyValue():
            yield from _field_values(value, contracts.get(value.step))
        case ObjectValue():
            yield from _objects(value, contracts)
        case FirstValue():
            for choice in value.choices:
                yield from values_of(choice, contracts)


def _objects(value: ObjectValue, contracts: Contracts) -> Iterator[Any]:
    choices = {name: list(values_of(inner, contracts)) for name, inner in value.fields.items()}
    if not all(choices.values()):
        return
    first = {name: found[0] for name, found in choices.items()}
    yield first
    for name, found in choices.items():
        yield from ({**first, name: other} for other in found[1:])


def _field_values(value: ReplyValue, contract: Contract | None) -> Iterator[Any]:
    if contract is None:
        return
    if not value.pointer:
        yield from _replies(value.action, contract)
        return
    field = field_at(contract, value.action, value.pointer)
    field = items_of(field) if field is not None and value.is_next_item else field
    if field is None:
        return
    schema = field.schema
    compiled = compile_schema(schema)
    yield from (found for found, _ in zip(samples(schema), range(_MAX_VALUES), strict=False) if compiled.accepts(found))


def _replies(action: str, contract: Contract) -> Iterator[Any]:
    """Iterate over whole replies: the example of the action, and its required fields with each sample of its params."""
    declared = contract.actions.get(action)
    if declared is None or declared.example is None:
        yield from () if contract.example is None else (contract.example,)
        return
    yield dict(declared.example)
    bare = {key: value for key, value in declared.example.items() if key in contract.base.get("required", ())}
    for params in samples(declared.params or {}):
        reply = {**bare, "params": params}
        if contract.schema.accepts(reply):
            yield reply


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
