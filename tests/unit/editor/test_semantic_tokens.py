from promptpack.editor import find_tokens
from tests.unit.editor.conftest import PACK, OpenBuffer, typed


def shown(open_buffer: OpenBuffer, text: str) -> list[str]:
    """Return the line, the name and the kind of each token."""
    buffer, _ = open_buffer(text)
    lines = buffer.text.split("\n")
    return [
        f"{place.line} {lines[place.line - 1][place.column - 1 : place.end_column - 1]} {kind}"
        for place, kind in find_tokens(buffer)
    ]


def test_names_in_templates_and_expressions_have_their_kind(open_buffer: OpenBuffer) -> None:
    assert shown(open_buffer, PACK) == [
        "16 GOAL parameter",
        "22 step variable",
        "22 TASK parameter",
        "22 step variable",
        "25 GOAL parameter",
        "26 GOAL parameter",
        "26 fenced function",
        "32 reply variable",
        "32 length function",
        "32 GOAL parameter",
        "33 reply variable",
        "33 GOAL parameter",
    ]


def test_a_half_typed_template_has_no_tokens(open_buffer: OpenBuffer) -> None:
    lines = {token.split()[0] for token in shown(open_buffer, typed("{{ GOAL | "))}
    assert lines == {"16", "22", "25", "32", "33"}


def test_a_file_that_cannot_be_read_has_no_tokens(open_buffer: OpenBuffer) -> None:
    assert shown(open_buffer, PACK + "  - [") == []
