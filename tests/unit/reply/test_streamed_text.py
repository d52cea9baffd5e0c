import pytest

from promptpack.reply.streamed_text import StreamedText


def certain(*pieces: str) -> list[str]:
    text = StreamedText()
    shown = []
    for piece in pieces:
        text.add(piece)
        shown.append(text.certain())
    return [*shown, text.whole()]


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (("one ", "two"), ["one ", "one two", "one two"]),
        (("one\\n", "line "), ["one", "one\nline ", "one\nline "]),
        (("a\\u4e2d", "b"), ["a中", "a中b", "a中b"]),
        ((r"C:\n", r"ew\d"), ["C:", "C:", r"C:\new\d"]),
        ((r"C:\n", "ew"), ["C:", "C:", "C:\new"]),
        (("Note:\\n", "x "), ["Note:", "Note:\nx ", "Note:\nx "]),
        ((r"\\server", r"\new\q"), ["", "", r"\\server\new\q"]),
        ((r"x \n", r"u \( y"), ["x ", "x ", r"x \nu \( y"]),
        ((r"x \n", "othing "), ["x ", "x \nothing ", "x \nothing "]),
        ((r"10\x", "a0km"), ["10", "10\xa0km", "10\xa0km"]),
        ((r"it\'s", " ok"), ["it's", "it's ok", "it's ok"]),
        (("a, ", "b,", "\n "), ["a", "a, b", "a, b", "a, b,\n "]),
        (("a}", "}, x", "\n, b"), ["a", "a}}, x", "a}}, x", "a}}, x\n, b"]),
    ],
)
def test_text_is_certain_if_no_later_piece_can_change_it(pieces: tuple[str, ...], shown: list[str]) -> None:
    assert certain(*pieces) == shown
