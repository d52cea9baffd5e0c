"""Small charts as inline SVG: intervals, bars and histograms.

Widths are per cent and heights pixels, so that a chart fits a phone and its text keeps its size.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from promptpack.page.frame import escape

KINDS: Final = ("first", "second")
_EDGE: Final = 2.0
_BINS: Final = 16
_BAR_SPACE: Final = 74.0
_PLOT_HEIGHT: Final = 110


class Scale(NamedTuple):
    """The values of the left and the right edge of a chart."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return where a value is, in per cent of the width."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return _EDGE + (100 - 2 * _EDGE) * min(1.0, max(0.0, share))


class IntervalRow(NamedTuple):
    """One interval: its label, its ends, and the number of its colour."""

    label: str
    text: str
    estimate: float
    low: float
    high: float
    colour: int = 0


def interval_chart(
    rows: Sequence[IntervalRow],
    scale: Scale,
    ticks: Sequence[tuple[float, str]],
    *,
    zero: float | None = None,
    band: tuple[float, float] | None = None,
) -> str:
    """Draw a dot with its interval for each row; `zero` is a dashed line, `band` a shaded range."""
    height = 44 * len(rows)
    parts = []
    if band:
        left, right = map(scale.place, band)
        parts.append(f'<rect class="band" x="{left:.2f}%" y="0" width="{right - left:.2f}%" height="{height}"/>')
    if zero is not None:
        parts.append(_line("zero", scale.place(zero), 0, scale.place(zero), height))
    for number, row in enumerate(rows):
        parts += _interval(row, scale, 44 * number)
    parts += _axis(scale, ticks, height)
    return _svg(height + 24, parts, "; ".join(f"{row.label}: {row.text}" for row in rows))


def bar_chart(rows: Sequence[tuple[str, Sequence[tuple[float, str]]]]) -> str:
    """Draw a group of bars for each row: a label, then the value and the text of each bar."""
    largest = max((value for _, bars in rows for value, _ in bars), default=0.0) or 1.0
    parts, top = [], 0
    for label, bars in rows:
        parts.append(f'<text x="0" y="{top + 13}">{escape(label)}</text>')
        top += 20
        for colour, (value, text) in enumerate(bars):
            width = _BAR_SPACE * value / largest
            parts.append(f'<rect class="{KINDS[colour]}" x="0" y="{top}" width="{width:.2f}%" height="12" rx="2"/>')
            parts.append(f'<text class="quiet" x="{width + 1:.2f}%" y="{top + 10}">{escape(text)}</text>')
            top += 16
        top += 8
    return _svg(top, parts, "; ".join(f"{label}: {', '.join(text for _, text in bars)}" for label, bars in rows))


def histogram(series: Sequence[Sequence[float]], write: Callable[[float], str], title: str) -> str:
    """Draw how often values occur, the series side by side; the last bar has all outliers. `write` prints a value."""
    known = sorted(value for values in series for value in values)
    highest = min(known[-1], 2 * known[int(0.95 * (len(known) - 1))]) or 1.0 if known else 1.0
    counts = [_count(values, highest) for values in series]
    tallest = max((max(one) for one in counts), default=0) or 1
    scale, width = Scale(0.0, float(_BINS)), 0.88 * (100 - 2 * _EDGE) / _BINS / len(counts)
    parts = []
    for colour, one in enumerate(counts):
        for number, count in enumerate(one):
            if count:
                height = max(1.0, _PLOT_HEIGHT * count / tallest)
                left = scale.place(number) + colour * width
                parts.append(
                    f'<rect class="{KINDS[colour]}" x="{left:.2f}%" y="{_PLOT_HEIGHT - height:.1f}"'
                    f' width="{width:.2f}%" height="{height:.1f}"/>'
                )
    more = "≥ " if known and known[-1] > highest else ""
    ticks = [(share * _BINS, write(share * highest)) for share in (0.0, 0.25, 0.5, 0.75)]
    ticks.append((float(_BINS), f"{more}{write(highest)}"))
    return _svg(_PLOT_HEIGHT + 24, [*parts, *_axis(scale, ticks, _PLOT_HEIGHT)], title)


def legend(labels: Sequence[str]) -> str:
    """Name the colours of the series."""
    spans = (f'<span><i class="{kind}"></i>{escape(label)}</span>' for label, kind in zip(labels, KINDS, strict=False))
    return f'<p class="legend">{"".join(spans)}</p>'


def _interval(row: IntervalRow, scale: Scale, top: int) -> list[str]:
    left, middle, right, kind = *map(scale.place, (row.low, row.estimate, row.high)), KINDS[row.colour]
    level = top + 30
    return [
        f'<text x="0" y="{top + 15}">{escape(row.label)}</text>',
        f'<text class="quiet" x="100%" y="{top + 15}" text-anchor="end">{escape(row.text)}</text>',
        f'<g class="{kind}" stroke-width="3">{_line("", left, level, right, level)}</g>',
        f'<g class="{kind}" stroke-width="2">{_end(left, level)}{_end(right, level)}</g>',
        f'<circle class="{kind}" cx="{middle:.2f}%" cy="{level}" r="5"/>',
    ]


def _end(place: float, level: int) -> str:
    return _line("", place, level - 5, place, level + 5)


def _axis(scale: Scale, ticks: Sequence[tuple[float, str]], level: int) -> list[str]:
    parts = [_line("axis", _EDGE, level, 100 - _EDGE, level)]
    for number, (value, text) in enumerate(ticks):
        anchor = "start" if number == 0 else "end" if number == len(ticks) - 1 else "middle"
        place = 0.0 if number == 0 else 100.0 if number == len(ticks) - 1 else scale.place(value)
        parts.append(_line("axis", scale.place(value), level, scale.place(value), level + 4))
        parts.append(
            f'<text class="quiet" x="{place:.2f}%" y="{level + 18}" text-anchor="{anchor}">{escape(text)}</text>'
        )
    return parts


def _line(kind: str, left: float, top: float, right: float, bottom: float) -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<line{name} x1="{left:.2f}%" y1="{top}" x2="{right:.2f}%" y2="{bottom}"/>'


def _count(values: Sequence[float], highest: float) -> list[int]:
    counts = [0] * _BINS
    for value in values:
        counts[int(min(_BINS - 1, _BINS * value / highest))] += 1
    return counts


def _svg(height: int, parts: Sequence[str], description: str) -> str:
    return f'<svg role="img" aria-label="{escape(description)}" height="{height}">{"".join(parts)}</svg>'
