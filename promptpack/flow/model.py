"""The `Flow`: steps, what each is fed with, and where each leads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from promptpack.document import Document

# Where a flow ends.
END: Final = "end"
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A value that the caller gives."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that the flow itself says."""

    value: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """A part of an earlier step's reply, by the action it took and a JSON pointer."""

    step: str
    action: str
    pointer: str
    place: Path

    def take(self, reply: Any) -> Any:
        """Take the part out of a reply."""
        for name in steps_of(self.pointer):
            reply = reply[int(name)] if isinstance(reply, list) else reply[name]
        return reply


@dataclass(frozen=True, slots=True)
class Composed:
    """An object that is put together from other values."""

    fields: Mapping[str, "Value"]


Value = Given | Fixed | Reply | Composed


@dataclass(frozen=True, slots=True)
class Routes:
    """The ways that a step may lead, by a word of its reply."""

    pointer: str
    ways: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """One agent's turn."""

    name: str
    pack: str
    title: str
    inputs: Mapping[str, Value]
    action: str = ""
    then: str = END
    routes: Routes | None = None

    @property
    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """Where it leads, each with the words that lead there."""
        if self.routes is None:
            return {self.then: ()}
        found: dict[str, tuple[str, ...]] = {}
        for word, target in self.routes.ways.items():
            found[target] = (*found.get(target, ()), word)
        return found

    def parts(self) -> Iterator[tuple[str, Reply]]:
        """Give the parts of replies that it is fed with, each with the input it goes to."""
        for name, value in self.inputs.items():
            yield from ((name, part) for part in _replies(value))


@dataclass(frozen=True, slots=True)
class Flow:
    """The steps by name, in the order of the file; the first one begins."""

    steps: Mapping[str, Step]
    tools: tuple[str, ...]
    document: Document = field(repr=False, compare=False)

    @property
    def start(self) -> Step:
        """The step that begins."""
        return next(iter(self.steps.values()))


def steps_of(pointer: str) -> list[str]:
    """Take a JSON pointer apart."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _replies(value: Value) -> Iterator[Reply]:
    if isinstance(value, Reply):
        yield value
    elif isinstance(value, Composed):
        for inner in value.fields.values():
            yield from _replies(inner)
