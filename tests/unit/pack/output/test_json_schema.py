# ruff: noqa: UP007, UP045, PYI061 - unions of both kinds are what is tested
from datetime import date
from typing import Any, Literal, Optional, Union

import pytest

from promptpack.pack.output.json_schema import write_json_schema


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ((str,), {"type": "string"}),
        ((int, "how many"), {"type": "integer", "description": "how many"}),
        ((date,), {"type": "string", "format": "date"}),
        ((Any,), {}),
        ((Literal["a", 1],), {"enum": ["a", 1]}),
        ((Optional[str],), {"type": ["string", "null"]}),
        ((int | str | None,), {"type": ["integer", "string", "null"]}),
        ((Union[list[int], None],), {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}),
        ((Union[Any, int],), {}),
        ((dict[str, float],), {"type": "object", "additionalProperties": {"type": "number"}}),
        (
            (tuple[int, str],),
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
        ),
        ((tuple[int, ...],), {"type": "array", "items": {"type": "integer"}}),
        ((set[str],), {"type": "array", "items": {"type": "string"}}),
        (([str], "some"), {"type": "array", "items": {"type": "string"}, "description": "some"}),
        ([], {"type": "array"}),
        (5, {}),
    ],
)
def test_a_type_is_converted_to_json_schema(kind: Any, expected: dict[str, Any]) -> None:
    assert write_json_schema(kind) == expected


def test_a_field_that_refuses_null_is_required() -> None:
    schema = write_json_schema(
        {
            "a": (str,),
            "b": str,
            "c": (Optional[int],),
            "d": {"e": (bool,)},
            "f": [str],
            "g": "any text",
            "h": Optional[int],
            "i": (Literal["x", None],),
        }
    )
    assert schema["required"] == ["a", "d", "f"]
    assert schema["properties"]["b"] == {"type": ["string", "null"]}
    assert schema["properties"]["g"] == {"description": "any text"}
    assert schema["properties"]["h"] == {"type": ["integer", "null"]}
    assert schema["properties"]["d"]["required"] == ["e"]
