"""A comparison with a value that the other side never has.

The values of an `enum`, and the types of values, are followed through templates and rules.

Bad: `reply.params.route == "new_taks"` where the contract has `new_task`.
Good: `reply.params.route == "new_task"`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem, find_type_problems
from promptpack.linter.schema_lookup import is_contradictory
from promptpack.linter.subject import Subject

CODE: Final = "PL204"
NAME: Final = "impossible-value"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Report the comparisons, unless a schema contradicts itself: then the template may be right."""
    found = list(find_type_problems(CODE, subject))
    schemas = (subject.reply_schema, *(one.schema for one in subject.inputs.values()))
    return iter(() if found and any(map(is_contradictory, schemas)) else found)
