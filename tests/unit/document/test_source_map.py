import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack import document
from promptpack.document import Document

TEXT = """\
# a comment
name: planner
inputs:
  GOAL: {type: string, default: "x"}
messages:
  - role: system
    content: |
      first line
        second {{ A }}

      fourth {{ B }}
  - content: >-  # folded
      one
      two {{ C }}

      three {{ D }}
  - content: "quoted \\u4e2d \\n {{ E }}
      next {{ F }}"
  - content: 'it''s {{ G }}'
  - content: plain text {{ "H" }}
      goes on {{ "I" }}
"""


@pytest.fixture
def parsed() -> Document:
    return document.parse(TEXT, "p.yaml")


def place_of(needle: str) -> tuple[int, int]:
    offset = TEXT.index(needle)
    return TEXT.count("\n", 0, offset) + 1, offset - TEXT.rfind("\n", 0, offset)


def test_every_key_and_value_has_a_line_and_column(parsed: Document) -> None:
    assert str(parsed.locate(("name",))) == "p.yaml:2:7"
    assert str(parsed.locate_key(("name",))) == "p.yaml:2:1"
    assert str(parsed.locate(("inputs", "GOAL", "default"))) == "p.yaml:4:33"
    assert str(parsed.locate_key(("inputs", "GOAL", "type"))) == "p.yaml:4:10"
    assert str(parsed.locate(("messages", 1))) == "p.yaml:12:5"


def test_a_missing_path_is_located_at_its_nearest_parent(parsed: Document) -> None:
    assert parsed.locate(("inputs", "GOAL", "nope")) == parsed.locate(("inputs", "GOAL"))


@pytest.mark.parametrize(
    ("index", "needle"),
    [(0, "{{ A"), (0, "{{ B"), (1, "{{ C"), (1, "{{ D"), (2, "{{ E"), (2, "{{ F"), (3, "{{ G"),
     (4, '{{ "H'), (4, '{{ "I')],
)  # fmt: skip
def test_a_position_inside_a_scalar_is_located_in_every_style(parsed: Document, index: int, needle: str) -> None:
    value: str = parsed.data["messages"][index]["content"]
    offset = value.index(needle)
    line, column = value.count("\n", 0, offset) + 1, offset - value.rfind("\n", 0, offset)
    found = parsed.locate_inside(("messages", index, "content"), line, column)
    assert (found.line, found.column) == place_of(needle)


@pytest.mark.parametrize("scalar", ["'it''s {{ A'", '"\\"a {{ A"', "plain {{ A", "|\n  a\n  {{ A", ">-\n  a\n  {{ A"])
@pytest.mark.parametrize("between", [" ", "  ", "\n  ", " # why\n  "])
def test_an_anchor_is_not_part_of_a_scalar(scalar: str, between: str) -> None:
    text = f"x: &name{between}{scalar}\n"
    found = document.parse(text)
    line = found.data["x"].count("\n", 0, found.data["x"].index("{{")) + 1
    column = found.data["x"].split("\n")[line - 1].index("{{") + 1
    offset = text.index("{{")
    place = (text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
    located = found.locate_inside(("x",), line, column)
    assert (located.line, located.column) == place


def test_an_alias_is_located_at_its_anchor() -> None:
    parsed = document.parse("a: &x {k: v}\nb: *x\n", "p.yaml")
    assert str(parsed.locate(("b", "k"))) == "p.yaml:1:11"


@given(
    st.lists(st.text("ab {}%\n", min_size=1, max_size=30), min_size=1, max_size=5),
    st.sampled_from("|>"),
    st.integers(2, 6),
)
def test_block_scalars_map_every_letter_back_to_itself(lines: list[str], style: str, indent: int) -> None:
    body = "\n".join(" " * indent + "m" + part.replace("\n", "n").replace("  ", " ") for part in lines)
    text = f"k: {style}\n{body}\n"
    parsed = document.parse(text, "p.yaml")
    value: str = parsed.data["k"]
    for offset, character in enumerate(value):
        if character in "ab{}%mn":
            line, column = value.count("\n", 0, offset) + 1, offset - value.rfind("\n", 0, offset)
            found = parsed.locate_inside(("k",), line, column)
            assert text.split("\n")[found.line - 1][found.column - 1] == character


def test_an_alias_of_a_key_is_located_at_the_key() -> None:
    found = document.parse("&name title: 1\nsame: *name\n", "pack.yaml")
    assert found.data == {"title": 1, "same": "title"}
    assert str(found.locate(("same",))) == "pack.yaml:1:1"
    assert str(found.locate_key(("same",))) == "pack.yaml:2:1"
