import json

from hypothesis import given
from hypothesis import strategies as st

from promptpack.trial.json_search import find_json, is_equal

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)  # fmt: skip
CONTAINERS = st.lists(VALUES) | st.dictionaries(st.text(), VALUES)
PROSE = st.text(st.characters(exclude_characters='{}[]"'))


@given(st.lists(st.tuples(PROSE, CONTAINERS), max_size=3), PROSE)
def test_every_outermost_value_is_found(parts: list[tuple[str, object]], end: str) -> None:
    text = "".join(f"{prose}{json.dumps(value)}" for prose, value in parts) + end
    assert list(find_json(text)) == [value for _, value in parts]


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    list(find_json(text))


def test_brackets_that_open_nothing_are_skipped_within_limits() -> None:
    assert list(find_json("[" * 100_000)) == []
    assert list(find_json('{% if %} {{ x }} {"a": 1}')) == [{"a": 1}]
    assert list(find_json("{" * 3_000 + '{"a": 1}')) == []


def test_numbers_are_equal_as_in_json_schema() -> None:
    assert is_equal({"a": [1.0]}, {"a": [1]})
    assert not is_equal(True, 1)
    assert not is_equal(None, 0)
