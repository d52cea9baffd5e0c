import pytest

from promptpack.template.history.go_text import WHITE_SPACE, fold, lower, trim_space


def test_every_white_space_character_is_trimmed_from_both_ends() -> None:
    assert trim_space(f"{WHITE_SPACE}a b{WHITE_SPACE}") == "a b"


@pytest.mark.parametrize("character", ["\x1c", "\x1d", "\x1e", "\x1f", "\u200b", "\ufeff", "\u180e", "\x00"])
def test_other_characters_are_not_trimmed(character: str) -> None:
    assert trim_space(f"{character}a{character}") == f"{character}a{character}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("MOVE", "move"), ("İX", "ix"), ("ΟΔΟΣ", "οδοσ"), ("ẞ", "ß"), ("ǅ", "ǆ"), ("中A", "中a"), ("", "")],
)
def test_lower_maps_one_code_point_to_one(text: str, expected: str) -> None:
    assert lower(text) == expected


@pytest.mark.parametrize("name", ["PARAMETERS", "Parameters", "parameterſ"])
def test_folding_ignores_letter_case(name: str) -> None:
    assert fold(name) == "parameters"


def test_folding_never_makes_a_text_longer() -> None:
    assert fold("ßİﬆA") == "ßİﬆa"
