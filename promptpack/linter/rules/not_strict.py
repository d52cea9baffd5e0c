"""A contract that the strict modes of providers cannot express.

With structured outputs, a provider forces the model to follow a schema, but supports only a part of JSON Schema. An
optional field can be made nullable, and a minimum or maximum can be left to promptpack's own validation. The rule
reports keywords without such an alternative: objects with arbitrary keys, conditions, `not`, tuples, and keywords that
compare items or keys. The unified contract itself is not reported: its params depend on the action, which strict modes
support as one schema per action. Schema files that the pack references are checked too.

Bad: `params: {type: object}`, or `patternProperties`.
Good: every object with its `properties`; a list of `{name, value}` objects in place of arbitrary keys.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import declared_types
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.schema.safety import iterate_schemas

CODE: Final = "PL017"
NAME: Final = "not-strict"
SEVERITY: Final = "note"

_UNSUPPORTED: Final = (
    "patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems",
    "dependentRequired", "dependentSchemas", "if", "not", "oneOf", "prefixItems", "contains", "uniqueItems",
)  # fmt: skip


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check the contract and the params that the pack itself declares."""
    for what, placed in subject.reply_schemas:
        yield from _check_schema(what, placed)


def _check_schema(what: str, placed: Placed) -> Iterator[LintProblem]:
    for path, schema in iterate_schemas(placed.value):
        here = placed.child(*path)
        for keyword in _UNSUPPORTED:
            if schema.get(keyword):
                message = f"{what}: strict modes do not support {keyword!r}"
                yield LintProblem(message, here.locate_key(keyword), "check this with a rule of the contract instead")
        if _has_arbitrary_keys(schema):
            message = f"{what}: strict modes do not support an object with arbitrary keys"
            yield LintProblem(message, here.locate_key(), "declare its 'properties', or use a list of objects")


def _has_arbitrary_keys(schema: Mapping[str, Any]) -> bool:
    if isinstance(schema.get("additionalProperties"), Mapping) or schema.get("additionalProperties") is True:
        return True
    return "object" in declared_types(schema) and not schema.get("properties") and "$ref" not in schema
