import pytest

from promptpack.reply.scan import scan
from promptpack.reply.scan_state import ScanState
from promptpack.reply.syntax_tree import Node


def state(text: str, **limits: int) -> ScanState:
    made = ScanState(text, 0, limits.get("depth", 100), limits.get("nodes", 100))
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
def test_white_space_and_comments_are_skipped_and_recorded(text: str, position: int, kinds: list[str]) -> None:
    made = state(text)
    made._skip()
    assert (made.position, [repair.kind for repair in made.repairs]) == (position, kinds)


def test_a_comment_in_place_of_items_is_a_defect_of_the_container() -> None:
    for text in ("/* ... */}", "// same as above\n}"):
        made = state(text)
        made._skip()
        assert made.stack[-1].node.defect is not None
        assert made.stack[-1].node.defect.rule == "elided"
    made = state("// the reason\n}")
    made._skip()
    assert made.stack[-1].node.defect is None


def test_depth_values_repairs_and_pointers_have_limits() -> None:
    deep = state("", depth=1)
    deep._push("array", 0, 0, "]")
    assert deep.limit == "depth"
    many = state("", nodes=2)
    for _ in range(3):
        many._attach(Node("literal", 0, 0))
    assert many.limit == "nodes"
    repaired = state("", nodes=2)
    for _ in range(3):
        repaired._repair("comment", 0, 0, "")
    assert repaired.limit == "nodes"
    long = state("", nodes=10**6)
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
def test_the_tail_shows_how_the_text_ends(text: str, tail: str) -> None:
    assert scan(text, 0).tail == tail
