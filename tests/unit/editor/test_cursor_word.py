import pytest

from promptpack.editor.cursor_word import find_typed_word, find_word_under

HEAD = "promptpack: 1\nmessages:\n  - role: user\n    content: |\n      "


def at(text: str, syntax: str = "jinja") -> tuple[str, str, str]:
    """Return the kind, the owner and the text of the word at the bar."""
    before, after = text.split("¦")
    word = find_typed_word(before + after, len(before), syntax)
    assert (before + after)[word.start : len(before)].endswith(word.text)
    return word.kind, word.owner, word.text


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
def test_the_typed_word_is_found_in_a_template(typed: str, expected: tuple[str, str, str]) -> None:
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
def test_the_typed_word_is_found_outside_templates(text: str, expected: tuple[str, str, str]) -> None:
    assert at(text) == expected


def test_the_word_under_a_cursor_is_found_whole() -> None:
    text = HEAD + "{{ USER_GOAL | fenced }}"
    assert find_word_under(text, text.index("GOAL")).text == "USER_GOAL"
    assert find_word_under(text, text.index("nced")).kind == "filter"
    assert find_word_under(text, text.index("promptpack")).kind == "none"
