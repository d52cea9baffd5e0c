import pytest

from promptpack.reply.scan import scan
from promptpack.reply.syntax_tree import extract_data


@pytest.mark.parametrize(
    ("text", "value", "kinds"),
    [
        ('{"a": 1}', {"a": 1}, []),
        ('{"a": 1,}', {"a": 1}, ["trailing-comma"]),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, ["missing-comma"]),
        ("{a: 1}", {"a": 1}, ["unquoted"]),
        ('{"a": [1, 2}', {"a": [1, 2]}, ["lost-bracket"]),
        ('{"a": 1 /* one */}', {"a": 1}, ["comment"]),
        ('{"a": True}', {"a": True}, ["literal"]),
        ('{{"a": 1}}', {"a": 1}, ["double-braces", "double-braces"]),
        ('{"a": "b" + "c"}', {"a": "bc"}, ["concatenation"]),
        ('{"a": ("b" u"c")}', {"a": "bc"}, ["concatenation"]),
        ('{"a": ("b" + "c")}', {"a": "bc"}, ["concatenation"]),
        ('{"a": ["b « c", «d», "e"]}', {"a": ["b « c", "d", "e"]}, ["quotes"]),
        ('{"a": [u"b", \'c\']}', {"a": ["b", "c"]}, ["quotes", "quotes"]),
        ('{,"a":: 1}', {"a": 1}, ["extra-comma", "punctuation"]),
        ('{**"a"**: 1}', {"a": 1}, ["white-space", "punctuation"]),
        ('{\\n"a": 1\\n}', {"a": 1}, ["white-space", "white-space"]),
    ],
)
def test_every_repair_is_recorded(text: str, value: object, kinds: list[str]) -> None:
    found = scan(text, 0)
    assert (extract_data(found.root).value, [repair.kind for repair in found.repairs]) == (value, kinds)
    assert (found.tail, found.end) == ("closed", len(text))


@pytest.mark.parametrize(
    ("text", "tail"),
    [('{"a": "b"', "open"), ('{"a": 1, "b: c"', "cut"), ('{"a": ', "cut"), ('{"a": 1,', "cut"), ('{"a" ?', "broken")],
)
def test_the_tail_shows_how_a_short_text_ends(text: str, tail: str) -> None:
    assert scan(text, 0).tail == tail


def test_limits_stop_the_scan() -> None:
    assert scan("[" * 50, 0, max_depth=10).limit == "depth"
    assert scan("[" + "1," * 50, 0, max_nodes=10).limit == "nodes"


def test_many_digits_before_other_text_are_read_once() -> None:
    found = scan('{"a": ' + "9" * 200_000 + "x}", 0)
    assert extract_data(found.root).value == {"a": "9" * 200_000 + "x"}
