"""An argument that a filter, test or macro does not accept, or a required argument that is missing.

Bad: `{{ TAGS | join(sep=", ") }}`.
Good: `{{ TAGS | join(", ") }}`.
"""

from functools import partial
from typing import Final

from promptpack.linter.rule import find_type_problems

CODE: Final = "PL206"
NAME: Final = "wrong-argument"
SEVERITY: Final = "error"
check: Final = partial(find_type_problems, CODE)
