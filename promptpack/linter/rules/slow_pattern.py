"""A pattern that other engines could take for ever to match.

Our own check walks through all states of a pattern at once and cannot run away; patterns that it cannot take so are
refused (PP215). But the same schema is read by editors, browsers, providers and other services, whose engines try one
way after the other: a pattern such as `^(a+)+$` keeps them busy for hours on thirty characters. Told are patterns
with a repetition that can match one text in two ways; and, as a note, patterns with two repetitions in a row that can
share a text, such as `^\\s*.*\\s*$`, which take minutes on a long text, unless `maxLength` is 200 or less. Both are
worked out from the states of the pattern. Schema files of the pack's folder that it refers to are looked at as well.

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

_SHORT: Final = 200
_HINT: Final = "let each repetition begin with a character that cannot end the one before"


def check(subject: Subject) -> Iterator[Advice]:
    """Look at every pattern that the pack holds or refers to."""
    for placed in subject.own_schemas:
        for path, schema in walk(placed.value):
            here = placed.child(*path)
            if isinstance(schema.get("pattern"), str):
                is_short = schema.get("maxLength", _SHORT + 1) <= _SHORT
                yield from _advice(schema["pattern"], here.locate("pattern"), is_short=is_short)
            for pattern in schema.get("patternProperties", ()):
                yield from _advice(pattern, here.locate_key("patternProperties", pattern))


def _advice(pattern: str, place: Location, *, is_short: bool = False) -> Iterator[Advice]:
    try:
        growth = read_pattern(pattern).growth
    except PatternError:
        return  # told as PP216
    if growth == "exponential":
        yield Advice(f"pattern {pattern[:60]!r} could take other engines for ever", place, _HINT)
    elif growth == "polynomial" and not is_short:
        message = f"pattern {pattern[:60]!r} is slow on long texts in other engines"
        yield Advice(message, place, f"{_HINT}, or add 'maxLength'", severity="note")
