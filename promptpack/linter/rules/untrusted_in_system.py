"""An untrusted input in a system or developer message, without `fenced` or `json`.

Models follow the instructions in system messages. Text from users, tools or other models that is printed there
unprotected can inject instructions. `fenced` wraps it in a fence that it cannot close, `json` makes it a quoted string;
a filter or slice after that may break the protection. Numbers, enums and text with a strict `pattern` cannot carry
instructions and are not reported. `roles` next to `history` must not let the messages of an untrusted input be system
messages.

Bad: `role: system`, `content: "The user wants: {{ USER_GOAL }}"`
Good: `content: "The user wants: {{ USER_GOAL | json }}"`, or the goal in a separate message with `role: user`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.data_flow import InputOrigin, trace_prompt
from promptpack.linter.rule import LintProblem
from promptpack.linter.schema_lookup import allows_free_text, schema_at
from promptpack.linter.subject import Subject

CODE: Final = "PL003"
NAME: Final = "untrusted-in-system"
SEVERITY: Final = "error"

_PRIVILEGED_ROLES: Final = ("system", "developer")
_PROTECTING: Final = frozenset(("fenced", "json", "tojson"))
# Filters that may follow without breaking the protection.
_PRESERVING: Final = frozenset(("indent", "safe", "string"))
_NUMERIC: Final = frozenset(("length", "count", "wordcount", "int", "float", "round", "abs", "sum"))


def check(subject: Subject) -> Iterator[LintProblem]:
    """Find untrusted inputs that are printed in system and developer messages."""
    printed = trace_prompt(subject).printed
    for role in _PRIVILEGED_ROLES:
        for found in printed.get(role, ()):
            if _is_dangerous(found.origin, subject):
                origin = found.origin
                message = f"untrusted input {origin.input!r} is printed unprotected in a {role} message"
                path = origin.input if "*" in origin.keys else ".".join((origin.input, *origin.keys))
                hint = f"write {{{{ {path} | fenced }}}}, or move it to a message with 'role: user'"
                yield LintProblem(message, found.text.locate(found.position), hint)
    yield from _check_histories(subject)


def _check_histories(subject: Subject) -> Iterator[LintProblem]:
    for message in subject.sections.messages:
        declared = subject.inputs.get(message.value.get("history", ""))
        if declared is None or declared.trusted or not subject.owns(message):
            continue
        for index, role in enumerate(message.value.get("roles", ())):
            if role in _PRIVILEGED_ROLES:
                text = f"untrusted input {declared.name!r} may contain {role} messages"
                hint = f"remove {role!r}, or declare the input with 'trust: trusted'"
                yield LintProblem(text, message.locate("roles", index), hint)


def _is_dangerous(origin: InputOrigin, subject: Subject) -> bool:
    declared = subject.inputs.get(origin.input)
    if declared is None or declared.trusted or _is_harmless(origin.filters):
        return False
    return allows_free_text(schema_at(declared.schema, origin.keys))


def _is_harmless(filters: tuple[str, ...]) -> bool:
    last = max((index for index, name in enumerate(filters) if name in _PROTECTING), default=len(filters))
    return not _NUMERIC.isdisjoint(filters) or (last < len(filters) and _PRESERVING.issuperset(filters[last + 1 :]))
