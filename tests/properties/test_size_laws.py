"""Counting the brackets of strict JSON never underestimates its depth."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from promptpack.reply.candidates import depth_of
from promptpack.reply.size import may_nest_deeper

SCALARS = st.just(0) | st.text("[]{}x", max_size=3)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text("[]{}k", max_size=2), inner))


@given(st.lists(VALUES))
def test_a_value_is_not_deeper_than_its_brackets(value: list[Any]) -> None:
    for most in range(8):
        assert depth_of(value) <= most or may_nest_deeper(json.dumps(value).encode(), most)
