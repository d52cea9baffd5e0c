"""A comparison with a value that the other side never has.

The values of an `enum`, and the types of values, are followed through templates and rules.

Bad: `reply.params.route == "new_taks"` where the contract has `new_task`.
Good: `reply.params.route == "new_task"`.
"""

from functools import partial
from typing import Final

from promptpack.linter.rule import find_type_problems

CODE: Final = "PL204"
NAME: Final = "impossible-value"
SEVERITY: Final = "warning"
check: Final = partial(find_type_problems, CODE)
