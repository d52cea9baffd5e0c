"""A secret input that is part of the prompt.

What is rendered leaves the house: the provider reads it, and may keep it; a model may repeat it. `secret: true` keeps a
value out of our logs, traces and snapshots, not out of the prompt.

Bad: `API_KEY: {type: string, secret: true}` and `content: "Call it with {{ API_KEY }}"`
Good: give the key to the tool that needs it, and its name to the model.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.flow import printed_by
from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL004"
NAME: Final = "secret-rendered"
SEVERITY: Final[Severity] = "warning"

_HINT: Final = "leave it out of the prompt, or say on this line that it is meant: promptpack: ignore=PL004"
_TELLS_NOTHING: Final = frozenset(("length", "count"))


def check(subject: Subject) -> Iterator[Advice]:
    """Look for secrets in everything that is sent."""
    secrets = {name for name, declared in subject.inputs.items() if declared.secret}
    for _, printed in printed_by(subject):
        for found in printed:
            if found.origin.input in secrets and _TELLS_NOTHING.isdisjoint(found.origin.filters):
                message = f"secret input {found.origin.input!r} is part of the prompt"
                yield Advice(message, found.text.locate(found.position), _HINT)
    for name in sorted(secrets & subject.taken_by_name):
        yield Advice(f"secret input {name!r} is part of the prompt", subject.inputs[name].location, _HINT)
