"""The `Flow`: its steps, the values of their inputs, and which step follows which."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from promptpack.document import Document
from promptpack.schema.pointers import split_pointer

END: Final = "end"  # as `next`, it ends the flow
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class CallerValue:
    """A value that the caller passes; `given` in the file."""


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A value from the flow file itself."""

    value: Any


@dataclass(frozen=True, slots=True)
class ReplyValue:
    """A field of an earlier step's reply, selected by action and JSON pointer; `place` is its path in the file."""

    step: str
    action: str
    pointer: str
    place: Path

    def select(self, reply: Any) -> Any:
        """Return the field of a reply."""
        for name in split_pointer(self.pointer):
            reply = reply[int(name)] if isinstance(reply, list) else reply[name]
        return reply


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An object built from other values."""

    fields: Mapping[str, "FlowValue"]


FlowValue = CallerValue | FixedValue | ReplyValue | ObjectValue


@dataclass(frozen=True, slots=True)
class Branches:
    """The next step for each value of one reply field."""

    pointer: str
    targets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of an agent; `branches` overrides `next_step`."""

    name: str
    pack: str
    title: str
    inputs: Mapping[str, FlowValue]
    action: str = ""
    next_step: str = END
    branches: Branches | None = None

    @property
    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """The possible next steps, each with the reply values that lead to it."""
        if self.branches is None:
            return {self.next_step: ()}
        found: dict[str, tuple[str, ...]] = {}
        for word, target in self.branches.targets.items():
            found[target] = (*found.get(target, ()), word)
        return found

    def reply_values(self) -> Iterator[tuple[str, ReplyValue]]:
        """Iterate over the reply fields that its inputs use, each with the name of the input."""
        for name, value in self.inputs.items():
            yield from ((name, found) for found in _reply_values(value))


@dataclass(frozen=True, slots=True)
class DataEdge:
    """Data that one step passes to another."""

    source: str
    target: str
    label: str


@dataclass(frozen=True, slots=True)
class Flow:
    """The steps by name, in the order of the file; the first one starts."""

    steps: Mapping[str, Step]
    tools: tuple[str, ...]
    document: Document = field(repr=False, compare=False)

    @property
    def start(self) -> Step:
        """The first step."""
        return next(iter(self.steps.values()))

    def data_edges(self) -> list[DataEdge]:
        """Return the edges between existing steps, in the order of the steps and without duplicates."""
        found = {
            DataEdge(value.step, step.name, f"{value.pointer.strip('/').replace('/', '.') or 'whole reply'} → {name}")
            for step in self.steps.values()
            for name, value in step.reply_values()
            if value.step in self.steps
        }
        order = list(self.steps)
        return sorted(found, key=lambda edge: (order.index(edge.target), order.index(edge.source), edge.label))


def _reply_values(value: FlowValue) -> Iterator[ReplyValue]:
    if isinstance(value, ReplyValue):
        yield value
    elif isinstance(value, ObjectValue):
        for inner in value.fields.values():
            yield from _reply_values(inner)
