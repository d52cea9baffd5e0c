"""A branch that never runs, a message that is never sent, or a rule that can never fail.

According to the types, its condition is always true or always false. Partials and macros are not reported, since they
are used in several places. A lazy list, as returned by `select` and `map`, is true even when it is empty.

Bad: `{% if USER_GOAL is string %}...{% else %}...{% endif %}` where `USER_GOAL` is always text.
Good: a condition that depends on the context; `{% if TASKS | selectattr("done") | list %}`.
"""

from functools import partial
from typing import Final

from promptpack.linter.rule import find_type_problems

CODE: Final = "PL205"
NAME: Final = "dead-branch"
SEVERITY: Final = "warning"
check: Final = partial(find_type_problems, CODE)
