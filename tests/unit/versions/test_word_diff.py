"""Word diffs: tokens, joined changes, excerpts and bounds."""

import pytest

from promptpack.versions.matching import DiffMeter, find_matches
from promptpack.versions.word_diff import WordDiff, diff_words, split_words

SIGNS = {"kept": "{}", "removed": "[-{}-]", "added": "[+{}+]"}


def show(diff: WordDiff) -> str:
    return "".join(SIGNS[piece.kind].format(piece.text) for piece in diff.pieces)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("Plan the work.", ["Plan", " ", "the", " ", "work", "."]),
        ("5～10 分钟", ["5", "～", "10", " ", "分", "钟"]),
        ("用JSON输出", ["用", "JSON", "输", "出"]),
        ("a\n\n  b\r\n", ["a", "\n", "\n", "  ", "b", "\r\n"]),
        ("naïve cafe\u0301", ["naïve", " ", "cafe\u0301"]),
        ("カタカナ", ["カ", "タ", "カ", "ナ"]),
        ("한국어 말", ["한국어", " ", "말"]),
        ("葛\U000e0100城", ["葛\U000e0100", "城"]),
        ("\U00020000x", ["\U00020000", "x"]),
        ("{{ NAME }}", ["{", "{", " ", "NAME", " ", "}", "}"]),
    ],
)
def test_tokens_are_words_and_single_han_characters(text: str, tokens: list[str]) -> None:
    assert split_words(text) == tokens


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("", "", ""),
        ("same", "same", "same"),
        ("", "new", "[+new+]"),
        ("old", "", "[-old-]"),
        ("Plan the work", "Plan our work", "Plan [-the-][+our+] work"),
        ("每个任务只产出一个结果。", "每个任务必须产出两个结果。", "每个任务[-只-][+必须+]产出[-一-][+两+]个结果。"),
        ("a red house", "a very blue car", "a [-red house-][+very blue car+]"),
        ("one\ntwo\nthree\n", "one\nthree\n", "one\n[-two\n-]three\n"),
        ("one\nthree\n", "one\ntwo\nthree\n", "one\n[+two\n+]three\n"),
        ("end", "end\n", "end[+\n+]"),
        ("a  b", "a b", "a[-  -][+ +]b"),
    ],
)
def test_adjacent_changes_are_joined(old: str, new: str, shown: str) -> None:
    assert show(diff_words(old, new)) == shown


def test_excerpts_are_the_changed_lines_with_context() -> None:
    old = "".join(f"line {number}\n" for number in range(20))
    new = old.replace("line 3\n", "line three\n").replace("line 15\n", "line fifteen\n")
    assert [show(one) for one in diff_words(old, new).excerpts()] == [
        "line 2\nline [-3-][+three+]\nline 4\n",
        "line 14\nline [-15-][+fifteen+]\nline 16\n",
    ]


def test_excerpts_begin_and_end_with_no_empty_line() -> None:
    old, new = "a\n\none\n\ntwo\n  \nb\n", "a\n\nuno\n\ndue\n  \nb\n"
    assert [show(one) for one in diff_words(old, new).excerpts()] == ["[-one-][+uno+]\n\n[-two-][+due+]\n"]
    assert [show(one) for one in diff_words("a\n", "\na\n\n").excerpts()] == ["[+\n+]a\n[+\n+]"]


def test_the_offset_is_that_of_the_first_change_in_the_new_text() -> None:
    assert diff_words("Plan the work", "Plan our work").offset == 5
    assert diff_words("same", "same").offset == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x\n" * 500_000, "y x\n" * 250_000),
        ("你" * 1_000_000, "你好" * 500_000),
        ("a " * 500_000, "b " * 500_000),
        ("\n".join(map(str, range(150_000))), "\n".join(map(str, range(150_000, 0, -1)))),
    ],
)
def test_a_megabyte_of_different_text_is_bounded_and_exact(old: str, new: str) -> None:
    diff = diff_words(old, new)
    assert (diff.old, diff.new) == (old, new)


def test_several_diffs_share_their_steps() -> None:
    old = " ".join(f"word{number}" for number in range(60))
    new = old.replace("2", "z")
    shared = DiffMeter(20_000)
    first = diff_words(old, new, shared)
    assert first == diff_words(old, new)
    assert shared.remaining < 20_000
    for _ in range(40):
        diff = diff_words(old, new, shared)
        assert (diff.old, diff.new) == (old, new)
    assert 0 <= shared.remaining < 2_000
    assert show(diff_words("one two three", "one 2 three", DiffMeter(0))) == "[-one two three-][+one 2 three+]"


def test_lists_without_a_common_token_cost_no_steps() -> None:
    meter = DiffMeter(1_000)
    assert find_matches(["same", *map(str, range(500))], ["same", *"abcdefgh" * 90], meter) == [(0, 0, 1)]
    assert meter.remaining == 1_000


def test_a_word_in_a_megabyte_is_found() -> None:
    old = "".join(f"task {number} takes five minutes\n" for number in range(30_000))
    new = old.replace("task 77 takes", "task 77 needs").replace("task 29000 takes", "task 29000 wants")
    changed = [piece.text for piece in diff_words(old, new).pieces if piece.kind != "kept"]
    assert changed == ["takes", "needs", "takes", "wants"]
