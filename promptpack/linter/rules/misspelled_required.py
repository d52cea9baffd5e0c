"""A name in `required` that misspells a property.

An object without `additionalProperties: false` accepts any key, so `required: [chanel]` asks for a key that nobody
sends, and `channel` stays optional. In a closed object, where nothing could match, this is the error PP220.

Bad: `{type: object, required: [chanel], properties: {channel: {type: string}}}`
Good: `{type: object, required: [channel], properties: {channel: {type: string}}}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import misspelled_required
from promptpack.linter.subject import Subject
from promptpack.schema.safety import iterate_schemas

CODE: Final = "PL025"
NAME: Final = "misspelled-required"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check every schema that the pack contains or references."""
    for placed in subject.own_schemas:
        for path, schema in iterate_schemas(placed.value):
            if schema.get("additionalProperties") is not False:
                for name, near in misspelled_required(schema).items():
                    at = placed.locate(*path, "required", schema["required"].index(name))
                    message = f"'required' names {name!r}, which is not in 'properties'"
                    yield LintProblem(message, at, f"did you mean {near!r}?")
