"""A key that a value does not have, according to the schema of the inputs or of the reply.

Types from the schemas are followed through templates, `when` and rules. A key that a closed object
(`additionalProperties: false`) does not declare is an error. A key that an open object does not declare is a warning if
it looks like a misspelling of a declared key; other keys of an open object are not reported.

Bad: `{{ TASK_CONTEXT.taskid }}` where the schema declares `taskId`.
Good: `{{ TASK_CONTEXT.taskId }}`.
"""

from functools import partial
from typing import Final

from promptpack.linter.rule import find_type_problems

CODE: Final = "PL201"
NAME: Final = "unknown-key"
SEVERITY: Final = "error"
check: Final = partial(find_type_problems, CODE)
