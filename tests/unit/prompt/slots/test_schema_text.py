from typing import Any

import pytest

from promptpack.prompt.slots.schema_text import print_schema


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ((), "<()>"),
        ("str", "<str>"),
        (("str", "lost at the top"), "<str>"),
        ({"a": ("str", "d"), "b": "int"}, '{\n  "a": <str>, // d\n  "b": <int>\n}'),
        ({"a": ("str", "")}, '{\n  "a": <str> //\n}'),
        ({"a": ("str",)}, '{\n  "a": <str>\n}'),
        ({"a": ("str", "d", "ignored")}, '{\n  "a": <str> // d\n}'),
        ([("str", "d"), ("int", "")], "[\n  <str>, // d\n  <int>,\n  ...\n]"),
        ({"a": [{"b": "int"}]}, '{\n  "a": [\n    {\n      "b": <int>\n    },\n    ...\n  ]\n}'),
        ({"a": ({"b": "int"}, "d")}, '{\n  "a": {\n      "b": <int>\n    } // d\n}'),
        ({"a": (("str", "x"), "d")}, "{\n  \"a\": <('str', 'x')> // d\n}"),
    ],
)
def test_a_schema_is_printed(schema: Any, text: str) -> None:
    assert print_schema(schema) == text
