"""The values that a contract allows for a field of a reply: its schema and samples."""

from collections.abc import Iterator, Mapping
from typing import Any

from promptpack.flow.model import CallerValue, FixedValue, FlowValue, ObjectValue, ReplyValue
from promptpack.flow.samples import samples
from promptpack.pack.contract import Contract
from promptpack.schema.pointers import find_target, split_pointer
from promptpack.schema.validation import compile as compile_schema

Contracts = Mapping[str, Contract | None]  # by step
_MAX_VALUES = 200


def schema_at(contract: Contract, action: str, pointer: str) -> Mapping[str, Any] | None:
    """Return the schema of a field of a reply; None when no reply has it."""
    keys = split_pointer(pointer)
    root: Mapping[str, Any] = contract.json_schema()
    declared = contract.actions.get(action)
    if keys[:1] == ["params"] and declared is not None and declared.params is not None:
        root, keys = declared.params, keys[1:]
    found = _follow(root, root, keys)
    if found is None:
        return None
    return {**found, "$defs": root.get("$defs", {})}


def _follow(root: Mapping[str, Any], node: Any, keys: list[str]) -> Mapping[str, Any] | None:
    for _ in range(16):
        if not isinstance(node, Mapping) or "$ref" not in node or not str(node["$ref"]).startswith("#/"):
            break
        node = find_target(root, node["$ref"])
    if not isinstance(node, Mapping):
        return {} if node is True else None
    if not keys:
        return node
    name, rest = keys[0], keys[1:]
    if name in node.get("properties", {}):
        return _follow(root, node["properties"][name], rest)
    if name.isdigit() and "items" in node:
        return _follow(root, node["items"], rest)
    # A schema without a type may allow the field, with any value.
    return None if node.get("type") in ("object", "array") else {}


def values_of(value: FlowValue, contracts: Contracts) -> Iterator[Any]:
    """Iterate over values that a step may really get; nothing when they are unknown."""
    match value:
        case CallerValue():
            return
        case FixedValue():
            yield value.value
        case ReplyValue():
            yield from _field_values(value, contracts.get(value.step))
        case ObjectValue():
            yield from _objects(value, contracts)


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
    schema = schema_at(contract, value.action, value.pointer)
    if schema is None:
        return
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
