"""Parts of replies: the values that a contract allows at one place of a reply, with a schema or by example."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from promptpack.flow.model import Composed, Fixed, Flow, Given, Reply, Value, steps_of
from promptpack.flow.samples import samples
from promptpack.pack import Contract
from promptpack.schema import compile as compile_schema


@dataclass(frozen=True, slots=True)
class Feed:
    """Who feeds whom, and with what."""

    source: str
    target: str
    label: str


def feeds(flow: Flow) -> list[Feed]:
    """Give who feeds whom, in the order of the steps; two parts for one input are one feed."""
    found = {
        Feed(part.step, step.name, f"{part.pointer.strip('/').replace('/', '.') or 'whole reply'} → {name}")
        for step in flow.steps.values()
        for name, part in step.parts()
        if part.step in flow.steps
    }
    order = list(flow.steps)
    return sorted(found, key=lambda feed: (order.index(feed.target), order.index(feed.source), feed.label))


Contracts = Mapping[str, Contract | None]
"""The contract of each step."""
_MOST = 200


def schema_at(contract: Contract, action: str, pointer: str) -> Mapping[str, Any] | None:
    """Give the schema of a part of a reply; None when a reply never has it."""
    steps = steps_of(pointer)
    root: Mapping[str, Any] = contract.shape()
    declared = contract.actions.get(action)
    if steps[:1] == ["params"] and declared is not None and declared.params is not None:
        root, steps = declared.params, steps[1:]
    found = _follow(root, root, steps)
    if found is None:
        return None
    return {**found, "$defs": root.get("$defs", {})}


def _follow(root: Mapping[str, Any], node: Any, steps: list[str]) -> Mapping[str, Any] | None:
    for _ in range(16):
        if not isinstance(node, Mapping) or "$ref" not in node or not str(node["$ref"]).startswith("#/"):
            break
        node = _follow_plain(root, str(node["$ref"]))
    if not isinstance(node, Mapping):
        return {} if node is True else None
    if not steps:
        return node
    name, rest = steps[0], steps[1:]
    if name in node.get("properties", {}):
        return _follow(root, node["properties"][name], rest)
    if name.isdigit() and "items" in node:
        return _follow(root, node["items"], rest)
    # A part that an open object does not declare may be there or not: nobody can tell what it is.
    return None if node.get("type") in ("object", "array") else {}


def _follow_plain(root: Mapping[str, Any], reference: str) -> Any:
    node: Any = root
    for step in steps_of(reference[1:]):
        node = node.get(step) if isinstance(node, Mapping) else None
    return node


def values_of(value: Value, contracts: Contracts) -> Iterator[Any]:
    """Give values that a step may really be fed with; nothing where nobody can tell."""
    match value:
        case Given():
            return
        case Fixed():
            yield value.value
        case Reply():
            yield from _parts_of(value, contracts.get(value.step))
        case Composed():
            yield from _composed(value, contracts)


def _composed(value: Composed, contracts: Contracts) -> Iterator[Any]:
    choices = {name: list(values_of(inner, contracts)) for name, inner in value.fields.items()}
    if not all(choices.values()):
        return
    first = {name: found[0] for name, found in choices.items()}
    yield first
    for name, found in choices.items():
        yield from ({**first, name: other} for other in found[1:])


def _parts_of(part: Reply, contract: Contract | None) -> Iterator[Any]:
    if contract is None:
        return
    if not part.pointer:
        yield from _replies(part.action, contract)
        return
    schema = schema_at(contract, part.action, part.pointer)
    if schema is None:
        return
    accepted = compile_schema(schema)
    yield from (value for value, _ in zip(samples(schema), range(_MOST), strict=False) if accepted.accepts(value))


def _replies(action: str, contract: Contract) -> Iterator[Any]:
    """Give whole replies: the example of the action, bare and with each of the params it may have."""
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
