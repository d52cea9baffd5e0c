"""A pattern that can be extremely slow in other regex engines.

promptpack's own engine follows all states of a pattern in parallel and always finishes quickly; patterns that it cannot
match this way are rejected (PP215). But editors, browsers, providers and other services read the same schema, and their
engines backtrack: a pattern such as `^(a+)+$` keeps them busy for hours on thirty characters. The rule analyses the
states of a pattern. It reports a repetition that can match the same text in two ways and, as a note, two repetitions in
a row that can match the same text, such as `^\\s*.*\\s*$`, which take minutes on long text, unless `maxLength` is 200
or less. Schema files that the pack references are checked too.

Bad: `pattern: ^(\\\\w+\\\\s?)+$`
Good: `pattern: ^\\\\w+(\\\\s\\\\w+)*$`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.problem import Location
from promptpack.schema.patterns import PatternError, read_pattern
from promptpack.schema.safety import iterate_schemas

CODE: Final = "PL019"
NAME: Final = "slow-pattern"
SEVERITY: Final = "warning"

_SHORT_TEXT: Final = 200
_HINT: Final = "start each repetition with a character that cannot end the one before"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check every pattern in schemas that the pack contains or references."""
    for placed in subject.own_schemas:
        for path, schema in iterate_schemas(placed.value):
            here = placed.child(*path)
            if isinstance(schema.get("pattern"), str):
                is_short = schema.get("maxLength", _SHORT_TEXT + 1) <= _SHORT_TEXT
                yield from _check_pattern(schema["pattern"], here.locate("pattern"), is_short=is_short)
            for pattern in schema.get("patternProperties", ()):
                yield from _check_pattern(pattern, here.locate_key("patternProperties", pattern))


def _check_pattern(pattern: str, location: Location, *, is_short: bool = False) -> Iterator[LintProblem]:
    try:
        growth = read_pattern(pattern).growth
    except PatternError:
        return  # reported as PP216
    if growth == "exponential":
        yield LintProblem(f"pattern {pattern[:60]!r} can hang other regex engines", location, _HINT)
    elif growth == "polynomial" and not is_short:
        message = f"pattern {pattern[:60]!r} is slow on long text in other regex engines"
        yield LintProblem(message, location, f"{_HINT}, or add 'maxLength'", severity="note")
