"""A keyword of a schema that does nothing where it stands.

`minLength` beside `type: integer`, `then` without `if`: the author meant to check something, and nothing is checked.
Schema files of the pack's folder that it refers to are looked at as well.

Bad: `{type: integer, minLength: 1}`
Good: `{type: integer, minimum: 1}`. `promptpack lint --fix` takes an idle keyword away.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from promptpack.linter.edit import Edit
from promptpack.linter.rule import Advice
from promptpack.linter.shapes import kinds, walk
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

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
        needed = _NEEDS.get(keyword, ())
        if needed and not any(other in schema for other in needed):
            yield (
                keyword,
                f"{keyword!r} does nothing without {' or '.join(map(repr, needed))}",
                "add it, or remove this",
            )
