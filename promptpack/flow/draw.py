"""A `Flow` as a picture: Mermaid for pages that draw it themselves, SVG for all others."""

from html import escape
from typing import Final

from promptpack.flow.model import END, Flow, Step

# Mermaid takes the word "end" for its own.
_STOP: Final = "stop"
_WIDTH: Final = 260
_HEIGHT: Final = 64
_GAP: Final = 62
_LEFT: Final = 400
_TOP: Final = 56
_MARGIN: Final = 270
_STYLE: Final = """
  text { font: 13px "DejaVu Sans", system-ui, sans-serif; fill: #1f2937; }
  .way-text, .data-text { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
  .title { font-size: 12px; fill: #6b7280; } .name { font-weight: 600; font-size: 15px; }
  .step { fill: #f8fafc; stroke: #334155; stroke-width: 1.5; } .end { fill: #e2e8f0; stroke: #334155; }
  .way { fill: none; stroke: #2563eb; stroke-width: 1.8; } .way-text { fill: #1d4ed8; font-size: 12px; }
  .data { fill: none; stroke: #b45309; stroke-width: 1.4; stroke-dasharray: 5 4; }
  .data-text { fill: #92400e; font-size: 11.5px; }
"""
_ARROW: Final = (
    '<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="{colour}"/></marker>'
)
_ARROWS: Final = (
    f"""<defs>{_ARROW.format(name="way", colour="#2563eb")}{_ARROW.format(name="data", colour="#b45309")}</defs>"""
)


def to_mermaid(flow: Flow) -> str:
    """Write the flow for Mermaid: solid arrows are ways, dotted ones are data."""
    names = {name: f"s{index}" for index, name in enumerate(flow.steps)}
    lines = ["flowchart TD"]
    for name, step in flow.steps.items():
        lines.append(f'  {names[name]}["<b>{_quoted(name)}</b><br/>{_quoted(step.title)}"]')
    if any(END in step.targets for step in flow.steps.values()):
        lines.append(f"  {_STOP}([end])")
    for name, step in flow.steps.items():
        for target, words in step.targets.items():
            label = f"|{_quoted(', '.join(words))}|" if words else ""
            lines.append(f"  {names[name]} -->{label} {names.get(target, _STOP)}")
    for source, target, label in _data(flow):
        lines.append(f"  {names[source]} -. {_quoted(label)} .-> {names[target]}")
    return "\n".join(lines) + "\n"


def to_svg(flow: Flow) -> str:
    """Draw the flow: steps from top to bottom, ways on the right, data on the left."""
    rows = {name: index for index, name in enumerate(flow.steps)}
    rows[END] = len(flow.steps)
    ways = [(name, target, words) for name, step in flow.steps.items() for target, words in step.targets.items()]
    data = _data(flow)
    height = _TOP * 2 + len(rows) * _HEIGHT + (len(rows) - 1) * _GAP
    width = _LEFT + _WIDTH + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<style>{_STYLE}</style>",
        _ARROWS,
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text class="way-text" x="{_LEFT + _WIDTH + 16}" y="28">way: who is next</text>',
        f'<text class="data-text" x="{_LEFT - 16}" y="28" text-anchor="end">data: what is fed</text>',
    ]
    parts += _draw_ways(ways, rows)
    parts += _draw_data(data, rows)
    parts += [_box(step, rows[step.name]) for step in flow.steps.values()]
    middle = _LEFT + _WIDTH / 2
    top = _y(rows[END])
    parts.append(f'<rect class="end" x="{middle - 44}" y="{top + 14}" width="88" height="36" rx="18"/>')
    parts.append(f'<text x="{middle}" y="{top + 37}" text-anchor="middle">end</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _data(flow: Flow) -> list[tuple[str, str, str]]:
    """Give who feeds whom, and with what; two parts for one input are one line."""
    found = {
        (part.step, step.name, f"{part.pointer.strip('/').replace('/', '.') or 'whole reply'} → {name}")
        for step in flow.steps.values()
        for name, part in step.parts()
        if part.step in flow.steps
    }
    order = list(flow.steps)
    return sorted(found, key=lambda one: (order.index(one[1]), order.index(one[0]), one[2]))


def _y(row: int) -> int:
    return _TOP + row * (_HEIGHT + _GAP)


def _box(step: Step, row: int) -> str:
    top = _y(row)
    middle = _LEFT + _WIDTH / 2
    return (
        f'<rect class="step" x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" rx="9"/>'
        f'<text class="name" x="{middle}" y="{top + 27}" text-anchor="middle">{escape(step.name)}</text>'
        f'<text class="title" x="{middle}" y="{top + 47}" text-anchor="middle">{escape(step.title)}</text>'
    )


def _draw_ways(ways: list[tuple[str, str, tuple[str, ...]]], rows: dict[str, int]) -> list[str]:
    drawn: list[str] = []
    labels: list[str] = []
    right, lane = _LEFT + _WIDTH, 0
    for source, target, words in ways:
        start, end = rows[source], rows.get(target, rows[END])
        if end == start + 1:
            middle = _LEFT + _WIDTH / 2
            below = _y(end) + (12 if target == END else -2)
            drawn.append(f'<path class="way" marker-end="url(#way)" d="M{middle} {_y(start) + _HEIGHT} V{below}"/>')
            first = _y(start) + _HEIGHT + 36 - 7 * (len(words) - 1)
            labels += (_label(word, middle + 12, first + 14 * index) for index, word in enumerate(words))
            continue
        out = right + 34 + lane * 22
        y_out, y_in = _y(start) + 48 - lane * 10, _y(end) + _HEIGHT / 2
        tip = right + 3 if target != END else _LEFT + _WIDTH / 2 + 47
        drawn.append(
            f'<path class="way" marker-end="url(#way)" '
            f'd="M{right} {y_out} H{out - 10} Q{out} {y_out} {out} {y_out + (10 if end > start else -10)} '
            f'V{y_in - (10 if end > start else -10)} Q{out} {y_in} {out - 10} {y_in} H{tip}"/>'
        )
        middle = (y_out + y_in) / 2
        labels += (_label(word, out + 8, middle + 14 * index) for index, word in enumerate(words))
        lane += 1
    return [*drawn, *labels]


def _label(word: str, x: float, y: float) -> str:
    return f'<text class="way-text" x="{x}" y="{y}">{escape(word)}</text>'


def _draw_data(data: list[tuple[str, str, str]], rows: dict[str, int]) -> list[str]:
    drawn: list[str] = []
    arrivals: dict[str, int] = {}
    lanes: dict[str, int] = {}
    for source, target, label in data:
        lane = lanes.setdefault(source, len(lanes))
        slot = arrivals[target] = arrivals.get(target, 0) + 1
        out = _LEFT - 22 - lane * 14
        y_out, y_in = _y(rows[source]) + _HEIGHT - 14, _y(rows[target]) + 2 + slot * 13
        bend = 8 if y_in > y_out else -8
        drawn.append(
            f'<path class="data" marker-end="url(#data)" '
            f'd="M{_LEFT} {y_out} H{out + 8} Q{out} {y_out} {out} {y_out + bend} V{y_in - bend} '
            f'Q{out} {y_in} {out + 8} {y_in} H{_LEFT - 3}"/>'
        )
        text_at = _LEFT - 30 - len({one for one, _, _ in data}) * 14
        drawn.append(f'<text class="data-text" x="{text_at}" y="{y_in + 4}" text-anchor="end">{escape(label)}</text>')
    return drawn


def _quoted(text: str) -> str:
    return text.replace('"', "&quot;").replace("|", "/")
