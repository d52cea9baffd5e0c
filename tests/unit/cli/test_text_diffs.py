from hypothesis import given
from hypothesis import strategies as st

from promptpack.cli.text_diffs import draw_difference


def test_changed_words_are_marked() -> None:
    assert list(draw_difference("", "")) == []
    assert list(draw_difference("a", "")) == ["no part of the text is similar"]
    assert list(draw_difference("", "x\ny")) == ["found: x", "y"]
    before = "first line\nplans a goal\n" + "same\n" * 9 + "end\n"
    (*_, gap, _, last) = drawn = [
        _plain(line) for line in draw_difference(before, before.replace("goal", "task").replace("end", "stop"))
    ]
    assert drawn[1] == "plans a [-goal-]{+task+}"
    assert (gap, last) == ("...", "[-end-]{+stop+}")


@given(st.text(), st.text())
def test_drawings_are_bounded_and_harmless(expected: str, found: str) -> None:
    drawn = [_plain(line) for line in draw_difference(expected * 99, found * 99)]
    assert len(drawn) <= 21
    assert all(
        character.isprintable() or character in "\t\u2028\u2029" or ord(character) > 127
        for line in drawn
        for character in line
    )


def _plain(line: str) -> str:
    import click

    return click.unstyle(line)
