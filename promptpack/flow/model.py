"""The content of `flow.yaml`: its steps, the values of their inputs, and which step follows which."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from promptpack.document import Document
from promptpack.schema.pointers import ValuePath, value_at

END: Final = "end"  # as `next`, it ends the flow


@dataclass(frozen=True, slots=True)
class CallerValue:
    """A value that the caller passes, or a part of it; `given` in the file."""

    name: str
    pointer: str = ""
    is_next_item: bool = False


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A value from the flow file itself."""

    value: Any


@dataclass(frozen=True, slots=True)
class ReplyValue:
    """A field of an earlier step's reply, selected by action and JSON pointer; `place` is its path in the file.

    With `is_next_item`, the field is a list, and each visit of the step takes its next item.
    """

    step: str
    action: str
    pointer: str
    place: ValuePath
    is_next_item: bool = False


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An object built from other values."""

    fields: Mapping[str, "FlowValue"]


@dataclass(frozen=True, slots=True)
class FirstValue:
    """The first of several values that a run has."""

    choices: tuple["FlowValue", ...]


FlowValue = CallerValue | FixedValue | ReplyValue | ObjectValue | FirstValue


@dataclass(frozen=True, slots=True)
class Next:
    """The next step: one for all replies (`word` is empty), or one for each value of the field at `pointer`.

    `over` replaces a step that has reached its limit; `done` follows when the step has no item left.
    """

    targets: Mapping[str, str]
    pointer: str = ""
    over: str = ""
    done: str = ""

    def find(self, reply: Any) -> str | None:
        """Return the next step after a reply; None if no word fits it."""
        return self.targets.get(to_word(value_at(reply, self.pointer)) if self.pointer else "")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of an agent; `limit` is the maximum number of visits in a run, 0 for any number."""

    name: str
    pack: str
    title: str
    inputs: Mapping[str, FlowValue]
    action: str = ""
    next: Next = field(default_factory=lambda: Next({"": END}))
    limit: int = 0

    @property
    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """The possible next steps, each with the words that lead to it."""
        found: dict[str, tuple[str, ...]] = {}
        extra = {"over the limit": self.next.over, "nothing left": self.next.done}
        for word, target in (*self.next.targets.items(), *extra.items()):
            if target:
                found[target] = (*found.get(target, ()), *([word] if word else []))
        return found

    def values(self) -> Iterator[tuple[str, FlowValue]]:
        """Iterate over all values of its inputs, those inside other values too, each with the name of the input."""
        for name, value in self.inputs.items():
            yield from ((name, found) for found in _all_values(value))

    def reply_values(self) -> Iterator[tuple[str, ReplyValue]]:
        """Iterate over the reply fields that its inputs use, each with the name of the input."""
        return ((name, value) for name, value in self.values() if isinstance(value, ReplyValue))

    @property
    def takes_items(self) -> bool:
        """Whether each visit takes the next item of a list."""
        return any(isinstance(value, CallerValue | ReplyValue) and value.is_next_item for _, value in self.values())


@dataclass(frozen=True, slots=True)
class DataEdge:
    """Data that one step passes to another."""

    source: str
    target: str
    label: str


@dataclass(frozen=True, slots=True)
class FlowFile:
    """The steps by name, in the order of the file; the first one starts."""

    steps: Mapping[str, Step]
    tools: tuple[str, ...]
    document: Document = field(repr=False, compare=False)

    @property
    def first(self) -> Step:
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
        order = {name: row for row, name in enumerate(self.steps)}
        return sorted(found, key=lambda edge: (order[edge.target], order[edge.source], edge.label))


def to_word(value: Any) -> str:
    """Return a value of a reply as `flow.yaml` writes it: `true` and `false` for booleans."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _all_values(value: FlowValue) -> Iterator[FlowValue]:
    yield value
    inner = value.fields.values() if isinstance(value, ObjectValue) else getattr(value, "choices", ())
    for one in inner:
        yield from _all_values(one)
