"""Keywords of a schema that contradict each other, and values of a schema that can never occur.

No value is both longer than `minLength` and shorter than a smaller `maxLength`; a word in `enum` that `type` excludes,
or that is listed twice, has no effect; and an unknown `format` is most likely misspelled.

Bad: `{type: array, minItems: 11, maxItems: 10}`, `{type: integer, enum: [low, high]}`, `enum: [free, pro, free]`
Good: `{type: array, minItems: 10, maxItems: 11}`, `{enum: [low, high]}`, `enum: [free, pro]`
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import Contradiction, contradictions
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.problem import did_you_mean
from promptpack.schema.safety import iterate_schemas

CODE: Final = "PL031"
NAME: Final = "contradiction"
SEVERITY: Final = "error"

_FORMATS: Final = (
    "date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
    "uri-reference", "uri-template", "iri", "iri-reference", "uuid", "json-pointer", "relative-json-pointer", "regex",
)  # fmt: skip


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check every schema that the pack contains or references."""
    for placed in subject.own_schemas:
        for path, schema in iterate_schemas(placed.value):
            here = placed.child(*path)
            yield from (_report(here, one) for one in contradictions(schema))
            yield from _check_format(here, schema)


def _report(here: Placed, found: Contradiction) -> LintProblem:
    return LintProblem(found.message, here.locate(*found.path), found.hint)


def _check_format(here: Placed, schema: Mapping[str, Any]) -> Iterator[LintProblem]:
    name = schema.get("format")
    hint = did_you_mean(name, _FORMATS) if isinstance(name, str) and name not in _FORMATS else ""
    if hint:
        yield LintProblem(f"unknown format {name!r}", here.locate("format"), hint, severity="warning")
