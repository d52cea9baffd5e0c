import sys

import pytest
import yaml

from promptpack import document
from promptpack.character_patterns import BIDI, CONTROL, HIDDEN, JOINER, TAG
from promptpack.characters import _is_clean
from promptpack.document.parse import _MAX_VALID_KEYS, _VALID_KEYS
from promptpack.problem import PackError


def problems(text: str | bytes) -> str:
    with pytest.raises(PackError) as caught:
        document.parse(text, "pack.yaml")
    return str(caught.value)


def test_reads_plain_data() -> None:
    text = "a: 1\nb: [x, 2.5, true, null, ~, '']\nc: {d: -3, e: 1e3}\n"
    assert document.parse(text).data == {
        "a": 1,
        "b": ["x", 2.5, True, None, None, ""],
        "c": {"d": -3, "e": 1000.0},
    }


@pytest.mark.parametrize("word", ["on", "off", "y", "N", "nope", "Nullable", "12:30:45", "2024-01-01"])
def test_words_that_only_old_yaml_converts_are_text(word: str) -> None:
    assert document.parse(f"a: {word}").data == {"a": word}


def test_only_true_and_false_are_booleans() -> None:
    assert document.parse("[true, false]").data == [True, False]
    assert document.parse("{yes: 'no', On: \"True\"}").data == {"yes": "no", "On": "True"}


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        *(("True", "true"), ("TRUE", "true"), ("yes", "true"), ("Yes", "true")),
        *(("False", "false"), ("no", "false"), ("NO", "false"), ("Null", "null"), ("NULL", "null")),
    ],
)
def test_a_word_that_some_yaml_versions_convert_is_refused(word: str, meaning: str) -> None:
    with pytest.raises(PackError) as caught:
        document.parse(f"a: [{word}]", "pack.yaml")
    assert str(caught.value) == (
        f"pack.yaml:1:5: PP115 {word!r} is read differently by different YAML versions\n"
        f'  hint: write {meaning}, or "{word}" in quotes if it is text'
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("70", 70), ("-7", -7), ("+7", 7), ("0x1F", 31), ("0o17", 15), ("1.", 1.0), (".5", 0.5), ("0.25", 0.25)],
)
def test_reads_numbers_of_the_core_schema(text: str, number: float) -> None:
    assert document.parse(f"a: {text}").data == {"a": number}


def test_integers_stay_exact_beyond_64_bits() -> None:
    assert document.parse("a: 123456789012345678901234567890").data == {"a": 123456789012345678901234567890}


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    assert document.parse(b"\xef\xbb\xbfa: |\r\n  x\r\n  y\r\n").data == {"a": "x\ny\n"}


def test_keys_are_text_as_written() -> None:
    assert document.parse("1: a\nno: b\ntrue: c").data == {"1": "a", "no": "b", "true": "c"}


def test_an_anchor_can_be_used_again() -> None:
    assert document.parse("a: &x [1, 2]\nb: *x").data == {"a": [1, 2], "b": [1, 2]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\na: 2", "pack.yaml:2:1: PP112 key 'a' appears twice\n  hint: remove one of the two"),
        (
            "a: !!python/name:os.system x",
            "pack.yaml:1:4: PP111 tag 'tag:yaml.org,2002:python/name:os.system' is not allowed\n"
            "  hint: remove the tag; quote the value",
        ),
        (
            "a: 1\n---\nb: 2",
            "pack.yaml:2:1: PP107 file contains more than one document\n"
            "  hint: keep one document per file; quote '---' inside text",
        ),
        ("", "pack.yaml:1:1: PP108 file is empty\n  hint: start with 'promptpack: 1'"),
        (
            "%YAML 1.1\n---\na: 1",
            "pack.yaml:1:1: PP109 directives are not allowed\n  hint: remove the line that starts with '%'",
        ),
        (
            "a: {{ NAME }}",
            "pack.yaml:1:5: PP113 a key must be text, not a mapping, list or alias\n"
            "  hint: quote a value that starts with '{{', or use a '|' block",
        ),
        (
            "base: &b {a: 1}\nc:\n  <<: *b",
            "pack.yaml:3:3: PP114 merge keys ('<<') are not allowed\n"
            "  hint: use 'extends' or a partial to share parts of packs",
        ),
        (
            "a: 1_000",
            "pack.yaml:1:4: PP115 '1_000' is read differently by different YAML versions\n"
            "  hint: write '1_000' in quotes if it is text, or 1000 if it is a number",
        ),
        ("a: .inf", "pack.yaml:1:4: PP116 JSON cannot represent the number .inf\n  hint: write it in quotes"),
        ("a: &x [*x]", "pack.yaml:1:8: PP117 alias '*x' is inside its own anchor"),
        (
            "a: [1\nb: 2",
            "pack.yaml:1:4: PP110 '[' is not closed with ']'\n  hint: write: a: [1]",
        ),
        ("a: \x1b[31mred", "pack.yaml:1:4: PP103 control character U+001B in the file\n"
         "  hint: remove it, or write it as an escape in double quotes"),
        ("a: x\U000e0041", "pack.yaml:1:5: PP104 hidden character U+E0041 in the file\n"
         "  hint: remove it, or write it as an escape in double quotes"),
        ("a: x\u202e", "pack.yaml:1:5: PP118 direction mark U+202E in the file\n"
         "  hint: remove it, or write it as an escape in double quotes"),
        ("\u200ba: 1", "pack.yaml:1:1: PP104 key '\\u200ba' contains a hidden character\n  hint: remove it"),
        ("a: *b", "pack.yaml:1:4: PP117 alias '*b' has no anchor\n  hint: define the anchor (&name) before the alias (*name)"),
        ("a: x\ud800", "pack.yaml:1:5: PP103 half of a surrogate pair U+D800 in the file\n"
         "  hint: remove it, or write it as an escape in double quotes"),
        ("a: 1".encode("utf-16-le"), "pack.yaml:1:1: PP101 file is not UTF-8\n  hint: save it as UTF-8"),
        (b"a: caf\xe9", "pack.yaml:1:7: PP101 file is not UTF-8\n  hint: save it as UTF-8"),
    ],
)  # fmt: skip
def test_yaml_without_a_single_safe_meaning_is_rejected_with_its_location(text: str | bytes, expected: str) -> None:
    assert problems(text) == expected


def test_all_problems_of_a_file_are_reported_together() -> None:
    report = problems("a: 1\na: 2\nb: .nan\nc: !x y\n")
    assert [line.split()[1] for line in report.splitlines() if "PP" in line] == ["PP112", "PP116", "PP111"]


def test_deep_nesting_is_refused() -> None:
    assert problems("[" * 50_000).startswith("pack.yaml:1:65: PP105 file is nested more than 64 levels deep")


def test_a_key_that_is_too_long_is_refused() -> None:
    assert problems("k" * 300 + ": 1") == "pack.yaml:1:1: PP119 key is longer than 256 characters"


def test_a_large_file_is_refused_before_it_is_parsed() -> None:
    assert "PP102 file is larger than 1,000,000 bytes" in problems(b"a: " + b"x" * 1_000_001)


def test_anchors_that_expand_beyond_the_limit_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 7)]
    assert "PP106 file expands to more than 25,000 values" in problems("\n".join(lines))


def test_a_file_with_too_many_values_is_refused() -> None:
    assert problems("[" + "1," * 50_001 + "]") == (
        "pack.yaml:1:50000: PP125 file contains more than 25,000 values\n  hint: split it"
    )


def test_only_the_first_problems_of_a_file_are_reported() -> None:
    assert problems("a: .nan\n" * 500).count("PP") == 50


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: x\u200by", "t:1:5: PP104 hidden character U+200B in the file\n"
         "  hint: remove it, or write it as an escape in double quotes"),
        ("a: x\u200dy", "t:1:5: PP104 hidden character U+200D in the file\n"
         "  hint: remove it, or write it as an escape in double quotes"),
        ("n\u0430me: 1", "t:1:1: PP124 key 'n\\u0430me' can be mistaken for another\n"
         "  hint: use the letters of one alphabet"),
        ("e\u0301: 1", "t:1:1: PP124 key 'e\\u0301' can be mistaken for another\n"
         "  hint: use the letters of one alphabet"),
    ],
)  # fmt: skip
def test_suspicious_characters_in_a_file_are_warnings(text: str, expected: str) -> None:
    assert [str(warning) for warning in document.parse(text, "t").warnings] == [expected]


@pytest.mark.parametrize("text", ["a: می‌خواهم", "a: 👨‍👩‍👧 ❤️", "имя: 1", "a: 葛\U000e0100", "名前: 中文"])
def test_correct_spelling_has_no_warning(text: str) -> None:
    assert document.parse(text).warnings == ()


def test_a_number_longer_than_the_limit_is_refused_and_not_shown_whole() -> None:
    assert "PP116 JSON cannot represent the number 99999999999999999999..." in problems("a: " + "9" * 5000)


def test_pyyaml_agrees_where_yaml_1_1_and_1_2_do() -> None:
    text = "a:\n  b: [1, -2.5, text, 'q', \"d\\n\"]\n  c: |\n    x\n     y\n  d: >\n    f\n    g\n\n    h\ne: ~\n"
    assert document.parse(text).data == yaml.safe_load(text)


def test_no_text_with_a_forbidden_or_suspicious_character_is_clean() -> None:
    every_character = "a".join(map(chr, range(sys.maxunicode + 1)))
    for pattern in (CONTROL, BIDI, TAG, HIDDEN, JOINER):
        found = pattern.findall(every_character)
        assert found
        for character in found:
            assert not _is_clean(f"a{character}b".encode(errors="surrogatepass")), hex(ord(character))


def test_a_key_that_was_valid_within_other_limits_is_checked_again() -> None:
    text = f"{'a' * 200}: 1\n"
    document.parse(text)
    with pytest.raises(PackError, match="PP119 key is longer than 100 characters"):
        document.parse(text, limits=document.DocumentLimits(key_length=100))


def test_the_cache_of_valid_keys_is_limited() -> None:
    text = "\n".join(f"cached_{number}: 1" for number in range(2 * _MAX_VALID_KEYS))
    assert len(document.parse(text).data) == 2 * _MAX_VALID_KEYS
    assert len(_VALID_KEYS) <= _MAX_VALID_KEYS
    assert "PP112" in problems(f"{text}\ncached_0: 1\n")


def test_a_key_that_was_valid_in_quotes_is_checked_again() -> None:
    assert "PP114" in problems("- {'<<': 1}\n- {<<: {a: 1}}\n")
    assert "PP112" in problems("- {a: 1}\n- {a: 1, a: 2}\n")
    assert "PP111" in problems("- {a: 1}\n- {!!str a: 1}\n")
    assert problems(f"- {{{'a' * 257}: 1}}\n- {{{'a' * 257}: 1}}\n").count("PP119") == 2
