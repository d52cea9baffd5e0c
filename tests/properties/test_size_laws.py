"""Counting the brackets of strict JSON never underestimates its depth."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.reply.candidates import depth_of
from promptpack.reply.size import may_nest_deeper

SCALARS = st.just(0) | st.text("[]{}x", max_size=3)
# Many narrow values: they nest as deep as wide ones, and are drawn in a fraction of the time.
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("[]{}k", max_size=2), inner, max_size=4),
)


@settings(max_examples=200)
@given(st.lists(VALUES, max_size=4))
def test_a_value_is_not_deeper_than_its_brackets(value: list[Any]) -> None:
    depth, text = depth_of(value), json.dumps(value).encode()
    for most in range(8):
        assert depth <= most or may_nest_deeper(text, most)
