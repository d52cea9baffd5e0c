import pytest

from promptpack.stubs.python_names import Names, to_class_name, to_identifier


@pytest.mark.parametrize(
    ("text", "expected"),
    [("goal", "goal"), ("class", "class_"), ("a b", "a_b"), ("1x", "value_1x"), ("", "value"), ("\n", "value"),
     ("_x", "value_x"), ("ﬁ", "fi"), ("任务", "任务"), ("type", "type")],
)  # fmt: skip
def test_any_text_becomes_an_identifier(text: str, expected: str) -> None:
    assert to_identifier(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("TASK_PLAN", "TaskPlan"), ("taskRelation", "TaskRelation"), ("none", "None_"), ("3d", "Type3d"), ("-", "Type")],
)
def test_any_text_becomes_a_class_name(text: str, expected: str) -> None:
    assert to_class_name(text) == expected


def test_names_that_collide_differ() -> None:
    names = Names(("load",))
    assert [names.choose(name) for name in ("a", "a", "load", "load", "a2")] == ["a", "a2", "load_", "load_2", "a22"]
