"""Word diffs as text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack.characters import visible
from promptpack.cli.word_print import show_words
from promptpack.versions import diff_words

_COLOUR = re.compile("\x1b\\[[0-9;]*m")


def test_marks_surround_changed_words() -> None:
    assert show_words(diff_words("Be kind, 请写周报", "Be brief, 请写日报"), colours=False) == (
        "Be [-kind-]{+brief+}, 请写[-周-]{+日+}报"
    )


def test_colours_replace_marks_and_line_ends_are_visible() -> None:
    found = show_words(diff_words("a b\n", "a c\nd\n"), colours=True)
    assert found == "a \x1b[31m\x1b[9mb\x1b[0m\x1b[32mc↵\x1b[0m\n\x1b[32md\x1b[0m\n"


def test_without_a_terminal_there_are_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    del capsys
    assert show_words(diff_words("a", "b")) == "[-a-]{+b+}"


@given(st.text(), st.text())
def test_a_terminal_gets_no_control_characters_of_a_prompt(old: str, new: str) -> None:
    words = diff_words(old, new)
    for text in (_COLOUR.sub("", show_words(words, colours=True)), show_words(words, colours=False)):
        assert visible(text) == text
