import pytest

from promptpack.problem import Location


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("name.first", "name"),
        ("输入 x", "输入"),
        ("'two words' x", "'two words'"),
        (r'"a \" b" x', r'"a \" b"'),
        ("{{ name }} x", "{{ name }}"),
        ("{% if x", "{%"),
        ("${NAME} x", "${NAME}"),
        ("'open", "'"),
        ("&& x", "&"),
        (" x", ""),
        ("", ""),
    ],
)
def test_a_location_ends_after_its_word(text: str, covered: str) -> None:
    found = Location("a.yaml", 2, 5)._with_word(f"    {text}", 4)
    assert found.end == (2, 5 + len(covered))


def test_a_location_without_an_end_ends_where_it_starts() -> None:
    assert Location("a.yaml", 2, 5).end == (2, 5)


def test_the_end_does_not_count_in_comparisons() -> None:
    assert Location("a.yaml", 2, 5) == Location("a.yaml", 2, 5, 2, 9)
