import pytest

from promptpack.reply.opening import OUTSIDE, opens_data


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ('{"a":', True),
        ("{a: 1", True),
        ('{"a"', None),
        ("{", None),
        ("{ab", None),
        ('{"a", ', False),
        ("{this} ", False),
    ],
)
def test_a_brace_opens_data_when_a_key_and_a_colon_follow(text: str, opens: bool | None) -> None:
    assert opens_data(text, 0) is opens


def test_braces_that_no_key_can_follow_are_passed_over() -> None:
    assert OUTSIDE.search("{{{} [{[ {}") is None
    assert OUTSIDE.search("{{ {") is not None
