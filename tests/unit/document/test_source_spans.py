import pytest

from promptpack.document import parse


def without(text: str, *path: str) -> str | None:
    span = parse(text).entry_span(path)
    return None if span is None else text[: span[0]] + text[span[1] :]


def test_an_entry_is_deleted_with_its_line_or_its_comma() -> None:
    assert without("a: 1\nb: 2\nc: 3\n", "b") == "a: 1\nc: 3\n"
    assert without("a: 1\nb: 2", "b") == "a: 1\n"
    assert without("x: {a: 1, b: 2, c: 3}\n", "x", "a") == "x: {b: 2, c: 3}\n"
    assert without("x: {a: 1, b: 2}\n", "x", "b") == "x: {a: 1}\n"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: 1\n", ("a",)),  # the only entry
        ("a: 1  # why\nb: 2\n", ("a",)),  # its comment would be deleted too
        ("a: {b: 1}\nc: 2\n", ("a",)),  # not a plain value
        ("a: |\n  text\nb: 1\n", ("a",)),
        ("a: &x 1\nb: *x\n", ("a",)),  # others refer to it
        ("- a: 1\n  b: 2\n", ("a",)),  # the root is not a mapping
        ("a: 1\nb: 2\n", ("z",)),  # does not exist
    ],
)
def test_an_entry_that_cannot_be_deleted_alone_has_no_span(text: str, path: tuple[str, ...]) -> None:
    assert without(text, *path) is None


def test_the_first_entry_of_a_list_item_has_no_span_because_of_the_dash() -> None:
    assert parse("- a: 1\n  b: 2\n").entry_span((0, "a")) is None
    assert parse("- a: 1\n  b: 2\n").entry_span((0, "b")) == (7, 14)
