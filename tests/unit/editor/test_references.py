import pytest

from promptpack.editor import find_references
from tests.unit.editor.conftest import BASE, PACK, OpenBuffer

TEXT = PACK.replace("¦", "")


def shown(open_buffer: OpenBuffer, text: str) -> list[tuple[str, str]]:
    """Return the file and the line of each reference; every one covers the name."""
    buffer, offset = open_buffer(text)
    found = []
    for place in find_references(buffer, offset):
        pack = "demo" if "demo" in place.path else "base"
        line = (buffer.text if pack == "demo" else BASE).split("\n")[place.line - 1]
        assert line[place.column - 1 : place.end_column - 1] in ("GOAL", "HISTORY")
        found.append((pack, line.strip()))
    return found


def test_an_input_is_found_wherever_it_is_used(open_buffer: OpenBuffer) -> None:
    assert shown(open_buffer, TEXT.replace("{{ GOAL |", "{{ GO¦AL |")) == [
        ("demo", "GOAL: {type: string, description: What is wanted, trust: untrusted}"),
        ("demo", "Follow {{ GOAL }}."),
        ("demo", "when: GOAL"),
        ("demo", 'content: "{{ GOAL | fenced }}"'),
        ("demo", 'require: reply.params.note | length < 10 or GOAL == ""'),
        ("demo", 'message: "{{ reply.params.note }} is too long for {{ GOAL }}"'),
        ("demo", "context: {GOAL: write}"),
    ]


def test_an_inherited_input_is_found_in_its_own_file(open_buffer: OpenBuffer) -> None:
    assert shown(open_buffer, TEXT.replace("history: HISTORY", "history: H¦ISTORY")) == [
        ("base", "HISTORY: {type: array, default: [], description: What was said.}"),
        ("demo", "- history: HISTORY"),
    ]


@pytest.mark.parametrize("place", ["role: us¦er", "na¦me: demo", "{{ st¦ep }}"])
def test_another_word_has_no_references(open_buffer: OpenBuffer, place: str) -> None:
    assert shown(open_buffer, TEXT.replace(place.replace("¦", ""), place, 1)) == []
