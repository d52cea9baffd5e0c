"""A keyword of a schema that does nothing where it stands.

`minLength` beside `type: integer` or beside an `enum` of longer words, `then` without `if`, `minItems: 0`: the author
meant to check something, and nothing is checked.
Schema files of the pack's folder that it refers to are looked at as well.

Bad: `{type: integer, minLength: 1}`
Good: `{type: integer, minimum: 1}`. `promptpack lint --fix` takes an idle keyword away.
"""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from promptpack.linter.edit import Edit
from promptpack.linter.rule import Advice
from promptpack.linter.shapes import kinds, walk
from promptpack.linter.subject import Subject
from promptpack.problem import Severity
from promptpack.schema import compile as compile_schema

CODE: Final = "PL018"
NAME: Final = "idle-keyword"
SEVERITY: Final[Severity] = "warning"

_FOR: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        **dict.fromkeys(("minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"), ("string",)),
        **dict.fromkeys(
            ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), ("integer", "number")
        ),
        **dict.fromkeys(
            ("items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems"),
            ("array",),
        ),
        **dict.fromkeys(
            (
                "properties", "patternProperties", "additionalProperties", "propertyNames", "required",
                "minProperties", "maxProperties", "dependentRequired", "dependentSchemas",
            ),
            ("object",),
        ),
    }
)  # fmt: skip
_NEEDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "then": ("if",),
        "else": ("if",),
        "if": ("then", "else"),
        "minContains": ("contains",),
        "maxContains": ("contains",),
    }
)
# Values that ask for nothing.
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType(
    {"minLength": 0, "minItems": 0, "minProperties": 0, "required": [], "uniqueItems": False}
)


def check(subject: Subject) -> Iterator[Advice]:
    """Look at every schema that the pack holds or refers to."""
    for placed in subject.own_schemas:
        for path, schema in walk(placed.value):
            for keyword, message, hint in _idle(schema):
                here = placed.child(*path)
                span = here.document.entry_span((*here.path, keyword))
                yield Advice(message, here.locate_key(keyword), hint, (Edit(*span),) if span else ())


def _idle(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    named = kinds(schema)
    for keyword in schema:
        meant = _FOR.get(keyword, ())
        if named and meant and not set(meant) & set(named):
            message = f"{keyword!r} does nothing beside type {' or '.join(named)}"
            yield keyword, message, f"it is for type {' and '.join(meant)}"
        elif meant and (fixed := _fixed_by(schema)) and _takes_all(schema, keyword, fixed):
            yield keyword, f"{keyword!r} does nothing beside {fixed!r}", "the values are given already"
        elif keyword in _NOTHING and schema[keyword] == _NOTHING[keyword]:
            yield (
                keyword,
                f"'{keyword}: {json.dumps(schema[keyword])}' does nothing",
                "give another value, or remove it",
            )
        needed = _NEEDS.get(keyword, ())
        if needed and not any(other in schema for other in needed):
            yield (
                keyword,
                f"{keyword!r} does nothing without {' or '.join(map(repr, needed))}",
                "add it, or remove this",
            )


def _fixed_by(schema: Mapping[str, Any]) -> str:
    return next((name for name in ("const", "enum") if name in schema), "")


def _takes_all(schema: Mapping[str, Any], keyword: str, fixed: str) -> bool:
    if "$ref" in json.dumps(schema[keyword]):
        return False
    checked = compile_schema({keyword: schema[keyword]})
    return all(map(checked.accepts, schema["enum"] if fixed == "enum" else [schema["const"]]))
