"""`includes` is never wrong: "yes" holds for drawn values, the counterexample of "no" is one for `jsonschema` as well.

`INCLUSION_PAIRS` and `INCLUSION_VALUES` in the environment set the numbers of drawn pairs and of valid values per proof.
"""

import json
import os
from collections import Counter
from itertools import chain
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from promptpack import schema as schemas
from promptpack.schema.inclusion import Inclusion, includes
from promptpack.schema.supported_keywords import KEYWORD_TYPES, UNSUPPORTED_KEYWORDS
from tests.properties.inclusion_schemas import KEYWORDS, Schema, pairs, unrelated_pairs
from tests.properties.inclusion_values import Values

_PAIRS = int(os.environ.get("INCLUSION_PAIRS", "400"))
_VALUES = int(os.environ.get("INCLUSION_VALUES", "100"))
_MANY_VALUES = 1_000
_COUNTED = 500
# Values are not drawn by Hypothesis, which would discard an example with so many.
_SEEDS = st.integers(0, 2**32)


@settings(max_examples=_PAIRS, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(pairs(), _SEEDS)
def test_an_answer_is_never_wrong(pair: tuple[Schema, Schema], number: int) -> None:
    _check_answers(pair, number)


@settings(max_examples=_PAIRS, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(unrelated_pairs(), _SEEDS)
def test_an_answer_about_unrelated_schemas_is_never_wrong(pair: tuple[Schema, Schema], number: int) -> None:
    _check_answers(pair, number)


def _check_answers(pair: tuple[Schema, Schema], number: int) -> None:
    for narrow, wide in (pair, pair[::-1]):
        found = includes(wide, narrow)
        if found.answer == "yes":
            _check_proof(wide, narrow, number)
        elif found.answer == "no":
            _check_counterexample(wide, narrow, found)


def _check_proof(wide: Schema, narrow: Schema, number: int, wanted: int = _VALUES) -> int:
    """Values that are valid for the narrow schema are valid for the wide one; return how many were found."""
    accepts_narrow, accepts_wide = schemas.compile(narrow).accepts, schemas.compile(wide).accepts
    valid = 0
    near = zip(Values(narrow, number).draw(wanted), Values(wide, number).draw(wanted), strict=True)
    for value in chain.from_iterable(near):
        if valid == wanted:
            break
        if accepts_narrow(value):
            valid += 1
            assert accepts_wide(value), value
    return valid


def _check_counterexample(wide: Schema, narrow: Schema, found: Inclusion) -> None:
    value = found.counterexample
    assert schemas.compile(narrow).accepts(value)
    assert not schemas.compile(wide).accepts(value)
    # For us, 0.3 is a multiple of 0.1, and as in ECMA 262, `$` in a pattern does not match before a last newline.
    if "multipleOf" not in json.dumps([wide, narrow]) and "\\n" not in json.dumps(value):
        assert Draft202012Validator(narrow).is_valid(value)
        assert not Draft202012Validator(wide).is_valid(value)


def test_most_proofs_hold_for_a_thousand_valid_values() -> None:
    found: list[int] = []

    @seed(20)
    @settings(max_examples=_PAIRS // 8, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(pairs(), _SEEDS)
    def check(pair: tuple[Schema, Schema], number: int) -> None:
        for narrow, wide in (pair, pair[::-1]):
            if includes(wide, narrow).answer == "yes":
                found.append(_check_proof(wide, narrow, number, _MANY_VALUES))

    check()
    assert sum(count == _MANY_VALUES for count in found) > len(found) / 2, found


def test_few_answers_are_unknown() -> None:
    answers: Counter[str] = Counter()

    @seed(20)
    @settings(max_examples=_COUNTED, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(pairs())
    def count(pair: tuple[Schema, Schema]) -> None:
        answers.update([includes(*pair).answer, includes(*pair[::-1]).answer])

    count()
    assert answers["unknown"] < sum(answers.values()) / 10, answers
    assert min(answers["yes"], answers["no"]) > sum(answers.values()) / 10, answers


def test_the_drawn_schemas_have_every_keyword() -> None:
    expected = {*KEYWORD_TYPES, *UNSUPPORTED_KEYWORDS, "then", "else", "minContains", "maxContains"} - {"$dynamicRef"}
    assert expected <= KEYWORDS


@settings(max_examples=100)
@given(pairs())
def test_every_schema_includes_itself_and_nothing_is_wider_than_true(pair: tuple[Schema, Schema]) -> None:
    schema: Any = pair[0]
    assert includes(schema, schema).answer == "yes"
    assert includes(True, schema).answer == "yes"
    assert includes(schema, False).answer == "yes"
