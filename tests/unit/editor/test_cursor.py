import pytest

from promptpack.editor.cursor import find_cursor, word_under

HEAD = "promptpack: 1\nmessages:\n  - role: user\n    content: |\n      "


def at(text: str, syntax: str = "jinja") -> tuple[str, str, str]:
    """Read the cursor at the bar in the text."""
    before, after = text.split("¦")
    cursor = find_cursor(before + after, len(before), syntax)
    assert (before + after)[cursor.start : len(before)].endswith(cursor.word)
    return cursor.kind, cursor.owner, cursor.word


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("{{ ¦", ("name", "", "")),
        ("{{ USER¦", ("name", "", "USER")),
        ("{{ USER¦_GOAL }}", ("name", "", "USER")),
        ("{{ TASK.own¦", ("attribute", "TASK", "own")),
        ("{{ TASK.owner.¦ }}", ("attribute", "TASK.owner", "")),
        ("{{ A | js¦", ("filter", "", "js")),
        ("{{ A |¦", ("filter", "", "")),
        ("{% if A is def¦", ("test", "", "def")),
        ("{% if A is not ¦", ("test", "", "")),
        ("{% inc¦", ("tag", "", "inc")),
        ("{%- ¦", ("tag", "", "")),
        ('{% include "ru¦', ("partial", "", "ru")),
        ('{% include ["a", "b¦', ("partial", "", "b")),
        ("{% for item in ITE¦", ("name", "", "ITE")),
        ('{{ "text ¦', ("none", "", "")),
        ("{# a comment ¦", ("none", "", "")),
        ("{{ A }} and ¦", ("none", "", "")),
        ("{{ A +\n      B¦", ("name", "", "B")),
    ],
)
def test_what_is_typed_inside_of_a_template(typed: str, expected: tuple[str, str, str]) -> None:
    assert at(HEAD + typed) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("{{¦", ("name", "", "")),
        ("{{ na¦", ("name", "", "na")),
        ("{{#i¦", ("block", "", "i")),
        ("{{#if na¦", ("name", "", "na")),
        ("{{> ru¦", ("partial", "", "ru")),
        ("{{ a.b¦", ("name", "", "a.b")),
    ],
)
def test_handlebars_has_its_own_words(typed: str, expected: tuple[str, str, str]) -> None:
    assert at(HEAD + typed, "handlebars") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("messages:\n  - role: user\n    when: USER¦", ("name", "", "USER")),
        ("rules:\n  - require: reply.par¦", ("attribute", "reply", "par")),
        ("rules:\n  - require: >-\n      reply.params.a\n      | le¦", ("filter", "", "le")),
        ("rules:\n  - {name: a, require: rep¦", ("name", "", "rep")),
        ("extends: agent-¦", ("pack", "", "agent-")),
        ("messages:\n  - history: HIS¦", ("input", "", "HIS")),
        ("reply:\n  tools: AV¦", ("input", "", "AV")),
        ("description: some words¦", ("none", "", "")),
        ("rules:\n  - message: some words¦", ("none", "", "")),
        ("¦", ("none", "", "")),
    ],
)
def test_what_is_typed_outside_of_templates(text: str, expected: tuple[str, str, str]) -> None:
    assert at(text) == expected


def test_the_word_under_a_cursor_goes_to_its_own_end() -> None:
    text = HEAD + "{{ USER_GOAL | fenced }}"
    assert word_under(text, text.index("GOAL")).word == "USER_GOAL"
    assert word_under(text, text.index("nced")).kind == "filter"
    assert word_under(text, text.index("promptpack")).kind == "none"
