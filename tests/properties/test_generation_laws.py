"""Laws of generated values: the validator accepts each of them, and no schema makes the generator hang."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.schema import Schema
from promptpack.schema.generation import FirstChoices, NoValueError, RandomChoices, ValueGenerator
from promptpack.schema.inclusion import includes
from tests.properties.inclusion_schemas import schemas


@settings(max_examples=300, deadline=None)
@given(schemas(), st.integers(0, 1000))
def test_every_generated_value_is_valid(schema: dict[str, Any], seed: int) -> None:
    generator = ValueGenerator(schema)
    for choices in (FirstChoices(), RandomChoices(seed)):
        try:
            value = generator.generate(choices)
        except NoValueError as error:
            # What is said to be proven is proven by the decision procedure, too.
            assert not error.is_proven or includes(False, schema).answer == "yes"
        else:
            assert Schema(schema).accepts(value)
            assert json.loads(json.dumps(value)) == value
