"""A contract that the strict modes of providers cannot express.

With structured outputs a provider lets the model write only what a schema allows, but takes a part of JSON Schema
only. An optional field can be made nullable, and a bound can be left to our own check; what is told here has no
counterpart: objects with free keys, conditions, `not`, tuples, and keywords that compare items or keys. The unified
contract itself is not told: its params depend on the action, which strict modes take as one schema an action.

Schema files of the pack's folder that it refers to are looked at as well.

Bad: `params: {type: object}`, or `patternProperties`.
Good: every object with its `properties`; a list of `{name, value}` objects in place of free keys.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.linter.rule import Advice
from promptpack.linter.shapes import kinds, walk
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.problem import Severity

CODE: Final = "PL017"
NAME: Final = "not-strict"
SEVERITY: Final[Severity] = "note"

_NOT_TAKEN: Final = (
    "patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems",
    "dependentRequired", "dependentSchemas", "if", "not", "oneOf", "prefixItems", "contains", "uniqueItems",
)  # fmt: skip


def check(subject: Subject) -> Iterator[Advice]:
    """Look at the params of the pack's own actions, and at a contract of its own."""
    for what, placed in subject.reply_schemas:
        yield from _of_schema(what, placed)


def _of_schema(what: str, placed: Placed) -> Iterator[Advice]:
    for path, schema in walk(placed.value):
        here = placed.child(*path)
        for keyword in _NOT_TAKEN:
            if schema.get(keyword):
                message = f"{what}: strict modes do not take {keyword!r}"
                yield Advice(message, here.locate_key(keyword), "leave it to a rule of the pack")
        if _has_free_keys(schema):
            message = f"{what}: strict modes do not take an object with free keys"
            yield Advice(message, here.locate_key(), "name its 'properties', or use a list of objects")


def _has_free_keys(schema: Mapping[str, Any]) -> bool:
    if isinstance(schema.get("additionalProperties"), Mapping) or schema.get("additionalProperties") is True:
        return True
    return "object" in kinds(schema) and not schema.get("properties") and "$ref" not in schema
