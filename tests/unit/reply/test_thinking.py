import re

import pytest

from promptpack.reply.thinking import CHANNEL, END, MAX_MARKER_LENGTH, START, end_pattern


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<think>", "</think>"),
        ("<THINKING>", "</thinking>"),
        ("<thinking>", "</thinking>"),
        ("<seed:think>", "</seed:think>"),
        ("◁think▷", "◁/think▷"),
        ("[THINK]", "[/THINK]"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ],
)
def test_every_start_marker_has_an_end_marker(start: str, end: str) -> None:
    assert re.fullmatch(START, start, re.IGNORECASE)
    assert end_pattern(start).fullmatch(end)
    assert re.fullmatch(END, end, re.IGNORECASE)
    assert len(end) <= MAX_MARKER_LENGTH


def test_another_tag_is_not_thinking() -> None:
    assert not re.match(START, "<answer>", re.IGNORECASE)
    assert not re.match(CHANNEL, "<|channel|>final", re.IGNORECASE)
    assert re.match(CHANNEL, "<|channel|> analysis", re.IGNORECASE)
