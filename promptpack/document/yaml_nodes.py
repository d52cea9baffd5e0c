"""YAML nodes: the positions of a document's keys and values, read in a second pass when a problem needs a location."""

from __future__ import annotations

from typing import Any, Final

from promptpack.problem import Location

BLOCKS: Final = ("|", ">")
# Takes the place of a key inside a list.
_ITEM: Final = object()


class YamlNode:
    """The position of a value, from its start event; lines and columns count from 1, offsets from 0."""

    __slots__ = ("_event",)

    def __init__(self, event: Any) -> None:
        self._event = event

    @property
    def line(self) -> int:
        """The line of its first character."""
        return self._event.start_mark.line + 1  # type: ignore[no-any-return]

    @property
    def column(self) -> int:
        """The column of its first character."""
        return self._event.start_mark.column + 1  # type: ignore[no-any-return]

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self._event.start_mark.index  # type: ignore[no-any-return]

    @property
    def end(self) -> int:
        """The offset after its last character; for a mapping or list, after its start token."""
        return self._event.end_mark.index  # type: ignore[no-any-return]

    @property
    def style(self) -> str:
        """The style of a scalar: a quote, `|` or `>`; empty for any other value."""
        return getattr(self._event, "style", None) or ""

    @property
    def value(self) -> str:
        """The text of a scalar."""
        return getattr(self._event, "value", "")

    def locate(self, path: str, text: str) -> Location:
        """Return the location of a key or scalar; of any other value, and of a block, that of its first word."""
        if not hasattr(self._event, "style") or self.style in BLOCKS:
            return Location(path, self.line, self.column)._with_word(text, self.start)
        end = self._event.end_mark
        return Location(path, self.line, self.column, end.line + 1, end.column + 1)

    def key(self, _step: str | int, /) -> YamlNode | None:
        """Return the node of a key, or None."""
        return None

    def child(self, _step: str | int, /) -> YamlNode | None:
        """Return the node of a child value, or None."""
        return None


class YamlMapping(YamlNode):
    """The positions of a mapping, its keys and its values."""

    __slots__ = ("children", "keys")

    def __init__(self, event: Any) -> None:
        super().__init__(event)
        self.keys: dict[str, YamlNode] = {}
        self.children: dict[str, YamlNode] = {}

    def key(self, step: str | int, /) -> YamlNode | None:
        """Return the node of a key, or None."""
        return self.keys.get(step)  # type: ignore[arg-type]

    def child(self, step: str | int, /) -> YamlNode | None:
        """Return the node of a key's value, or None."""
        return self.children.get(step)  # type: ignore[arg-type]


class YamlSequence(YamlNode):
    """The positions of a list and its items."""

    __slots__ = ("children",)

    def __init__(self, event: Any) -> None:
        super().__init__(event)
        self.children: list[YamlNode] = []

    def child(self, step: str | int, /) -> YamlNode | None:
        """Return the node of an item, or None."""
        return self.children[step] if isinstance(step, int) and step < len(self.children) else None


def read_nodes(text: str) -> YamlNode:
    """Return the root node of a text that was parsed before; it is not validated again."""
    from yaml import events
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out

    get_event = CParser(text).get_event
    top = YamlSequence(get_event())
    anchors: dict[str, YamlNode] = {}
    # The innermost container, and the key whose value comes next: None if a key comes next.
    container: Any = top
    key: Any = _ITEM
    stack: list[tuple[Any, Any]] = []
    while True:
        event: Any = get_event()
        kind = type(event)
        if kind is events.ScalarEvent:
            node: YamlNode = YamlNode(event)
        elif kind is events.MappingStartEvent:
            node = YamlMapping(event)
        elif kind is events.SequenceStartEvent:
            node = YamlSequence(event)
        elif kind is events.AliasEvent:
            node = anchors[event.anchor]
        elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
            container, key = stack.pop()
            continue
        elif kind is events.StreamEndEvent:
            return top.children[0] if top.children else top
        else:
            continue
        if event.anchor is not None:
            anchors[event.anchor] = node
        if key is None:
            key = event.value
            container.keys[key] = node
            continue
        if key is _ITEM:
            container.children.append(node)
        else:
            container.children[key] = node
            key = None
        if kind is events.MappingStartEvent or kind is events.SequenceStartEvent:
            stack.append((container, key))
            container, key = node, None if kind is events.MappingStartEvent else _ITEM
