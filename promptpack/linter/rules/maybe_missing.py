"""A value that may be missing where it is used, so that some contexts fail to render.

A key that the schema does not require, a name that only one branch of an `if` sets, an argument that a call omits. It
is not reported after `is defined`, inside `{% if "key" in X %}`, or with a `default`.

Bad: `{{ TASK_CONTEXT.note }}` where `note` is not in `required`.
Good: `{{ TASK_CONTEXT.note | default("") }}`, or `{% if TASK_CONTEXT.note is defined %}`, or `required: [note]`.
"""

from functools import partial
from typing import Final

from promptpack.linter.rule import find_type_problems

CODE: Final = "PL203"
NAME: Final = "maybe-missing"
SEVERITY: Final = "warning"
check: Final = partial(find_type_problems, CODE)
