import pytest

from promptpack.schema.pointers import MISSING, find_at, value_at


def test_a_pointer_that_leads_nowhere_is_missing() -> None:
    assert find_at({"a": [{"b~/": None}]}, "/a/0/b~0~1") is None
    assert all(find_at({"a": [1]}, one) is MISSING for one in ("/b", "/a/1", "/a/-1", "/a/x", "/a/0/c", "/a/٠"))
    assert find_at([1], "") == [1]


def test_a_required_value_raises_with_the_pointer() -> None:
    assert value_at({"a": [None]}, "/a/0") is None
    with pytest.raises(LookupError, match="/a/1"):
        value_at({"a": [None]}, "/a/1")
