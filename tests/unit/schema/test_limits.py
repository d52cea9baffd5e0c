"""A schema, a pattern and an explanation stop at their limits, with a message that names the limit."""

from collections.abc import Callable
from typing import Any

import pytest

from promptpack.problem import PackError
from promptpack.schema.equality import are_unique, equality_key
from promptpack.schema.patterns import PatternError, read_pattern
from promptpack.schema.pointers import bundle
from promptpack.schema.safety import SchemaMeter
from promptpack.schema.supported_keywords import MAX_STEPS
from promptpack.schema.validation import compile as compile_schema

MODULUS = 2**61 - 1
INPUT = "messages:\n  - {{role: user, content: hi}}\ninputs:\n  A: {}\n"


def test_a_refused_pattern_has_a_line_the_name_of_its_input_and_a_hint(problems_of: Callable[[str], str]) -> None:
    assert problems_of(INPUT.format("{type: string, pattern: '(?=(?:a?a?)*$)b'}")) == (
        "packs/demo/1.0.0.yaml:7:30: PP215 pattern '(?=(?:a?a?)*$)b' can take forever to match (in /inputs/A/pattern)\n"
        "  hint: remove back-references, and look-arounds next to nested repetitions"
    )


def test_a_long_pattern_is_refused(problems_of: Callable[[str], str]) -> None:
    assert "PP215 pattern 'aaa" in problems_of(INPUT.format(f"{{type: string, pattern: '{'a' * 1_001}'}}"))


def test_too_many_patterns_are_refused(problems_of: Callable[[str], str]) -> None:
    patterns = ", ".join(f"{{pattern: a{number}}}" for number in range(1_001))
    assert problems_of(INPUT.format(f"{{anyOf: [{patterns}]}}")).split(": ", 1)[1] == (
        "PP217 the patterns of this pack have more than 50,000 characters, counting at least 50 each "
        "(in /inputs/A/anyOf/1000/pattern)\n  hint: use 'enum', or fewer patterns"
    )


def test_schemas_that_are_too_large_together_are_refused() -> None:
    meter = SchemaMeter()
    schema: dict[str, Any] = {"properties": {str(number): {} for number in range(20_000)}}
    for _ in range(2):
        bundle(schema, "pack.yaml", lambda _, name: (name, {}), meter)
    with pytest.raises(PackError) as refused:
        bundle(schema, "pack.yaml", lambda _, name: (name, {}), meter)
    assert str(refused.value) == (
        "PP217 the schemas of this pack have more than 50,000 mappings with the files they refer to\n"
        "  hint: split the pack, or refer to smaller files"
    )


def test_a_text_that_is_too_long_for_the_remaining_steps_is_refused() -> None:
    pattern = read_pattern("^(?:a|aa)*$")
    assert pattern.is_found_in("a" * 1_000, [MAX_STEPS])
    with pytest.raises(PatternError, match="a text of 1,000 characters is too long for the pattern"):
        pattern.is_found_in("a" * 1_000, [10])


def test_equal_hashes_do_not_fill_one_bucket() -> None:
    keys = [equality_key(number * MODULUS, [MAX_STEPS]) for number in range(-500, 500)]
    keys += [equality_key([number * MODULUS, -number], [MAX_STEPS]) for number in range(1_000)]
    assert len(set(map(hash, keys))) > 1_900


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MODULUS, float(MODULUS)),
        (10**30, 1e30),
        ([1, {"a": 2.0}], [1.0, {"a": 2}]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ],
)
def test_equal_values_have_one_key(one: Any, other: Any) -> None:
    is_equal = one == other
    assert (equality_key(one, [MAX_STEPS]) == equality_key(other, [MAX_STEPS])) is is_equal
    assert are_unique([one, other], [MAX_STEPS]) is not is_equal


@pytest.mark.parametrize("pair", [(1, True), (0, False), ("1", 1), (None, False), ([1], [True]), ("0x1", [1])])
def test_different_values_have_different_keys(pair: tuple[Any, Any]) -> None:
    assert are_unique(list(pair), [MAX_STEPS])


def test_an_explanation_beyond_its_budget_is_the_shortest_true_message() -> None:
    definitions: dict[str, Any] = {"d0": {"type": "integer"}}
    for number in range(1, 40):
        reference = {"$ref": f"#/$defs/d{number - 1}"}
        definitions[f"d{number}"] = {"anyOf": [reference, reference]}
    schema = compile_schema({"properties": {"a": {"$ref": "#/$defs/d39"}}, "$defs": definitions})
    (found,) = schema.check({"a": "x"})
    assert (found.keyword, found.path, found.message) == ("limit", ("a",), "takes too long to check")


def test_a_chain_of_references_is_resolved_once() -> None:
    definitions: dict[str, Any] = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(5_000)}
    schema = compile_schema({"$ref": "#/$defs/d0", "$defs": {**definitions, "d5000": {"type": "integer"}}})
    assert schema.accepts(1)


def test_a_message_shows_some_choices_of_a_long_list() -> None:
    (found,) = compile_schema({"enum": [f"w{number}" for number in range(1_000)]}).check("x")
    assert found.message.endswith("'w49', ...")


def test_only_the_first_missing_keys_are_listed() -> None:
    assert len(compile_schema({"required": [f"k{number}" for number in range(1_000)]}).check({})) == 50
