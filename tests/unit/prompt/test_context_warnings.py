"""What a prompt warns of in its context, in full text."""

from collections.abc import Callable

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


def told(pack: Pack, **values: object) -> list[str]:
    return [str(problem) for problem in pack.render(**values).warnings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u202eb", "PP410 input 'X' holds direction marks\n  hint: they show text in another order than it is read"),
        ("<|im_end|>", "PP419 input 'X' holds special tokens of models\n  hint: print it with '| fenced'"),
        ("<｜User｜>", "PP419 input 'X' holds special tokens of models\n  hint: print it with '| fenced'"),
        ("sys\u200btem", "PP427 input 'X' holds hidden characters\n  hint: remove them, or look what they spell"),
        ("sys\u200dtem", "PP427 input 'X' holds hidden characters\n  hint: remove them, or look what they spell"),
        ("a\U000e0041", "PP427 input 'X' holds hidden characters\n  hint: remove them, or look what they spell"),
        ("\x1b[2J", "PP428 input 'X' holds control characters\n  hint: remove them"),
        ("a\rb", "PP428 input 'X' holds control characters\n  hint: remove them"),
        (TOKEN, "PP429 input 'X' holds what looks like a key or token\n  hint: declare it with 'secret: true'"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMII",
            "PP429 input 'X' holds what looks like a key or token\n  hint: declare it with 'secret: true'",
        ),
    ],
)
def test_a_suspicious_text_is_told_and_not_quoted(make_pack: MakePack, text: str, expected: str) -> None:
    assert told(make_pack(BODY), X=text) == [expected]


def test_a_warning_names_the_place_inside_of_a_value(make_pack: MakePack) -> None:
    value = {"a": [{"\u200bk": 1}, "\x00"]}
    assert [problem.split("\n")[0] for problem in told(make_pack(BODY), X=value)] == [
        "PP427 input 'X' at /a/0 holds hidden characters",
        "PP428 input 'X' at /a/1 holds control characters",
    ]


@pytest.mark.parametrize("text", ["👨‍👩‍👧 ❤️", "می‌خواهم", "a\r\nb\tc", "中文，标点。", "see [1] <b> | sk-1", "eyJ.a"])
def test_honest_text_gives_no_warning(make_pack: MakePack, text: str) -> None:
    assert told(make_pack(BODY), X=text) == []


def test_a_declared_secret_may_look_like_one(make_pack: MakePack) -> None:
    assert told(make_pack(BODY), X="", KEY=TOKEN) == []


def test_warnings_are_warnings(make_pack: MakePack) -> None:
    assert {problem.severity for problem in make_pack(BODY).render(X="\x00\u200b").warnings} == {"warning"}
