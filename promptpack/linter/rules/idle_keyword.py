"""A schema keyword that has no effect.

`minLength` with `type: integer` or with an `enum` of longer words, `then` without `if`, `minItems: 0`: the author meant
to check something, and nothing is checked. Schema files that the pack references are checked too.

Bad: `{type: integer, minLength: 1}`
Good: `{type: integer, minimum: 1}`. `promptpack lint --fix` removes a keyword without effect.
"""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from promptpack.document.edits import Edit
from promptpack.linter.lint_report import Fix
from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import declared_types
from promptpack.linter.subject import Subject
from promptpack.schema.safety import iterate_schemas
from promptpack.schema.validation import compile as compile_schema

CODE: Final = "PL018"
NAME: Final = "idle-keyword"
SEVERITY: Final = "warning"

_TYPES_BY_KEYWORD: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
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
_REQUIRED_WITH: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "then": ("if",),
        "else": ("if",),
        "if": ("then", "else"),
        "minContains": ("contains",),
        "maxContains": ("contains",),
    }
)
# Values that check nothing.
_NO_EFFECT: Final[Mapping[str, Any]] = MappingProxyType(
    {"minLength": 0, "minItems": 0, "minProperties": 0, "required": [], "uniqueItems": False}
)


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check every schema that the pack contains or references."""
    for placed in subject.own_schemas:
        for path, schema in iterate_schemas(placed.value):
            for keyword, message, hint in _find_idle(schema):
                here = placed.child(*path)
                span = here.document.entry_span((*here.path, keyword))
                fixes = (Fix(f"remove {keyword!r}", (Edit(*span),), is_safe=True),) if span else ()
                yield LintProblem(message, here.locate_key(keyword), hint, fixes)


def _find_idle(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    declared = declared_types(schema)
    fixed = next((name for name in ("const", "enum") if name in schema), "")
    for keyword in schema:
        expected = _TYPES_BY_KEYWORD.get(keyword, ())
        if declared and expected and not set(expected) & set(declared):
            message = f"{keyword!r} has no effect with type {' or '.join(declared)}"
            yield keyword, message, f"it applies only to type {' and '.join(expected)}"
        elif expected and fixed and _accepts_all(schema, keyword, fixed):
            yield keyword, f"{keyword!r} has no effect with {fixed!r}", f"{fixed!r} already limits the values"
        elif keyword in _NO_EFFECT and schema[keyword] == _NO_EFFECT[keyword]:
            message = f"'{keyword}: {json.dumps(schema[keyword])}' has no effect"
            yield keyword, message, "set another value, or remove it"
        required = _REQUIRED_WITH.get(keyword, ())
        if required and not any(other in schema for other in required):
            others = " or ".join(map(repr, required))
            yield keyword, f"{keyword!r} has no effect without {others}", f"add {others}, or remove {keyword!r}"


def _accepts_all(schema: Mapping[str, Any], keyword: str, fixed: str) -> bool:
    if "$ref" in json.dumps(schema[keyword]):
        return False
    compiled = compile_schema({keyword: schema[keyword]})
    return all(map(compiled.accepts, schema["enum"] if fixed == "enum" else [schema["const"]]))
