"""A value of the wrong type, according to the schema of the inputs or of the reply.

Text used as an object, a loop over a value that is not a list, a filter, method or operator that does not accept the
value. If it fails for every value, it is an error; if it fails for some values, or prints nonsense, it is a warning.

Bad: `{% for task in USER_GOAL %}` where `USER_GOAL` is text.
Good: `{% for task in TASKS %}` where `TASKS` is a list; test a value that can have several types first: `X is mapping`.
"""

from functools import partial
from typing import Final

from promptpack.linter.rule import find_type_problems

CODE: Final = "PL202"
NAME: Final = "wrong-kind"
SEVERITY: Final = "error"
check: Final = partial(find_type_problems, CODE)
