from typing import Any

import pytest

from promptpack.reply.align import align, parse_text
from promptpack.reply.shape import Shape

SHAPE = Shape.of(
    {
        "type": "object",
        "required": ["level"],
        "properties": {
            "level": {"enum": ["low", "high"]},
            "userMessage": {"type": "string"},
            "score": {"type": "integer", "minimum": 0, "maximum": 100},
            "tags": {"type": "array", "items": {"type": "string"}},
            "free": {"type": "object"},
        },
    }
)


@pytest.mark.parametrize(
    ("value", "aligned"),
    [
        ({"level": "Low"}, {"level": "low"}),
        ({"level": "low", "user_message": "x"}, {"level": "low", "userMessage": "x"}),
        ({"level": "low", "score": "85%"}, {"level": "low", "score": 85}),
        ({"level": "low", "score": "85/100"}, {"level": "low", "score": 85}),
        ({"level": "low", "tags": "one"}, {"level": "low", "tags": ["one"]}),
        ({"level": "low", "score": ""}, {"level": "low"}),
        ({"level": "low", "free": '{"score": "85"}'}, {"level": "low", "free": {"score": "85"}}),
        ({"level": "not high"}, {"level": "not high"}),
    ],
)
def test_a_value_is_converted_where_the_schema_leaves_one_way(value: dict[str, Any], aligned: dict[str, Any]) -> None:
    found = align(value, SHAPE)
    assert found.value == aligned
    assert bool(found.repairs) == (value != aligned)


def test_a_text_that_is_one_object_is_parsed() -> None:
    assert parse_text('```json\n{"a": 1}\n```') == {"a": 1}
    assert parse_text('{"a": 1} and more') is None
    assert parse_text("text") is None
