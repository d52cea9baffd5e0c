import pytest

from promptpack.template.history.go_json import GoJsonError, GoJsonValue, read, read_members


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" \t\r\n1 ", 1.0),
        ("-0", -0.0),
        ("1e999", None),
        ("-1e999", None),
        ("1e-999", 0.0),
        ("true", True),
        ("null", None),
        ('"a\\u4e2d\\n\\/"', "a中\n/"),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\ud800x\\udc00"', "\ufffdx\ufffd"),
        ('"\u2028"', "\u2028"),
        ("[]", []),
        ("{}", {}),
        ('[1,"a",[{"b":null}]]', [1.0, "a", [{"b": None}]]),
        ('{"a":1,"a":{"b":2}}', {"a": {"b": 2.0}}),
        ('{"a":{"x":1,"x":2}}', {"a": {"x": 2.0}}),
    ],
)
def test_a_value_is_read(text: str, expected: GoJsonValue) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "NaN", "Infinity", "-", "01", "1.", ".5", "+1", "1e", "0x1", "'a'", '"a', '"\n"', '"\\x"', '"\\u12g4"',
        "[", "[1", "[1,]", "[,1]", "[1 2]", "{", '{"a"}', '{"a":}', '{"a":1,}', "{a:1}", '{1:2}', '{"a":1 "b":2}',
        "]", "}", ",", ":", '{"a":1}}', "[1}", '{"a":1]', "1 2", "tru", "nulll", "\ufeff{}", "\xa01", "{} extra",
    ],
)  # fmt: skip
def test_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(GoJsonError):
        read(text)


def test_members_of_the_top_level_keep_duplicates_and_order() -> None:
    assert read_members('{"b":1,"a":2,"b":{"c":3}}') == [("b", 1.0), ("a", 2.0), ("b", {"c": 3.0})]


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "null"])
def test_a_top_level_that_is_not_an_object_has_no_members(text: str) -> None:
    assert read_members(text) is None


def test_nesting_that_python_cannot_read_is_refused() -> None:
    assert read("[" * 300 + "]" * 300) != []
    with pytest.raises(GoJsonError):
        read("[" * 100_000 + "]" * 100_000)


def test_a_number_of_many_digits_is_a_float() -> None:
    assert read("1" + "0" * 300) == 1e300
    assert read("9" * 10_000) is None
