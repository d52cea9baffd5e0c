import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack.trial.nearest_text import find_nearest

TEXT = "You are a planner.\nSplit the goal into tasks of five to ten minutes.\n把目标拆分为可以执行的任务。"


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        ("You are the planner.", "You are a planner."),
        ("split a goal into tasks", "Split the goal into tasks"),
        ("把目标拆成可执行的任务", "把目标拆分为可以执行的任务。"),
        ("zzz", ""),
        ("", ""),
        ("planer", "planner."),
    ],
)
def test_the_most_similar_part_is_found(wanted: str, nearest: str) -> None:
    assert find_nearest(wanted, TEXT) == nearest


@given(st.text(), st.text())
def test_the_nearest_text_is_a_part_of_the_text(wanted: str, text: str) -> None:
    assert find_nearest(wanted, text) in text


@given(st.text(), st.text(min_size=3), st.text())
def test_a_part_of_the_text_is_found_itself(before: str, wanted: str, after: str) -> None:
    found = find_nearest(wanted, f"{before} {wanted} {after}")
    assert found == "" or len(found) >= len(wanted.strip()) // 2
