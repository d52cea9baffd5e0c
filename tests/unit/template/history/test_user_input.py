from typing import Any

from promptpack.template.history import first_and_last_input, user_inputs


def user(content: str, **extra: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, "extra": extra or None}


def test_inputs_are_the_first_lines_of_user_messages() -> None:
    history = [
        user(" a \nb"),
        {"role": "assistant", "content": "x"},
        None,
        user(" \n"),
        {"role": "User", "content": "y"},
    ]
    assert user_inputs(history) == ["a"]


def test_corrections_are_recognized_by_their_extra() -> None:
    history = [
        user("a"),
        user("b", kind=" fix "),
        user("c", kind="FIX"),
        user("d", kind=["fix"]),
        user("e", other="fix"),
    ]
    assert user_inputs(history, correction_extra={"kind": "fix"}) == ["a", "c", "d", "e"]
    assert user_inputs(history) == ["a", "b", "c", "d", "e"]


def test_corrections_are_recognized_by_a_sentence() -> None:
    history = [user("Please try again."), user("they said: Please try again. Why?"), user("try again")]
    assert user_inputs(history, correction_texts=["Please try again."]) == ["try again"]


def test_an_empty_sentence_marks_nothing() -> None:
    assert user_inputs([user("a")], correction_texts=[""]) == ["a"]


def test_the_first_and_the_last_input_are_returned() -> None:
    assert first_and_last_input([user("a"), user("b"), user("c")]) == {"first": "a", "last": "c"}
    assert first_and_last_input([user("a")]) == {"first": "a", "last": "a"}
    assert first_and_last_input(None) == {"first": "", "last": ""}


def test_the_limit_is_a_parameter() -> None:
    assert len(user_inputs([user("x" * 300)])[0]) == 120
    assert user_inputs([user("x" * 300)], limit=5) == ["xx..."]
