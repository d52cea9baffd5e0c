"""The places of a document's keys and values, read in a second pass that only a problem asks for."""

from __future__ import annotations

from typing import Any, Final

# Stands where a key would be, in a list.
_ITEM: Final = object()


class Marks:
    """Where a value stands, by the event of its start; lines and columns count from 1, offsets from 0."""

    __slots__ = ("_event",)
    style = ""
    value = ""

    def __init__(self, event: Any) -> None:
        self._event = event

    @property
    def line(self) -> int:
        """The line that it starts in."""
        return self._event.start_mark.line + 1  # type: ignore[no-any-return]

    @property
    def column(self) -> int:
        """The column that it starts in."""
        return self._event.start_mark.column + 1  # type: ignore[no-any-return]

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self._event.start_mark.index  # type: ignore[no-any-return]

    @property
    def end(self) -> int:
        """The offset behind it; of a mapping or list, behind what opens it."""
        return self._event.end_mark.index  # type: ignore[no-any-return]

    def key(self, _step: str | int, /) -> Marks | None:
        """Give where a key stands; None where there is none."""
        return None

    def child(self, _step: str | int, /) -> Marks | None:
        """Give where a value inside stands; None where there is none."""
        return None


class ScalarMarks(Marks):
    """Where a scalar stands, and how it is written."""

    __slots__ = ()

    @property
    def style(self) -> str:  # type: ignore[override]
        """What it is written with: a quote, `|` or `>`; nothing if it is plain."""
        return self._event.style or ""

    @property
    def value(self) -> str:  # type: ignore[override]
        """Its text."""
        return self._event.value  # type: ignore[no-any-return]


class MapMarks(Marks):
    """Where a mapping, its keys and its values stand."""

    __slots__ = ("children", "keys")

    def __init__(self, event: Any) -> None:
        super().__init__(event)
        self.keys: dict[str, Marks] = {}
        self.children: dict[str, Marks] = {}

    def key(self, step: str | int, /) -> Marks | None:
        """Give where a key stands; None where there is none."""
        return self.keys.get(step)  # type: ignore[arg-type]

    def child(self, step: str | int, /) -> Marks | None:
        """Give where the value of a key stands; None where there is none."""
        return self.children.get(step)  # type: ignore[arg-type]


class SequenceMarks(Marks):
    """Where a list and its items stand."""

    __slots__ = ("children",)

    def __init__(self, event: Any) -> None:
        super().__init__(event)
        self.children: list[Marks] = []

    def child(self, step: str | int, /) -> Marks | None:
        """Give where an item stands; None where there is none."""
        return self.children[step] if isinstance(step, int) and step < len(self.children) else None


def read_marks(text: str) -> Marks:
    """Read the places of everything in a text that has been parsed before, so nothing is checked again."""
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out
    from yaml.events import (
        AliasEvent,
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
        StreamEndEvent,
    )

    get_event = CParser(text).get_event
    nowhere = SequenceMarks(get_event())
    anchors: dict[str, Marks] = {}
    # The innermost container, and the key that waits for its value: None where a key is next.
    container: Any = nowhere
    key: Any = _ITEM
    stack: list[tuple[Any, Any]] = []
    while True:
        event: Any = get_event()
        kind = type(event)
        if kind is ScalarEvent:
            marks: Marks = ScalarMarks(event)
        elif kind is MappingStartEvent:
            marks = MapMarks(event)
        elif kind is SequenceStartEvent:
            marks = SequenceMarks(event)
        elif kind is AliasEvent:
            marks = anchors[event.anchor]
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            container, key = stack.pop()
            continue
        elif kind is StreamEndEvent:
            return nowhere.children[0] if nowhere.children else nowhere
        else:
            continue
        if event.anchor is not None:
            anchors[event.anchor] = marks
        if key is None:
            key = event.value
            container.keys[key] = marks
            continue
        if key is _ITEM:
            container.children.append(marks)
        else:
            container.children[key] = marks
            key = None
        if kind is MappingStartEvent or kind is SequenceStartEvent:
            stack.append((container, key))
            container, key = marks, None if kind is MappingStartEvent else _ITEM
