"""Charts: valid XML, all within the picture, all texts escaped."""

import re
from xml.etree.ElementTree import Element, fromstring  # our own text

from hypothesis import given
from hypothesis import strategies as st

from promptpack.page.charts import IntervalRow, Scale, bar_chart, histogram, interval_chart, legend
from promptpack.page.frame import escape, write_page

NUMBERS = st.floats(0, 1e6, allow_nan=False)
TEXTS = st.text(max_size=20)


def places_in(chart: str) -> list[float]:
    root = fromstring(chart)  # noqa: S314
    found = [one.get(name, "") for one in root.iter() for name in ("x", "x1", "x2", "cx", "width")]
    return [float(text[:-1]) for text in found if text.endswith("%")]


def texts_in(root: Element) -> list[str]:
    return [one.text or "" for one in root.iter("text")]


@given(TEXTS, st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted), NUMBERS)
def test_an_interval_stays_in_the_picture(label: str, ends: list[float], high: float) -> None:
    row = IntervalRow(label, "text", ends[1], ends[0], ends[2], 1)
    chart = interval_chart([row], Scale(0.0, high), [(0.0, "0"), (high, "end")], zero=0.0, band=(0.0, high))
    assert all(0 <= place <= 100 for place in places_in(chart))


@given(st.lists(st.tuples(TEXTS, st.lists(st.tuples(NUMBERS, TEXTS), min_size=1, max_size=2)), max_size=5))
def test_bars_stay_in_the_picture(rows: list[tuple[str, list[tuple[float, str]]]]) -> None:
    assert all(0 <= place <= 100 for place in places_in(bar_chart(rows)))


@given(st.lists(st.lists(NUMBERS, max_size=30), min_size=1, max_size=2))
def test_a_histogram_stays_in_the_picture(series: list[list[float]]) -> None:
    assert all(0 <= place <= 100.01 for place in places_in(histogram(series, str, "values")))


def test_outliers_are_in_the_last_bar() -> None:
    chart = histogram([[1.0] * 99 + [500.0]], lambda value: f"{value:g} s", "values")
    assert texts_in(fromstring(chart))[-1] == "≥ 2 s"  # noqa: S314


@given(TEXTS)
def test_text_stays_text(text: str) -> None:
    hostile = f"</title><script>{text}"
    page = write_page(hostile, legend([hostile]))
    assert "<script" not in page
    assert page.count("</title>") == 1


def test_characters_that_reorder_text_are_shown() -> None:
    assert escape("a\u202eb<") == "a\\u202eb&lt;"


def test_a_page_loads_nothing() -> None:
    page = write_page("t", "b")
    assert "default-src 'none'" in page
    assert not re.search(r"(?:https?:)?//|<script|@import|url\(", page)
