"""A pattern that other engines could take for ever to match.

Our own check walks through all states of a pattern at once and cannot run away; patterns that it cannot take so are
refused (PP215). But the same schema is read by editors, browsers, providers and other services, whose engines try one
way after the other: a pattern such as `^(a+)+$` keeps them busy for hours on thirty characters. Told are patterns
with a repetition that can match one text in two ways, worked out exactly.

Bad: `pattern: ^(\\\\w+\\\\s?)+$`
Good: `pattern: ^\\\\w+(\\\\s\\\\w+)*$`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.shapes import walk
from promptpack.linter.subject import Subject
from promptpack.problem import Location, Severity
from promptpack.schema.patterns import PatternError, read_pattern

CODE: Final = "PL019"
NAME: Final = "slow-pattern"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Look at every pattern that the pack's file holds."""
    for placed in subject.own_schemas:
        for path, schema in walk(placed.value):
            here = placed.child(*path)
            if isinstance(schema.get("pattern"), str) and _is_ambiguous(schema["pattern"]):
                yield _advice(schema["pattern"], here.locate("pattern"))
            for pattern in schema.get("patternProperties", ()):
                if _is_ambiguous(pattern):
                    yield _advice(pattern, here.locate_key("patternProperties", pattern))


def _is_ambiguous(pattern: str) -> bool:
    try:
        return read_pattern(pattern).is_ambiguous
    except PatternError:
        return False  # told as PP216


def _advice(pattern: str, place: Location) -> Advice:
    hint = "let each repetition begin with a character that cannot end the one before"
    return Advice(f"pattern {pattern[:60]!r} could take other engines for ever", place, hint)
