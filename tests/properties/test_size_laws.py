"""A look at the brackets of strict JSON never takes a deep value for a shallow one."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from promptpack.reply.candidates import depth_of
from promptpack.reply.size import may_nest_deeper

SCALARS = st.just(0) | st.text("[]{}x", max_size=3)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text("[]{}k", max_size=2), inner))


@given(st.lists(VALUES))
def test_a_value_is_no_deeper_than_its_brackets_say(value: list[Any]) -> None:
    for most in range(8):
        assert depth_of(value) <= most or may_nest_deeper(json.dumps(value).encode(), most)
