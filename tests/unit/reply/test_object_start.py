import pytest

from promptpack.reply.object_start import find_opening, needs_more_text, searched_end


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ('{"a":', True),
        ("{a: 1", True),
        ("{“a”：", True),
        ('{"“a”" => 1', True),
        ('{"a"', None),
        ("{", None),
        ("{ab", None),
        ("{a =", None),
        ('{"a\\', None),
        ('{"a", ', False),
        ("{this} ", False),
        ("{a == b", False),
        ("{““", None),
        ("{““x", False),
    ],
)
def test_a_brace_opens_data_when_a_key_and_a_colon_follow(text: str, opens: bool | None) -> None:
    brace = find_opening(text, 0)
    assert (False if brace is None else None if needs_more_text(brace) else True) is opens


def test_braces_that_no_key_can_follow_are_skipped() -> None:
    assert find_opening("{{{} [{[ {}", 0) is None
    assert find_opening("{{ {", 0) is not None


@pytest.mark.parametrize("marker", ["<think>", "</thinking>", "[THINK]", "◁/think▷", "<|channel|>  analysis"])
def test_an_incomplete_marker_waits_for_its_rest(marker: str) -> None:
    assert find_opening(f"{{so}} {marker}", 0) is not None
    for end in range(1, len(marker)):
        text = f"see <a> {marker[:end]}"
        found = find_opening(text, 0)
        assert found is None or found.start() == len("see <a> ")
        assert searched_end(text, 0) == len("see <a> ")
    assert searched_end("see <a> and", 0) == len("see <a> and")
