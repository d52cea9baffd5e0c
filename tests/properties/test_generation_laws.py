"""Laws of generated values: the validator accepts each of them, and no schema makes the generator hang."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack import ContextError, Library, Pack, testing
from promptpack.schema import Schema
from promptpack.schema.generation import FirstChoices, NoValueError, RandomChoices, ValueGenerator
from promptpack.schema.inclusion import includes
from tests.properties.inclusion_schemas import schemas


@settings(max_examples=100)
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


PACKS = [pack for pack in Library.open().select()[0] if not pack.abstract]
NAMES = [f"{pack.label} {pack.locale}" for pack in PACKS]


@pytest.mark.parametrize("pack", PACKS, ids=NAMES)
@settings(max_examples=8)
@given(data=st.data())
def test_shipped_packs_take_generated_contexts_and_replies(pack: Pack, data: st.DataObject) -> None:
    context = data.draw(testing.contexts(pack))
    try:
        prompt = pack.render(context)
    except ContextError as error:
        # The type of `key` in a pinned block is not declared, but the template needs text.
        assert (pack.name, error.problems[0].code) == ("smart-executor", "PP432")
        return
    reply = data.draw(testing.replies(pack, context))
    assert prompt.check(json.dumps(reply, ensure_ascii=False)).outcome == "valid"


@pytest.mark.parametrize("pack", PACKS, ids=NAMES)
@settings(max_examples=8)
@given(data=st.data())
def test_a_reply_one_step_outside_the_contract_is_refused_there(pack: Pack, data: st.DataObject) -> None:
    near = data.draw(testing.near_replies(pack, testing.example_context(pack)))
    verdict = pack.render(testing.example_context(pack)).check(json.dumps(near.reply, ensure_ascii=False))
    assert not verdict.ok
    assert any(found.path == near.path or found.path.startswith(f"{near.path}/") for found in verdict.violations)


@pytest.mark.parametrize("pack", PACKS, ids=NAMES)
@settings(max_examples=8)
@given(data=st.data())
def test_only_rules_refuse_a_reply_that_meets_the_schema(pack: Pack, data: st.DataObject) -> None:
    reply = data.draw(testing.replies(pack, rules=False))
    verdict = pack.check(json.dumps(reply, ensure_ascii=False))
    assert all(violation.code == "PP520" for violation in verdict.violations)
