"""Pictures of flows: nothing overlaps, and text is never read as markup."""

import re
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from promptpack.document import parse
from promptpack.flow.draw import to_svg
from promptpack.flow.mermaid import to_mermaid
from promptpack.flow.read_flow import read

ROOT = Path(__file__).parents[3]
SHIPPED = (ROOT / "packs" / "flow.yaml").read_text(encoding="utf-8")
# Transitions up, far down and to itself, many labels, and wide characters.
TANGLED = """\
flow: 1
steps:
  first:
    pack: a@^1
    title: 用户想要什么，以及为什么现在就想要
    next: {by: /w, to: {on: second, 继续执行并等待用户确认: second, back: third, far: fourth, out: end, around: first}}
  second:
    pack: a@^1
    inputs: {A: {from: first, path: /一个/很长的/路径}, B: {from: third}, C: {from: fourth}}
    next: {by: /w, to: {up: first, down: third}}
  third: {pack: a@^1, inputs: {A: {from: first}, B: {from: second}}, next: first}
  fourth: {pack: a@^1, inputs: {A: {from: first}, B: {from: third}}, next: second}
"""
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = """\
flow: 1
steps:
  first:
    pack: a@^1
    title: "\\"]<script>alert(1)</script>]]> %%{init}%% ;\\nclick s0 \\u0001\\u202e#quot; &amp;"
    next: {by: /w, to: {'"| s0 --> s0': end, "<b onload='x'>": end}}
"""


class Rectangle(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Rectangle") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def labels(root: ET.Element) -> list[Rectangle]:
    """Return the rectangle of each text outside a box, as DejaVu Sans draws it."""
    found = []
    for text in root.iter(SVG + "text"):
        wide = sum(12.0 if character > "\u2e80" else 7.4 for character in text.text or "")
        x, y, anchor = float(text.attrib["x"]), float(text.attrib["y"]), text.attrib["text-anchor"]
        if anchor != "middle":
            left = x if anchor == "start" else x - wide
            found.append(Rectangle(left, y - 9, left + wide, y + 3))
    return found


def strokes(root: ET.Element) -> list[Rectangle]:
    """Return the straight pieces of every line."""
    found = []
    for path in root.iter(SVG + "path"):
        x = y = 0.0
        for letter, numbers in re.findall(r"([MHVQ])([-\d. ]+)", path.get("d", "") if path.get("stroke") else ""):
            values = [float(number) for number in numbers.split()]
            to_x, to_y = (values[-1], y) if letter == "H" else (x, values[-1]) if letter == "V" else values[-2:]
            if letter in "HV":
                found.append(Rectangle(min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)))
            x, y = to_x, to_y
    return found


@pytest.mark.parametrize("text", [SHIPPED, TANGLED, HOSTILE])
def test_no_label_overlaps_a_line_or_another_label(text: str) -> None:
    root = ET.fromstring(to_svg(read(parse(text, "flow.yaml"))))  # noqa: S314 -- written here
    written = labels(root)
    assert len(written) > 2
    assert not [pair for pair in combinations(written, 2) if pair[0].overlaps(pair[1])]
    assert not [(label, stroke) for label in written for stroke in strokes(root) if label.overlaps(stroke)]
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert all(label.left >= 0 and label.right <= width and label.bottom <= height for label in written)


def test_no_two_transitions_share_a_lane() -> None:
    root = ET.fromstring(to_svg(read(parse(TANGLED, "flow.yaml"))))  # noqa: S314 -- written here
    right = max(
        float(box.attrib["x"]) + float(box.attrib["width"]) for box in root.iter(SVG + "rect") if "x" in box.attrib
    )
    lanes = [stroke for stroke in strokes(root) if stroke.left == stroke.right > right]
    assert len(lanes) == len({lane.left for lane in lanes}) == 7


def test_a_picture_uses_only_plain_shapes() -> None:
    drawn = to_svg(read(parse(SHIPPED, "flow.yaml")))
    assert not re.search(r"<style|paint-order|class=|<script|foreignObject", drawn)


def test_hostile_text_is_never_read_as_markup() -> None:
    flow = read(parse(HOSTILE, "flow.yaml"))
    svg, mermaid = to_svg(flow), to_mermaid(flow)
    root = ET.fromstring(svg)  # noqa: S314 -- written here
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {
        "svg", "title", "defs", "marker", "path", "rect", "g", "text",
    }  # fmt: skip
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e]", svg + mermaid)
    assert [line.split()[0] for line in mermaid.splitlines()] == ["flowchart", "s0[\"<b>first</b><br/>#34;#93;#60;script#62;alert(1)#60;/script#62;#93;#93;#62;", "stop([end])", "s0"]  # fmt: skip
    assert mermaid.splitlines()[-1].count('"') == 2
