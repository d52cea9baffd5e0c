"""Samples: every schema of the shipped contracts accepts some of its samples."""

from pathlib import Path
from typing import Any

import pytest

from promptpack import Library
from promptpack.flow.possible_values import samples
from promptpack.schema.validation import compile as compile_schema

ROOT = Path(__file__).parents[3]
PARAMS = [
    (f"{pack.name} {name}", action.params)
    for pack in Library.open(str(ROOT / "packs")).packs()
    if pack.contract is not None
    for name, action in pack.contract.actions.items()
    if action.params is not None
]


@pytest.mark.parametrize("params", [one for _, one in PARAMS], ids=[name for name, _ in PARAMS])
def test_a_shipped_schema_accepts_some_of_its_samples(params: Any) -> None:
    accepts = compile_schema(params).accepts
    assert sum(accepts(sample) for sample in samples(params)) >= 3


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"enum": ["a", "b"]}, ["a", "b"]),
        ({"const": 3}, [3]),
        ({"type": "boolean"}, [True, False]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["xx", "xx", "xxx"]),
        ({"type": "integer", "minimum": 5, "maximum": 9}, [1, 5, 9, 0, -1, 1000000]),
        ({"anyOf": [{"const": "a"}, {"type": "null"}]}, ["a", None]),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"const": 1}}}, [1]),
        (
            {"type": "object", "required": ["a"], "properties": {"a": {"const": 1}, "b": {"const": 2}}, "additionalProperties": False},
            [{"a": 1, "b": 2}, {"a": 1}, {"a": 1}],
        ),
    ],
)  # fmt: skip
def test_samples_include_edge_cases(schema: Any, expected: list[Any]) -> None:
    assert list(samples(schema)) == expected


def test_a_recursive_schema_has_finite_samples() -> None:
    tree = {"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"child": {"$ref": "#/$defs/t"}}}}}
    assert len(list(samples(tree))) > 0
