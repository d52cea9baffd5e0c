import pytest

from promptpack.problem import ContextError
from promptpack.template.history import compact, first_line, trim_space


def test_only_a_line_feed_ends_a_line() -> None:
    assert first_line("\n  a\rb\u2028c\x85d\ve\ff \n g") == "a\rb\u2028c\x85d\ve\ff"


def test_a_blank_text_has_no_first_line() -> None:
    assert first_line(" \n\u3000\n") == ""


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(8, "tail ..."), (5, "ta..."), (4, "t..."), (3, "tai"), (1, "t"), (0, ""), (-1, ""), (17, "tail   spaces cut")],
)
def test_a_cut_text_is_not_longer_than_its_limit(limit: int, expected: str) -> None:
    assert compact("tail   spaces cut", limit) == expected


def test_the_ellipsis_counts_and_can_be_chosen() -> None:
    assert compact("abcdef", limit=4, ellipsis="…") == "abc…"
    assert compact("abcdef", limit=4, ellipsis="") == "abcd"


def test_a_limit_counts_code_points() -> None:
    assert compact("😀" * 5, 4) == "😀..."


def test_none_is_an_empty_text_and_a_number_is_printed() -> None:
    assert trim_space(None) == ""
    assert compact(12.5) == "12.5"


@pytest.mark.parametrize(("value", "kind"), [({"a": 1}, "a mapping"), ([1], "a list"), (True, "a true/false value")])
def test_structured_data_is_refused(value: object, kind: str) -> None:
    with pytest.raises(ContextError) as raised:
        compact(value)
    assert str(raised.value) == f"PP432 expected text, not {kind}\n  hint: convert it with '| json' first"
