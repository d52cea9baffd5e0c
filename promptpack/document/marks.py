"""The places of a document's keys and values, read in a second pass that only a problem asks for."""

from __future__ import annotations

from promptpack.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True)
class Marks:
    """Where a value stands; lines and columns count from 1, offsets from 0."""

    line: int = 1
    column: int = 1
    start: int = 0
    end: int = 0
    style: str = ""
    value: str = ""

    def key(self, _step: str | int, /) -> tuple[int, int] | None:
        """Give the line and column of a key; None where there is none."""
        return None

    def child(self, _step: str | int, /) -> Marks | None:
        """Give where a value inside stands; None where there is none."""
        return None


@dataclass(frozen=True)
class MapMarks(Marks):
    """Where a mapping, its keys and its values stand."""

    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    children: dict[str, Marks] = field(default_factory=dict)

    def key(self, step: str | int, /) -> tuple[int, int] | None:
        """Give the line and column of a key; None where there is none."""
        return self.keys.get(step)  # type: ignore[arg-type]

    def child(self, step: str | int, /) -> Marks | None:
        """Give where the value of a key stands; None where there is none."""
        return self.children.get(step)  # type: ignore[arg-type]


@dataclass(frozen=True)
class SequenceMarks(Marks):
    """Where a list and its items stand."""

    children: list[Marks] = field(default_factory=list)

    def child(self, step: str | int, /) -> Marks | None:
        """Give where an item stands; None where there is none."""
        return self.children[step] if isinstance(step, int) and step < len(self.children) else None


def read_marks(text: str) -> Marks:
    """Read the places of everything in a text that has been parsed before, so nothing is checked again."""
    import yaml
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out

    parser = CParser(text)
    root = Marks()
    stack: list[tuple[MapMarks | SequenceMarks, str | None]] = []
    anchors: dict[str, Marks] = {}
    while True:
        event: Any = parser.get_event()
        kind = type(event)
        if event is None or kind is yaml.StreamEndEvent:
            return root
        if issubclass(kind, yaml.CollectionEndEvent):
            stack.pop()
            continue
        if not issubclass(kind, yaml.NodeEvent):
            continue
        if stack and isinstance(stack[-1][0], MapMarks) and stack[-1][1] is None:
            owner = stack[-1][0]
            stack[-1] = (owner, event.value)
            owner.keys[event.value] = (event.start_mark.line + 1, event.start_mark.column + 1)
            continue
        marks = anchors[event.anchor] if kind is yaml.AliasEvent else _marks_of(event)
        if kind is not yaml.AliasEvent and event.anchor:
            anchors[event.anchor] = marks
        if stack:
            _attach(stack, marks)
        else:
            root = marks
        if issubclass(kind, yaml.CollectionStartEvent):
            stack.append((marks, None))  # type: ignore[arg-type]  # a start event made a map or a sequence


def _marks_of(event: Any) -> Marks:
    import yaml

    start, end = event.start_mark, event.end_mark
    place = (start.line + 1, start.column + 1, start.index, end.index)
    if isinstance(event, yaml.MappingStartEvent):
        return MapMarks(*place)
    if isinstance(event, yaml.SequenceStartEvent):
        return SequenceMarks(*place)
    return Marks(*place, style=event.style or "", value=event.value)


def _attach(stack: list[tuple[MapMarks | SequenceMarks, str | None]], marks: Marks) -> None:
    owner, key = stack[-1]
    if isinstance(owner, SequenceMarks):
        owner.children.append(marks)
    else:
        assert key is not None  # noqa: S101 -- a mapping's value always follows its key
        owner.children[key] = marks
        stack[-1] = (owner, None)
