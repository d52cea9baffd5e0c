"""A `FlowFile` as SVG for any viewer: plain shapes and attributes, one lane per line, no text on a line."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal

from promptpack.characters import visible
from promptpack.flow.model import END, FlowFile

_LaneSide = Literal["right", "left"]
_TOP: Final = 56
_BOX: Final = 64
_GAP: Final = 40
_PORT: Final = 22
_LANE: Final = 16
_LINE: Final = 16
_PAD: Final = 16
_FONT: Final = '"DejaVu Sans", Verdana, Arial, sans-serif'
_COLOUR: Final = {"right": "#1d4ed8", "left": "#92400e"}
_LEGEND: Final = {"right": "solid: the next step", "left": "dashed: data passed on"}
_SIZE: Final = 12
_LARGE: Final = 15
_ARROW: Final = (
    '<marker id="{side}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="{colour}"/></marker>'
)


def to_svg(flow: FlowFile) -> str:
    """Draw the flow: steps from top to bottom, next steps on the right, data on the left."""
    return "\n".join(_Picture(flow).draw()) + "\n"


@dataclass(slots=True)
class _Link:
    """A transition or a data edge between two boxes; its ports are counted from the top of each box."""

    source: int
    target: int
    side: _LaneSide
    labels: tuple[str, ...]
    lane: int = 0
    out: int = 0
    into: int = 0


@dataclass(slots=True)
class _Box:
    name: str
    title: str
    top: int = 0
    ports: dict[_LaneSide, int] = field(default_factory=lambda: {"right": 0, "left": 0})

    @property
    def height(self) -> int:
        return max(_BOX, _PORT * (max(self.ports.values()) + 1))

    def add_port(self, side: _LaneSide) -> int:
        self.ports[side] += 1
        return self.ports[side]


class _Picture:
    def __init__(self, flow: FlowFile) -> None:
        self._boxes = [_Box(_shown(name), _shown(step.title)) for name, step in flow.steps.items()] + [_Box("", END)]
        rows = {name: row for row, name in enumerate((*flow.steps, END))}
        transitions = [
            _Link(rows[name], rows.get(target, rows[END]), "right", tuple(map(_shown, words)))
            for name, step in flow.steps.items()
            for target, words in step.targets.items()
        ]
        self._straight = [line for line in transitions if line.target == line.source + 1]
        self._bent = [line for line in transitions if line.target != line.source + 1]
        self._data = [
            _Link(rows[edge.source], rows[edge.target], "left", (_shown(edge.label),)) for edge in flow.data_edges()
        ]
        self._place_ports()
        self._place_boxes()
        texts = [width for box in self._boxes for width in (_width(box.name, _LARGE), _width(box.title))]
        self._box_width = max(240, *texts) + 2 * _PAD
        space = {"right": _label_space("right", self._bent), "left": _label_space("left", self._data)}
        # Labels of straight lines are below the boxes, right of the middle.
        below = max((_width(word) for line in self._straight for word in line.labels), default=0)
        space["right"] = max(space["right"], below + 2 * _PAD - self._box_width // 2)
        self._left = _PAD + _lanes(self._data) * _LANE + space["left"]
        self._right = self._left + self._box_width
        self._lane_start = {"right": self._right + space["right"], "left": self._left - space["left"]}
        self._middle = self._left + self._box_width // 2

    def draw(self) -> Iterator[str]:
        """Iterate over the lines of the file."""
        width = self._lane_start["right"] + _lanes(self._bent) * _LANE + _PAD
        height = self._boxes[-1].top + self._boxes[-1].height + _GAP
        arrows = "".join(_ARROW.format(side=side, colour=colour) for side, colour in _COLOUR.items())
        size = f'width="{width}" height="{height}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">'
        yield f"<title>Which agent follows which</title><defs>{arrows}</defs>"
        yield f'<rect {size} fill="#ffffff"/>'
        yield f"<g font-family='{_FONT}' font-size=\"{_SIZE}\">"
        yield _text(_LEGEND["right"], self._right + _PAD // 2, 28, _COLOUR["right"])
        yield _text(_LEGEND["left"], self._left - _PAD // 2, 28, _COLOUR["left"], "end")
        for line in (*self._bent, *self._data):
            yield from self._draw_bent(line)
        for line in self._straight:
            yield from self._draw_straight(line)
        for box in self._boxes[:-1]:
            yield from self._draw_box(box)
        yield from self._draw_end(self._boxes[-1])
        yield "</g>\n</svg>"

    def _place_ports(self) -> None:
        """Assign separate ports to all lines; data edges from one step share a start port and a lane."""
        for lane, line in enumerate(self._bent):
            line.lane, line.out = lane, self._boxes[line.source].add_port("right")
        lanes: dict[int, _Link] = {}
        for line in self._data:
            if line.source not in lanes:
                line.lane, line.out = len(lanes), self._boxes[line.source].add_port("left")
                lanes[line.source] = line
            line.lane, line.out = lanes[line.source].lane, lanes[line.source].out
        for line in (*self._bent, *self._data):
            line.into = self._boxes[line.target].add_port(line.side)

    def _place_boxes(self) -> None:
        top = _TOP
        labels = {line.source: len(line.labels) for line in self._straight}
        for row, box in enumerate(self._boxes):
            box.top = top
            top += box.height + _GAP + _LINE * labels.get(row, 0)

    def _draw_bent(self, line: _Link) -> Iterator[str]:
        """Draw a line that leaves its box, runs along its lane and comes back; its label is above one end."""
        sign = 1 if line.side == "right" else -1
        edge = self._right if line.side == "right" else self._left
        lane = self._lane_start[line.side] + sign * line.lane * _LANE
        start, end = self._boxes[line.source].top + line.out * _PORT, self._boxes[line.target].top + line.into * _PORT
        bend = 8 if end > start else -8
        tip = self._middle + 46 if line.side == "right" and line.target == len(self._boxes) - 1 else edge
        dash = ' stroke-dasharray="5 4"' if line.side == "left" else ""
        yield (
            f'<path fill="none" stroke="{_COLOUR[line.side]}" stroke-width="1.5"{dash} marker-end="url(#{line.side})" '
            f'd="M{edge} {start} H{lane - sign * 8} Q{lane} {start} {lane} {start + bend} V{end - bend} '
            f'Q{lane} {end} {lane - sign * 8} {end} H{tip + sign * 3}"/>'
        )
        label = ", ".join(line.labels)
        if line.side == "right":
            yield _text(label, edge + _PAD // 2, start - 5, _COLOUR["right"])
        else:
            yield _text(label, edge - _PAD, end - 5, _COLOUR["left"], "end")

    def _draw_straight(self, line: _Link) -> Iterator[str]:
        above, below = self._boxes[line.source], self._boxes[line.target]
        start = above.top + above.height
        yield (
            f'<path fill="none" stroke="{_COLOUR["right"]}" stroke-width="1.5" marker-end="url(#right)" '
            f'd="M{self._middle} {start} V{below.top - 2}"/>'
        )
        for index, word in enumerate(line.labels):
            yield _text(word, self._middle + _PAD // 2, start + 24 + index * _LINE, _COLOUR["right"])

    def _draw_box(self, box: _Box) -> Iterator[str]:
        middle = box.top + box.height // 2
        yield (
            f'<g data-step="{escape(box.name)}"><rect x="{self._left}" y="{box.top}" width="{self._box_width}" '
            f'height="{box.height}" rx="9" fill="#f8fafc" stroke="#334155" stroke-width="1.5"/>'
        )
        yield _text(box.name, self._middle, middle - 4, "#1f2937", "middle", size=_LARGE, weight="bold")
        yield _text(box.title, self._middle, middle + 16, "#4b5563", "middle") + "</g>"

    def _draw_end(self, box: _Box) -> Iterator[str]:
        yield (
            f'<rect x="{self._middle - 44}" y="{box.top}" width="88" height="{box.height}" rx="18" fill="#e2e8f0" '
            'stroke="#334155"/>'
        )
        yield _text(box.title, self._middle, box.top + box.height // 2 + 4, "#1f2937", "middle")


def _label_space(side: _LaneSide, lines: Iterable[_Link]) -> int:
    """Return the width that the labels of a side need between the boxes and the lanes."""
    return max(_width(text) for text in (_LEGEND[side], *(", ".join(line.labels) for line in lines))) + 2 * _PAD


def _lanes(lines: Iterable[_Link]) -> int:
    return max((line.lane + 1 for line in lines), default=0)


def _text(text: str, x: int, y: int, colour: str, anchor: str = "start", **more: str | int) -> str:
    font = "".join(f' font-{name}="{value}"' for name, value in more.items())
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}"{font}>{escape(text)}</text>'


def _width(text: str, size: int = _SIZE) -> int:
    """Return the maximum width of a text; Chinese characters are as wide as they are high."""
    return int(sum(size if unicodedata.east_asian_width(one) in "WF" else size * 0.66 for one in text))


def _shown(text: str) -> str:
    return " ".join(visible(text).split())
