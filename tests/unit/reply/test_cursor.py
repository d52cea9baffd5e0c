import pytest

from promptpack.reply.cursor import Cursor
from promptpack.reply.scan import scan
from promptpack.reply.tree import Node


def cursor(text: str, **limits: int) -> Cursor:
    made = Cursor(text, 0, limits.get("depth", 100), limits.get("nodes", 100))
    made._push("object", 0, 0, "}")
    return made


@pytest.mark.parametrize(
    ("text", "position", "kinds"),
    [
        ("  \n\tx", 4, []),
        ("// why\nx", 7, ["comment"]),
        ("/* a */ # b\nx", 12, ["comment", "comment"]),
        ("\u00a0\u200bx", 2, ["white-space"]),
        ("\x1b[32mx", 5, ["white-space"]),
        ("/* open", 7, ["comment"]),
    ],
)
def test_space_and_comments_are_stepped_over_and_noted(text: str, position: int, kinds: list[str]) -> None:
    made = cursor(text)
    made._skip()
    assert (made.position, [edit.kind for edit in made.edits]) == (position, kinds)


def test_a_comment_that_stands_for_items_marks_what_holds_it() -> None:
    for text in ("/* ... */}", "// same as above\n}"):
        made = cursor(text)
        made._skip()
        assert made.stack[-1].node.mark is not None
        assert made.stack[-1].node.mark.rule == "elided"
    made = cursor("// the reason\n}")
    made._skip()
    assert made.stack[-1].node.mark is None


def test_depth_values_edits_and_pointers_have_limits() -> None:
    deep = cursor("", depth=1)
    deep._push("array", 0, 0, "]")
    assert deep.limit == "depth"
    many = cursor("", nodes=2)
    for _ in range(3):
        many._attach(Node("literal", 0, 0))
    assert many.limit == "nodes"
    edited = cursor("", nodes=2)
    for _ in range(3):
        edited._edit("comment", 0, 0, "")
    assert edited.limit == "nodes"
    long = cursor("", nodes=10**6)
    long.stack[-1].key = "k" * 10**6
    for _ in range(21):
        long._attach(Node("literal", 0, 0))
    assert long.limit == "nodes"


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ('{"a": 1}', "closed"),
        ('{"a": "x"', "open"),
        ('{"a": ["x"', "open"),
        ('{"a": ["x",', "cut"),
        ('{"a": "x', "cut"),
        ('{"a": 1', "cut"),
        ('{"a":', "cut"),
        ('{"a": "x", "b', "cut"),
        ('{"a": "x" // and', "cut"),
        ("{", "cut"),
        ('{"a": {"b": 1} = 2}', "broken"),
    ],
)
def test_the_tail_tells_how_the_text_ended(text: str, tail: str) -> None:
    assert scan(text, 0).tail == tail
