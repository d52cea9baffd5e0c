"""Go's JSON parser and number format, compared with Python where the two agree."""

import json
import math
import re
from typing import Any, NoReturn

from hypothesis import example, given, settings
from hypothesis import strategies as st

from promptpack.template.history import go_json, go_text
from promptpack.template.history.go_format import format_float

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)
SCRAPS = st.sampled_from(
    [*list('{}[]:,"\\ \t\r\n\x0b\x00-+.eE01u'), "null", "true", "NaN", "Infinity", "\\ud800", "\\u0041", "\\udc00", "\ufeff", "1e999", "'", "\xa0"]
)  # fmt: skip


@given(VALUES, st.booleans())
def test_json_written_by_python_is_read_as_python_reads_it(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert go_json.read(text) == as_go_value(json.loads(text))


@settings(max_examples=200)
@given(VALUES, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 3), SCRAPS), min_size=1, max_size=3))
@example([], [(0, 2, "[1,]")])
@example({}, [(0, 2, '{"a":1,"a":[2]}')])
@example("", [(0, 2, '"\\ud83d\\ude00\\ud800"')])
@example(0, [(0, 1, "-")])
@example(0, [(0, 1, "01")])
@example(0, [(0, 1, "1.")])
def test_go_and_python_refuse_the_same_texts(value: Any, edits: list[tuple[int, int, str]]) -> None:
    text = json.dumps(value)
    for start, length, scrap in edits:
        text = text[:start] + scrap + text[start + length :]
    assert read_or_error(go_json.read, text) == read_or_error(read_by_python, text)


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1e6)
@example(999999.0)
@example(1e-4)
@example(9.9999e-5)
@example(5e-324)
@example(-0.0)
def test_a_printed_number_parses_to_the_same_number(number: float) -> None:
    text = format_float(number)
    assert float(text) == number
    assert math.copysign(1, float(text)) == math.copysign(1, number)
    assert re.fullmatch(r"-?(\d+(\.\d*[1-9])?|\d(\.\d*[1-9])?e[+-]\d{2,3})", text)
    assert ("e" in text) == (number != 0 and not 1e-4 <= abs(number) < 1e6)


@given(st.text())
def test_lowercasing_keeps_the_number_of_code_points(text: str) -> None:
    assert len(go_text.lower(text)) == len(text)
    assert go_text.trim_space(go_text.trim_space(text)) == go_text.trim_space(text)


def read_by_python(text: str) -> Any:
    return as_go_value(json.loads(text, parse_constant=refuse))


def refuse(word: str) -> NoReturn:
    raise ValueError(word)


def as_go_value(value: Any) -> Any:
    """Convert numbers to float64 (None beyond its range) and lone surrogates to U+FFFD."""
    match value:
        case bool() | None:
            return value
        case int() | float():
            number = float(str(value))
            return number if math.isfinite(number) else None
        case str():
            return re.sub("[\ud800-\udfff]", "\ufffd", value)
        case list():
            return [as_go_value(item) for item in value]
        case _:
            return {as_go_value(key): as_go_value(item) for key, item in value.items()}


def read_or_error(read: Any, text: str) -> Any:
    try:
        return read(text)
    except ValueError:
        return ValueError
