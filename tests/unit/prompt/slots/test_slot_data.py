from collections import OrderedDict, deque
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from promptpack.pack.output.type_entry import TypeEntry
from promptpack.prompt.slots.slot_data import (
    copy_data,
    delete_at,
    find,
    find_in_dicts,
    inherit_data,
    merge_at,
    merge_data,
    set_at,
)


class Pair(NamedTuple):
    left: int
    right: int


def test_copying_converts_subclasses_to_plain_types() -> None:
    copy = copy_data({"a": OrderedDict(b=Pair(1, 2)), "c": deque([1])})
    assert copy == {"a": {"b": (1, 2)}, "c": deque([1])}
    assert [type(copy["a"]), type(copy["a"]["b"]), type(copy["c"])] == [dict, tuple, deque]


def test_copying_keeps_the_original_text_of_a_type() -> None:
    copy = copy_data([TypeEntry((str, "d"), "str")])
    assert isinstance(copy[0], TypeEntry)
    assert copy[0].written == "str"


@pytest.mark.parametrize(
    ("existing", "value", "result"),
    [
        ({"a": 1}, MappingProxyType({"b": 2}), {"a": 1, "b": 2}),
        ({"a": [1]}, {"a": (1, 2)}, {"a": [1, 2]}),
        ([1], b"\x02", [1, 2]),
        ([1], {"k": 1}, [1, {"k": 1}]),
        ([1], "ab", [1, "ab"]),
        ({1}, ["a"], {1, "a"}),
        ({1}, {"k": 2}, {1, "k"}),
        ({1}, "ab", {1, "ab"}),
        ({"a": 1}, [1], [1]),
        ((1,), (2,), (2,)),
        ("a", None, None),
    ],
)
def test_a_value_is_merged(existing: Any, value: Any, result: Any) -> None:
    assert merge_data(existing, value) == result


@pytest.mark.parametrize(
    ("own", "parent", "result"),
    [
        ({"b": 1}, {"a": 0, "b": 0}, {"a": 0, "b": 1}),
        ([2, 2], [1, 2, 3, 3], [2, 2, 1, 3]),
        ([1], "scalar", [1, "scalar"]),
        ([1], deque([5]), [1, deque([5])]),
        ([1], {2}, [1, 2]),
        ({1}, [2], {1, 2}),
        ({1}, "x", {1, "x"}),
        ((1,), (2,), (1,)),
        (None, {"a": 1}, None),
        ("text", ["a"], "text"),
    ],
)
def test_a_value_is_combined_with_its_parent(own: Any, parent: Any, result: Any) -> None:
    assert inherit_data(own, parent) == result


def test_find_looks_through_any_container() -> None:
    assert find({"a": MappingProxyType({"b": 1})}, "a.b") == (True, 1)
    assert find({"a": {"b": None}}, "a.b") == (True, None)
    assert find({"a.b": 1}, "a.b") == (False, None)
    with pytest.raises(TypeError, match="argument of type 'int' is not iterable"):
        find({"a": 5}, "a.b")


def test_find_in_dicts_looks_through_dicts_only() -> None:
    assert find_in_dicts({"a": {"b": 1}}, "a.b") == (True, 1)
    assert find_in_dicts({"a": MappingProxyType({"b": 1})}, "a.b") == (False, None)
    assert find_in_dicts({"a": 5}, "a.b") == (False, None)
    assert find_in_dicts({5: 1}, 5) == (True, 1)


def test_merging_at_a_path_converts_any_mapping_to_a_dict() -> None:
    proxy = MappingProxyType({"k": 1})
    assert type(merge_at({}, "a.b", proxy)["a"]["b"]) is dict
    assert merge_at({}, "a", proxy)["a"] is proxy


def test_setting_and_deleting_return_new_data() -> None:
    data = {"a": {"b": 1}}
    assert set_at(data, "a.c", 2) == {"a": {"b": 1, "c": 2}}
    assert delete_at(data, "a.b") == {"a": {}}
    assert delete_at(data, "a.x.y") == data
    assert data == {"a": {"b": 1}}
