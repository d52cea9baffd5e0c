"""Laws of changes to tests: they never touch what they start from, and every part keeps a location."""

import json
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from promptpack.document import parse
from promptpack.pack.cases.draft_tests import ChangeError, CopyMeter, DraftTest
from promptpack.pack.placed import Placed

KEYS = st.sampled_from(["a", "b", "0", "1", "-"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["x", "y"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)
TESTS = st.fixed_dictionaries(
    {"name": st.just("t"), "context": st.dictionaries(KEYS, VALUES, max_size=3), "reply": VALUES}
)
POINTERS = st.lists(KEYS, max_size=4).map(lambda keys: ["context", *keys])


def draft_of(value: Any) -> DraftTest:
    placed = place(value)
    return DraftTest(placed.value, {(): (placed.document, ())}, CopyMeter())


def place(value: Any) -> Placed:
    document = parse(json.dumps(value), "packs/demo/1.0.0.yaml")
    return Placed(document.data, document, ())


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, one in inner for below in paths_of(one, (*path, key)))]


def merge(value: Any, change: Any) -> Any:
    if not (isinstance(value, dict) and isinstance(change, dict)):
        return change
    return {**value, **{key: merge(value[key], one) if key in value else one for key, one in change.items()}}


@given(TESTS, POINTERS, VALUES, POINTERS)
def test_changes_never_touch_what_they_start_from(test: Any, put: list[str], value: Any, removed: list[str]) -> None:
    first = draft_of(test)
    try:
        second = first.put(put, place({"v": value}).child("v"))
        third = second.remove(removed)
    except ChangeError:
        third = first
    assert first.value == test
    for path in paths_of(third.value):
        assert third.finish().document.locate(path).path == "packs/demo/1.0.0.yaml"


@given(TESTS, VALUES)
def test_sections_are_merged_by_key(test: Any, change: Any) -> None:
    expected = merge(deepcopy(test["reply"]), change)
    assert draft_of(test).merge(("reply",), place({"v": change}).child("v")).value["reply"] == expected


@given(TESTS, POINTERS, VALUES)
def test_a_value_is_at_the_place_where_it_was_put(test: Any, pointer: list[str], value: Any) -> None:
    try:
        changed = draft_of(test).put(pointer, place({"v": value}).child("v"))
    except ChangeError:
        return
    found: Any = changed.value
    for key in pointer:
        found = found[-1 if key == "-" and isinstance(found, list) else int(key) if isinstance(found, list) else key]
    assert found == value
