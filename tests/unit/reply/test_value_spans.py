import pytest

from promptpack.reply.value_spans import StrictSpans

TEXT = '  {"a": [1, {"b/c": "x, \\" y"}], "": { }, "\\u0064": [ ], "e": [[2 , 3 ] ]} '


@pytest.mark.parametrize(
    ("path", "piece"),
    [
        ("", TEXT.strip()),
        ("/a", '[1, {"b/c": "x, \\" y"}]'),
        ("/a/0", "1"),
        ("/a/1/b~1c", '"x, \\" y"'),
        ("/", "{ }"),
        ("/d", "[ ]"),
        ("/e/0/1", "3"),
    ],
)
def test_a_value_has_a_span(path: str, piece: str) -> None:
    start, end = StrictSpans(TEXT, 2, len(TEXT) - 1).get(path) or (0, 0)
    assert TEXT[start:end] == piece


@pytest.mark.parametrize("path", ["/x", "/a/2", "/a/0/x", "/a/1/b", "/d/0", "//x", "/x/y/z"])
def test_a_missing_value_has_no_span(path: str) -> None:
    assert StrictSpans(TEXT, 2, len(TEXT) - 1).get(path) is None
