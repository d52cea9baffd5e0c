import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack.stubs.python_names import Names
from promptpack.stubs.types import INPUT, REPLY, ContainerTypes, TypeWriter, quote, show_type, write_doc


def types(schema: dict[str, Any], kinds: ContainerTypes = REPLY) -> tuple[str, str]:
    writer = TypeWriter(Names(), kinds)
    kind = show_type(writer.write(schema, "Root"))
    return kind, "\n".join(writer.classes)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "str"),
        ({"type": ["null", "integer"]}, "int | None"),
        ({"enum": ["a", None, 2]}, 'Literal["a", 2] | None'),
        ({"enum": [1.5]}, "Any"),
        ({"const": True}, "Literal[True]"),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "list[str | None]"),
        ({"type": "array"}, "list[Any]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({}, "Any"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "boolean"}}}, "bool"),
    ],
)
def test_a_schema_becomes_a_type(schema: dict[str, Any], expected: str) -> None:
    assert types(schema) == (expected, "")


def test_an_object_becomes_a_model() -> None:
    schema = {
        "type": "object",
        "description": "A person.",
        "properties": {"name": {"type": "string"}, "class": {"type": "integer"}, "json": {"type": "string"}},
        "required": ["name", "class"],
    }
    text = (
        'class Root(Model):\n    """A person."""\n\n    name: str\n    class_: int = Field(alias="class")\n'
        '    json_: str | None = Field(default=None, alias="json")'
    )
    assert types(schema) == ("Root", text)
    assert types(schema, INPUT)[0] == "Root | Mapping[str, Any]"


def test_a_condition_becomes_a_union() -> None:
    schema = {
        "type": "object",
        "if": {"required": ["error"]},
        "then": {"properties": {"error": {"type": "string"}}},
        "else": {"properties": {"text": {"type": "string"}}},
    }
    assert types(schema)[0] == "Root | Root2"


def test_a_recursive_object_refers_to_itself() -> None:
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    assert "kids: list[RootKidsItem] | None = None" in types({"$ref": "#/$defs/tree", "$defs": {"tree": tree}})[1]


def test_a_list_that_contains_itself_ends() -> None:
    lists = {"type": "array", "items": {"$ref": "#/$defs/lists"}}
    kind, _ = types({"$ref": "#/$defs/lists", "$defs": {"lists": lists}})
    assert "list[Any]" in kind


def test_a_long_list_of_words_gets_a_name() -> None:
    words = [f"word number {number}" for number in range(20)]
    kind, text = types({"enum": words})
    assert kind == "Root"
    assert text.startswith('Root: TypeAlias = Literal[\n    "word number 0",\n')


@given(st.text())
def test_a_quoted_text_has_the_same_value(text: str) -> None:
    assert ast.literal_eval(quote(text)) == text


@given(st.text())
def test_a_docstring_is_one_line_of_valid_code(text: str) -> None:
    written = write_doc(text)
    assert isinstance(ast.literal_eval(written), str)
    assert len(written.splitlines()) == 1
    assert len(written) <= 116
