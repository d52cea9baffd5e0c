"""The faults of a reply are lazy, and their hints share one budget."""

from promptpack.reply.schema_check import SchemaCheck
from promptpack.schema.validation import Schema

KEYS: dict[str, object] = {f"a rather long name {number:03}": {} for number in range(100)}


def test_many_candidates_share_the_comparisons_of_words() -> None:
    check = SchemaCheck(Schema({"type": "object", "properties": KEYS, "additionalProperties": False}))
    found = []
    for number in range(20):
        key = f"a rather logn name {number:03}"
        check.explain({key: 1})
        found.append(check.expected["additionalProperties", f"/{key}"])
    assert found[0] == "a rather long name 000"
    assert found[-1] is None
