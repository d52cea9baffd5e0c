"""`reply_format` states every constraint that can reject a reply."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack.pack.contract import Contract
from promptpack.prompt.reply_format import write_reply_format
from promptpack.schema.keywords import build_validator_class

COUNTS = st.integers(2, 9_999)
NAMES = st.text("abcdefgh", min_size=3, max_size=8)
INNER = st.builds(lambda name: {"type": "string", "const": name}, NAMES)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), COUNTS),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), COUNTS),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), st.lists(INNER, min_size=1, max_size=3)),
    **dict.fromkeys(("contains", "not", "propertyNames", "items", "unevaluatedItems", "unevaluatedProperties"), INNER),
    **dict.fromkeys(("dependentSchemas", "patternProperties", "properties"), st.dictionaries(NAMES, INNER, min_size=1)),
    "additionalProperties": INNER,
    "const": NAMES,
    "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, min_size=1, max_size=2), min_size=1, max_size=2),
    "enum": st.lists(NAMES, min_size=2, max_size=4),
    "pattern": NAMES.map(lambda name: f"^{name}$"),
    "required": st.lists(NAMES, min_size=1, max_size=3, unique=True),
    "type": st.sampled_from(["string", "boolean", "integer", "null"]),
    "uniqueItems": st.just(True),
}
# References are followed, `if` needs `then`, and nothing validates formats.
OTHERS = {"$ref", "$dynamicRef", "if", "format"}
TYPES = {"items": "array"}


def words_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {word for key, item in value.items() for word in (key, *words_in(item))} - {"type", "const", "string"}
    if isinstance(value, list):
        return {word for item in value for word in words_in(item)}
    return set() if value is True else {str(value)} - {"string"}


def write(schema: dict[str, Any], *, at_root: bool = False) -> str:
    root = schema if at_root else {"type": "object", "properties": {"field": schema}}
    return write_reply_format(Contract("own", root), "en")


def test_every_keyword_that_can_reject_a_reply_is_covered() -> None:
    assert set(build_validator_class().VALIDATORS) == VALUES.keys() | OTHERS


@pytest.mark.parametrize("keyword", VALUES)
@given(data=st.data())
def test_the_format_states_every_keyword(keyword: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[keyword])
    kind = {"type": TYPES[keyword]} if keyword in TYPES else {}
    text = write({**kind, keyword: value})
    assert text != write(kind)
    assert [word for word in words_in(value) if word not in text] == []


@pytest.mark.parametrize("keyword", sorted(VALUES.keys() - {"type", "const", "enum", "items"}))
@given(data=st.data())
def test_the_format_states_the_keywords_of_the_whole_reply_and_of_items(keyword: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[keyword])
    for text in (write({keyword: value}, at_root=True), write({"type": "array", "items": {keyword: value}})):
        assert [word for word in words_in(value) if word not in text] == []


def test_a_closed_object_and_a_conditional_are_stated() -> None:
    closed = {"type": "object", "properties": {"a": {"type": "string"}, "b": False}, "additionalProperties": False}
    assert write(closed).endswith(
        "- field (object, optional, no other fields)\n  - a (string, optional)\n  - b (not allowed)"
    )
    conditional = {"if": {"required": ["a"]}, "then": {"$ref": "#/$defs/x"}, "$defs": {"x": {"minProperties": 2}}}
    assert write(conditional, at_root=True).endswith('(the reply: if: {"required": ["a"]}, then: {"minProperties": 2})')


def test_a_pattern_has_its_example() -> None:
    field = {"type": "string", "pattern": "^ORD-[0-9]+$", "examples": ["ORD-12"], "description": "The order."}
    assert write(field).endswith("- field (string, optional, matches ^ORD-[0-9]+$, such as ORD-12): The order.")
