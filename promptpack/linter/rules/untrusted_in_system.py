"""An untrusted input in a system or developer message, without `fenced` or `json`.

Models obey system messages. Text from users, tools or other models that is printed there as it is can give orders of
its own; `fenced` puts it into a fence that it cannot close, `json` into a quoted string; a filter or a slice after
that may open it again. Numbers, fixed words and texts of a given `pattern` cannot give orders, and are not told.

Bad: `role: system`, `content: "The user wants: {{ USER_GOAL }}"`
Good: `content: "The user wants: {{ USER_GOAL | json }}"`, or the goal in a message of its own with `role: user`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.flow import Origin, printed_by
from promptpack.linter.rule import Advice
from promptpack.linter.shapes import at, holds_free_text
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL003"
NAME: Final = "untrusted-in-system"
SEVERITY: Final[Severity] = "error"

_OBEYED: Final = ("system", "developer")
_QUOTING: Final = frozenset(("fenced", "json", "tojson"))
# What may follow and leave the quotes closed.
_KEEPING: Final = frozenset(("indent", "safe", "string"))
_COUNTING: Final = frozenset(("length", "count", "wordcount", "int", "float", "round", "abs", "sum"))


def check(subject: Subject) -> Iterator[Advice]:
    """Follow untrusted inputs into what models obey."""
    for text, printed in printed_by(subject):
        if text.role not in _OBEYED:
            continue
        for found in printed:
            if _is_dangerous(found.origin, subject):
                origin = found.origin
                message = f"untrusted input {origin.input!r} stands in a {text.role} message as it is"
                path = origin.input if "*" in origin.keys else ".".join((origin.input, *origin.keys))
                hint = f"write {{{{ {path} | fenced }}}}, or put it into a message with 'role: user'"
                yield Advice(message, found.text.locate(found.position), hint)


def _is_dangerous(origin: Origin, subject: Subject) -> bool:
    declared = subject.inputs.get(origin.input)
    if declared is None or declared.trusted or _is_harmless(origin.filters):
        return False
    return holds_free_text(at(declared.schema, origin.keys))


def _is_harmless(filters: tuple[str, ...]) -> bool:
    last = max((index for index, name in enumerate(filters) if name in _QUOTING), default=len(filters))
    return not _COUNTING.isdisjoint(filters) or (last < len(filters) and _KEEPING.issuperset(filters[last + 1 :]))
