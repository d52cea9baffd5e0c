from typing import Any

import pytest

from promptpack.reply.alarm import complaint
from promptpack.reply.shape import Shape


@pytest.mark.parametrize(
    ("schema", "value", "rule"),
    [
        ({"enum": ["low", "high"]}, "medium", "enum"),
        ({"const": 1}, 2, "enum"),
        ({"type": "number"}, "many", "type"),
        ({"type": "boolean"}, 1, "type"),
        ({"type": "string"}, ["a"], "type"),
        ({"type": "number", "minimum": 0}, -1, "minimum"),
        ({"type": "number", "maximum": 100}, 100.5, "maximum"),
    ],
)
def test_what_no_repair_can_mend_is_told(schema: dict[str, Any], value: Any, rule: str) -> None:
    found = complaint(value, Shape.of(schema))
    assert found is not None
    assert found[0] == rule
    assert repr(value) in found[1]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, "anything"),
        ({"type": "number", "minimum": 0}, 5),
        ({"enum": ["low"]}, "low"),
        # An optional field may be null, and a text may hold the object or the list.
        ({"type": "string"}, None),
        ({"type": "object"}, '{"a": 1}'),
        ({"type": "array"}, "one item"),
    ],
)
def test_what_may_still_be_read_raises_no_alarm(schema: dict[str, Any], value: Any) -> None:
    assert complaint(value, Shape.of(schema)) is None
