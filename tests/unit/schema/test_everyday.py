"""Everyday schemas, looked at once: the same answer as the functions give, or none."""

from typing import Any

import pytest

from promptpack import schema
from promptpack.schema.everyday import UndecidedError, meets

PERSON = {
    "type": "object",
    "description": "someone",
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 3}, "tags": {"items": {"enum": ["a", "b"]}}},
}


@pytest.mark.parametrize(
    "value",
    [
        *({"name": "a"}, {"name": ""}, {"name": "abcd"}, {"name": 1}, {"name": "字字字", "other": 1.5}),
        *({"name": "a", "tags": ["a", "c"]}, {"name": "a", "tags": "abc"}, {"name": "a", "tags": [True]}),
        *({}, [], "a", None),
    ],
)
def test_an_everyday_schema_is_met_as_it_is_elsewhere(value: Any) -> None:
    assert meets(value, PERSON) == schema.compile(PERSON).accepts(value)


@pytest.mark.parametrize("kind", ["string", "object", "array", "boolean", "number", "null", "integer"])
@pytest.mark.parametrize("value", ["", {}, [], True, 0, 0.5, None])
def test_kinds_are_those_of_json_schema(kind: str, value: Any) -> None:
    try:
        assert meets(value, {"type": kind}) == schema.compile({"type": kind}).accepts(value)
    except UndecidedError:
        assert (kind, type(value)) == ("integer", float)


@pytest.mark.parametrize(
    "given",
    [{"pattern": "a"}, {"type": ["string"]}, {"enum": [1]}, {"items": True}, {"minimum": 0}, {"$ref": "#"}, True],
)
def test_what_is_not_of_every_day_is_left_to_others(given: Any) -> None:
    with pytest.raises(UndecidedError):
        meets(["a"], given)
