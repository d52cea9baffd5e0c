"""A secret input that is part of the prompt.

The prompt leaves your system: the provider receives it and may store it, and a model may repeat it. `secret: true`
keeps a value out of promptpack's logs, traces and snapshots, not out of the prompt.

Bad: `API_KEY: {type: string, secret: true}` and `content: "Call it with {{ API_KEY }}"`
Good: give the key to the tool that needs it, and only the name of the key to the model.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.data_flow import trace_prompt
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL004"
NAME: Final = "secret-rendered"
SEVERITY: Final = "warning"

_HINT: Final = "remove it from the prompt; if it is intended, add the comment 'promptpack: ignore=PL004'"
_HARMLESS_FILTERS: Final = frozenset(("length", "count"))


def check(subject: Subject) -> Iterator[LintProblem]:
    """Find secret inputs in all text that is sent."""
    secrets = {name for name, declared in subject.inputs.items() if declared.secret}
    for found in trace_prompt(subject).all_printed:
        if found.origin.input in secrets and _HARMLESS_FILTERS.isdisjoint(found.origin.filters):
            message = f"secret input {found.origin.input!r} is part of the prompt"
            yield LintProblem(message, found.text.locate(found.position), _HINT)
    for name in sorted(secrets & subject.inputs_outside_templates):
        yield LintProblem(f"secret input {name!r} is part of the prompt", subject.inputs[name].location, _HINT)
