"""Entries of nested mappings are set and deleted; everything around them stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack.document import parse
from promptpack.document.entries import delete_entry, set_entry

NAMES = st.sampled_from(["planner", "router", "a", "b"])
LABELS = st.sampled_from(["production", "staging", "trial"])
VALUES = st.sampled_from(["1.0.0", "2.10.0-dev", "staging", "{1.0.0: 1, 2.0.0: 3}"])


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("labels:\n  a:\n    p: 1.0.0   # why\n    q: 2.0.0\n", "a p", "1.1.0", "labels:\n  a:\n    p: 1.1.0   # why\n    q: 2.0.0\n"),
        ("labels:\n  a:\n    p: '1.0.0'\n", "a p", "1.1.0", "labels:\n  a:\n    p: 1.1.0\n"),
        ("labels:\n  a:\n    p: 1.0.0\n# end\n", "a q", "2.0.0", "labels:\n  a:\n    p: 1.0.0\n    q: 2.0.0\n# end\n"),
        ("labels:\n  a:\n    p: 1.0.0", "b q", "2.0.0", "labels:\n  a:\n    p: 1.0.0\n  b:\n    q: 2.0.0\n"),
        ("labels: {a: {p: 1.0.0}} # x\n", "a q", "2.0.0", "labels: {a: {p: 1.0.0, q: 2.0.0}} # x\n"),
        ("labels: {a: {p: 1.0.0}}\n", "b q", "2.0.0", "labels: {a: {p: 1.0.0}, b: {q: 2.0.0}}\n"),
        ("labels:\n  a: {p: {1.0.0: 1, 2.0.0: 2}} # x\n", "a p", "1.1.0", "labels:\n  a: {p: 1.1.0} # x\n"),
        ("# top\nlabels: {}\n", "a p", "1.0.0", "# top\nlabels:\n  a:\n    p: 1.0.0\n"),
        ("labels:\r\n  a:\r\n    p: 1.0.0 # x\r\n", "a q", "2.0.0", "labels:\r\n  a:\r\n    p: 1.0.0 # x\r\n    q: 2.0.0\r\n"),
        ("labels:\n  a:\n    p:\n      1.0.0: 1 # c\n      2.0.0: 2\n    q: 1.0.0\n", "a p", "1.0.0", "labels:\n  a:\n    p: 1.0.0\n    q: 1.0.0\n"),
    ],
)  # fmt: skip
def test_an_entry_is_set(before: str, path: str, value: str, after: str) -> None:
    assert set_entry(before, parse(before, "labels.yaml"), ("labels", *path.split()), value) == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("labels:\n  a:\n    p: 1.0.0 # x\n    q: 2.0.0\n", "a p", "labels:\n  a:\n    q: 2.0.0\n"),
        ("labels:\n  a:\n    p: 1.0.0\n  b: {q: 2.0.0, r: 1.0.0}\n", "a p", "labels:\n  b: {q: 2.0.0, r: 1.0.0}\n"),
        ("labels:\n  b: {q: 2.0.0, r: 1.0.0}\n", "b q", "labels:\n  b: {r: 1.0.0}\n"),
        ("labels:\n  a:\n    p: 1.0.0\n# end\n", "a p", "labels: {}\n# end\n"),
    ],
)
def test_an_entry_is_deleted(before: str, path: str, after: str) -> None:
    assert delete_entry(before, parse(before, "labels.yaml"), ("labels", *path.split())) == after


def test_an_unusual_layout_is_not_changed() -> None:
    text = "labels: {a: &x {p: 1.0.0}, b: *x}\n"
    assert set_entry(text, parse(text, "labels.yaml"), ("labels", "b", "p"), "2.0.0") is None


@given(st.lists(st.tuples(NAMES, LABELS, VALUES), max_size=8), st.booleans())
def test_entries_keep_the_values_that_were_set(changes: list[tuple[str, str, str]], in_braces: bool) -> None:
    text = "labels: {z: {y: 1.0.0}}\n" if in_braces else "# head\nlabels:\n  z:\n    y: 1.0.0 # why\n# end\n"
    wanted: dict[str, dict[str, object]] = {"z": {"y": "1.0.0"}}
    for pack, label, value in changes:
        changed = set_entry(text, parse(text, "x"), ("labels", pack, label), value)
        assert changed is not None
        text = changed
        wanted.setdefault(pack, {})[label] = parse(value, "x").data
    assert parse(text, "x").data == {"labels": wanted}
    if not in_braces:
        assert text.startswith("# head\nlabels:\n  z:\n    y: 1.0.0 # why\n")
        assert text.endswith("# end\n")
