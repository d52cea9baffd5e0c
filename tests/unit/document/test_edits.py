from promptpack.document.edits import Edit, apply_edits


def test_edits_are_applied_from_the_end() -> None:
    assert apply_edits("one two three", [Edit(0, 3, "1"), Edit(8, 13, "3")]) == "1 two 3"


def test_the_second_of_two_overlapping_edits_is_skipped() -> None:
    assert apply_edits("abcdef", [Edit(0, 3), Edit(2, 5), Edit(5, 6)]) == "de"
    assert apply_edits("abc", [Edit(0, 1), Edit(0, 1)]) == "bc"


def test_line_endings_and_the_byte_order_mark_are_preserved() -> None:
    assert apply_edits("\ufeffa: 1\r\nb: 2\r\nc: 3\n", [Edit(5, 10)]) == "\ufeffa: 1\r\nc: 3\n"
