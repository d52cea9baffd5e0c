"""A `Flow` as SVG, for any viewer: plain shapes and attributes, every line in a lane of its own, no text on a line."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal

from promptpack.characters import visible
from promptpack.flow.model import END, Flow
from promptpack.flow.parts import feeds

_Side = Literal["right", "left"]
_TOP: Final = 56
_BOX: Final = 64
_GAP: Final = 40
_PORT: Final = 22
_LANE: Final = 16
_LINE: Final = 16
_PAD: Final = 16
_FONT: Final = '"DejaVu Sans", Verdana, Arial, sans-serif'
_INK: Final = {"right": "#1d4ed8", "left": "#92400e"}
_LEGEND: Final = {"right": "way: who is next", "left": "data: what is fed"}
_SIZE: Final = 12
_LARGE: Final = 15
_ARROW: Final = (
    '<marker id="{side}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="{colour}"/></marker>'
)


def to_svg(flow: Flow) -> str:
    """Draw the flow: steps from top to bottom, ways on the right, data on the left."""
    return "\n".join(_Picture(flow).draw()) + "\n"


@dataclass(slots=True)
class _Line:
    """A way or a feed from one box to another; its ports are counted from the top of each box."""

    source: int
    target: int
    side: _Side
    labels: tuple[str, ...]
    lane: int = 0
    out: int = 0
    into: int = 0


@dataclass(slots=True)
class _Box:
    name: str
    title: str
    top: int = 0
    ports: dict[_Side, int] = field(default_factory=lambda: {"right": 0, "left": 0})

    @property
    def height(self) -> int:
        return max(_BOX, _PORT * (max(self.ports.values()) + 1))

    def take_port(self, side: _Side) -> int:
        self.ports[side] += 1
        return self.ports[side]


class _Picture:
    def __init__(self, flow: Flow) -> None:
        self._boxes = [_Box(_shown(name), _shown(step.title)) for name, step in flow.steps.items()] + [_Box("", END)]
        rows = {name: row for row, name in enumerate((*flow.steps, END))}
        ways = [
            _Line(rows[name], rows.get(target, rows[END]), "right", tuple(map(_shown, words)))
            for name, step in flow.steps.items()
            for target, words in step.targets.items()
        ]
        self._straight = [way for way in ways if way.target == way.source + 1]
        self._ways = [way for way in ways if way.target != way.source + 1]
        self._data = [
            _Line(rows[feed.source], rows[feed.target], "left", (_shown(feed.label),)) for feed in feeds(flow)
        ]
        self._place_ports()
        self._place_boxes()
        texts = [width for box in self._boxes for width in (_width(box.name, _LARGE), _width(box.title))]
        self._box_width = max(240, *texts) + 2 * _PAD
        room = {"right": _room("right", self._ways), "left": _room("left", self._data)}
        # The labels of straight ways stand in the right half below the boxes.
        below = max((_width(word) for way in self._straight for word in way.labels), default=0)
        room["right"] = max(room["right"], below + 2 * _PAD - self._box_width // 2)
        self._left = _PAD + _lanes(self._data) * _LANE + room["left"]
        self._right = self._left + self._box_width
        self._lane_start = {"right": self._right + room["right"], "left": self._left - room["left"]}
        self._middle = self._left + self._box_width // 2

    def draw(self) -> Iterator[str]:
        """Give the lines of the file."""
        width = self._lane_start["right"] + _lanes(self._ways) * _LANE + _PAD
        height = self._boxes[-1].top + self._boxes[-1].height + _GAP
        arrows = "".join(_ARROW.format(side=side, colour=colour) for side, colour in _INK.items())
        size = f'width="{width}" height="{height}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">'
        yield f"<title>Which agent follows which</title><defs>{arrows}</defs>"
        yield f'<rect {size} fill="#ffffff"/>'
        yield f"<g font-family='{_FONT}' font-size=\"{_SIZE}\">"
        yield _text(_LEGEND["right"], self._right + _PAD // 2, 28, _INK["right"])
        yield _text(_LEGEND["left"], self._left - _PAD // 2, 28, _INK["left"], "end")
        for line in (*self._ways, *self._data):
            yield from self._bent(line)
        for line in self._straight:
            yield from self._down(line)
        for box in self._boxes[:-1]:
            yield from self._box(box)
        yield from self._end(self._boxes[-1])
        yield "</g>\n</svg>"

    def _place_ports(self) -> None:
        """Give every line ends of its own; all feeds of one step leave it together, in one lane."""
        for lane, way in enumerate(self._ways):
            way.lane, way.out = lane, self._boxes[way.source].take_port("right")
        lanes: dict[int, _Line] = {}
        for feed in self._data:
            if feed.source not in lanes:
                feed.lane, feed.out = len(lanes), self._boxes[feed.source].take_port("left")
                lanes[feed.source] = feed
            feed.lane, feed.out = lanes[feed.source].lane, lanes[feed.source].out
        for line in (*self._ways, *self._data):
            line.into = self._boxes[line.target].take_port(line.side)

    def _place_boxes(self) -> None:
        top = _TOP
        words = {way.source: len(way.labels) for way in self._straight}
        for row, box in enumerate(self._boxes):
            box.top = top
            top += box.height + _GAP + _LINE * words.get(row, 0)

    def _bent(self, line: _Line) -> Iterator[str]:
        """Draw a line that leaves its box, runs down or up its lane, and comes back; its label stands on an end."""
        sign = 1 if line.side == "right" else -1
        edge = self._right if line.side == "right" else self._left
        lane = self._lane_start[line.side] + sign * line.lane * _LANE
        start, end = self._boxes[line.source].top + line.out * _PORT, self._boxes[line.target].top + line.into * _PORT
        bend = 8 if end > start else -8
        tip = self._middle + 46 if line.side == "right" and line.target == len(self._boxes) - 1 else edge
        dashes = ' stroke-dasharray="5 4"' if line.side == "left" else ""
        yield (
            f'<path fill="none" stroke="{_INK[line.side]}" stroke-width="1.5"{dashes} marker-end="url(#{line.side})" '
            f'd="M{edge} {start} H{lane - sign * 8} Q{lane} {start} {lane} {start + bend} V{end - bend} '
            f'Q{lane} {end} {lane - sign * 8} {end} H{tip + sign * 3}"/>'
        )
        label = ", ".join(line.labels)
        if line.side == "right":
            yield _text(label, edge + _PAD // 2, start - 5, _INK["right"])
        else:
            yield _text(label, edge - _PAD, end - 5, _INK["left"], "end")

    def _down(self, line: _Line) -> Iterator[str]:
        above, below = self._boxes[line.source], self._boxes[line.target]
        start = above.top + above.height
        yield (
            f'<path fill="none" stroke="{_INK["right"]}" stroke-width="1.5" marker-end="url(#right)" '
            f'd="M{self._middle} {start} V{below.top - 2}"/>'
        )
        for index, word in enumerate(line.labels):
            yield _text(word, self._middle + _PAD // 2, start + 24 + index * _LINE, _INK["right"])

    def _box(self, box: _Box) -> Iterator[str]:
        middle = box.top + box.height // 2
        yield (
            f'<rect x="{self._left}" y="{box.top}" width="{self._box_width}" height="{box.height}" rx="9" '
            'fill="#f8fafc" stroke="#334155" stroke-width="1.5"/>'
        )
        yield _text(box.name, self._middle, middle - 4, "#1f2937", "middle", size=_LARGE, weight="bold")
        yield _text(box.title, self._middle, middle + 16, "#4b5563", "middle")

    def _end(self, box: _Box) -> Iterator[str]:
        yield (
            f'<rect x="{self._middle - 44}" y="{box.top}" width="88" height="{box.height}" rx="18" fill="#e2e8f0" '
            'stroke="#334155"/>'
        )
        yield _text(box.title, self._middle, box.top + box.height // 2 + 4, "#1f2937", "middle")


def _room(side: _Side, lines: Iterable[_Line]) -> int:
    """Say how much room the texts of a side need between the boxes and the lanes."""
    return max(_width(text) for text in (_LEGEND[side], *(", ".join(line.labels) for line in lines))) + 2 * _PAD


def _lanes(lines: Iterable[_Line]) -> int:
    return max((line.lane + 1 for line in lines), default=0)


def _text(text: str, x: int, y: int, colour: str, anchor: str = "start", **more: str | int) -> str:
    font = "".join(f' font-{name}="{value}"' for name, value in more.items())
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}"{font}>{escape(text)}</text>'


def _width(text: str, size: int = _SIZE) -> int:
    """Say how wide a text is at most; Chinese characters are as wide as they are high."""
    return int(sum(size if unicodedata.east_asian_width(one) in "WF" else size * 0.66 for one in text))


def _shown(text: str) -> str:
    return " ".join(visible(text).split())
