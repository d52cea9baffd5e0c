import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from promptpack.reply.candidates import NOT_STRICT, strict_whole
from promptpack.reply.clean import read_clean

KEYS = st.sampled_from(["a", "b", ":", '"', "\\u0022", "é"])
TEXTS = st.text(':"\\{a', max_size=4) | KEYS
MEMBERS = st.tuples(KEYS, st.booleans())
DEEPEST = 5


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "at 12:30", "params": {"a": [1, 2.5, null, true]}, "risk": {}}',
        '[{"a": 1}, {"a": 2}]',
        '{"a": {"a": {"a": {"a": []}}}}',
        json.dumps([[[[{}]]] for _ in range(3)]),
        '{"number": ' + "9" * 400 + "}",
        '{"a\\u0022": "\\u0022\\\\"}',
    ],
)
def test_clean_json_is_parsed(text: str) -> None:
    assert read_clean(text, DEEPEST) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '{"a": {"b": 1, "b": 2}}',
        '{"a": [{"b": 1}, {"b": ":", "b": 2}]}',
        '{"a": 1, "a": "\\u0022\\u0022"}',
        '{"a": "\\\\u0022"}',
        '{"a": "Infinity"}',
        '{"a:b": 1, "c": 2, "c": 3}',
        '{"a": 1e999}',
        '{"a": [-1e999]}',
        '{"a": NaN}',
        '{"a": "\\ud800"}',
        '{"a": "\ud800"}',
        '{"a": 1} and more',
        '```json\n{"a": 1}\n```',
        '"text"',
        "1",
        "",
        "[[[[[[]]]]]]",
        '{"a": {"a": {"a": {"a": {"a": {}}}}}}',
    ],
)
def test_text_that_may_not_be_clean_json_is_left_to_the_reader(text: str) -> None:
    assert read_clean(text, DEEPEST) is None


def written(value: Any, escaped: bool = False) -> str:
    """Write JSON in which a list of pairs is an object that may repeat keys, and some quotes are escaped."""
    if isinstance(value, str):
        characters = (r"\u0022" if escaped and one == '"' else json.dumps(one)[1:-1] for one in value)
        return f'"{"".join(characters)}"'
    members = (f"{written(key, escaped)}: {written(item, escaped)}" for (key, escaped), item in value)
    return f"{{{', '.join(members)}}}"


@given(st.recursive(TEXTS, lambda inner: st.lists(st.tuples(MEMBERS, inner), max_size=4), max_leaves=12))
@example([(("a", False), "a"), (("a", True), '"' * 4)])
def test_a_repeated_key_is_never_lost(value: Any) -> None:
    text = written(value)
    found = read_clean(text, DEEPEST)
    assert found is None or (found == strict_whole(text) and strict_whole(text) is not NOT_STRICT)
