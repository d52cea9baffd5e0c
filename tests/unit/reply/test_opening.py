import pytest

from promptpack.reply.opening import is_undecided, next_mark, settled_end


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
    brace = next_mark(text, 0)
    assert (False if brace is None else None if is_undecided(brace) else True) is opens


def test_braces_that_no_key_can_follow_are_passed_over() -> None:
    assert next_mark("{{{} [{[ {}", 0) is None
    assert next_mark("{{ {", 0) is not None


@pytest.mark.parametrize("mark", ["<think>", "</thinking>", "[THINK]", "◁/think▷", "<|channel|>  analysis"])
def test_half_a_mark_waits_for_its_other_half(mark: str) -> None:
    assert next_mark(f"{{so}} {mark}", 0) is not None
    for end in range(1, len(mark)):
        text = f"see <a> {mark[:end]}"
        assert next_mark(text, 0) is None
        assert settled_end(text, 0) == len("see <a> ")
    assert settled_end("see <a> and", 0) == len("see <a> and")
