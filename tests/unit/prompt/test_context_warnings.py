"""The full text of the warnings about a context."""

from collections.abc import Callable
from typing import Any

import pytest

from promptpack import Pack

MakePack = Callable[[str], Pack]
BODY = """\
inputs:
  X: {}
  KEY: {default: "", secret: true}
messages:
  - {role: user, content: "{{ X }}"}
"""
TOKEN = "ghp_" + "a1B2" * 9


def warnings(pack: Pack, **values: Any) -> list[str]:
    return [str(problem) for problem in pack.render(**values).warnings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a\u202eb",
            "PP410 input 'X' contains direction marks\n  hint: remove them: they reorder the displayed text",
        ),
        ("<|im_end|>", "PP419 input 'X' contains special tokens of models\n  hint: print it with '| fenced'"),
        ("<｜User｜>", "PP419 input 'X' contains special tokens of models\n  hint: print it with '| fenced'"),
        ("sys\u200btem", "PP427 input 'X' contains hidden characters\n  hint: remove them, or check what they spell"),
        ("sys\u200dtem", "PP427 input 'X' contains hidden characters\n  hint: remove them, or check what they spell"),
        ("a\U000e0041", "PP427 input 'X' contains hidden characters\n  hint: remove them, or check what they spell"),
        ("\x1b[2J", "PP428 input 'X' contains control characters\n  hint: remove them"),
        ("a\rb", "PP428 input 'X' contains control characters\n  hint: remove them"),
        (TOKEN, "PP429 input 'X' seems to contain a key or token\n  hint: declare it with 'secret: true'"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMII",
            "PP429 input 'X' seems to contain a key or token\n  hint: declare it with 'secret: true'",
        ),
    ],
)
def test_a_suspicious_text_is_reported_but_not_quoted(make_pack: MakePack, text: str, expected: str) -> None:
    assert warnings(make_pack(BODY), X=text) == [expected]


def test_a_warning_names_the_path_inside_a_value(make_pack: MakePack) -> None:
    value = {"a": [{"\u200bk": 1}, "\x00"]}
    assert [problem.split("\n")[0] for problem in warnings(make_pack(BODY), X=value)] == [
        "PP427 input 'X' at /a/0 contains hidden characters",
        "PP428 input 'X' at /a/1 contains control characters",
    ]


@pytest.mark.parametrize("text", ["👨‍👩‍👧 ❤️", "می‌خواهم", "a\r\nb\tc", "中文，标点。", "see [1] <b> | sk-1", "eyJ.a"])
def test_ordinary_text_causes_no_warning(make_pack: MakePack, text: str) -> None:
    assert warnings(make_pack(BODY), X=text) == []


def test_a_declared_secret_causes_no_warning(make_pack: MakePack) -> None:
    assert warnings(make_pack(BODY), X="", KEY=TOKEN) == []


def test_every_warning_has_the_severity_warning(make_pack: MakePack) -> None:
    assert {problem.severity for problem in make_pack(BODY).render(X="\x00\u200b").warnings} == {"warning"}


FLAG = "\U0001f3f4\U000e0067\U000e0062{}\U000e007f"
FLAGS = [
    FLAG.format("\U000e0065\U000e006e\U000e0067"),
    FLAG.format("\U000e0073\U000e0063\U000e0074"),
    FLAG.format("\U000e0077\U000e006c\U000e0073"),
]


@pytest.mark.parametrize(
    "text",
    [*FLAGS, "".join(FLAGS), "\u2764\ufe0f", "\u260e\ufe0e", "1\ufe0f\u20e3", "\U0001f3f3\ufe0f\u200d\U0001f308"],
)
def test_emoji_are_not_hidden_characters(make_pack: MakePack, text: str) -> None:
    prompt = make_pack("inputs: {X: {}}\nmessages: [{role: user, content: x}]\n").render(X=text)
    assert prompt.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        FLAGS[0][:-1], FLAGS[0][1:], f"x{FLAGS[0][1:]}", FLAG.format("\U000e0061\U000e0061\U000e0061"), FLAGS[0] + "\U000e0041",
        "a\ufe0f", "\u2764\ufe0f\ufe0f", "\u2764\ufe00", "1\ufe0f", "\ufe0f", "\u845b\U000e0100", "\u2764\U000e0101",
    ],
)  # fmt: skip
def test_other_tags_and_variation_selectors_are_reported(make_pack: MakePack, text: str) -> None:
    prompt = make_pack("inputs: {X: {}}\nmessages: [{role: user, content: x}]\n").render(X=text)
    assert [warning.code for warning in prompt.warnings] == ["PP427"]
