"""An input that no template, rule or history uses.

Callers are asked for a value that changes nothing: the input is left over, or was meant to be used and is not.
Inputs of an abstract pack are for the packs that extend it, and are not told.

Bad: `inputs` declares `TONE`, and no message mentions it.
Good: every declared input is used in a message, a slot, a `when`, a rule, as `history` or as `reply.tools`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity
from promptpack.template.names import NeedsFinder

CODE: Final = "PL001"
NAME: Final = "unused-input"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Compare the declared inputs with the names that are used."""
    if subject.parts.abstract or not subject.is_whole:
        return
    used = _used(subject)
    for name, placed in subject.parts.inputs.items():
        if name not in used and subject.owns(placed) and not _is_misspelt(name, subject):
            hint = "use it in a message, or remove it from 'inputs'"
            yield Advice(f"input {name!r} is not used", placed.locate_key(), hint)


def _used(subject: Subject) -> set[str]:
    finder = NeedsFinder({name: text.tree for name, text in subject.partials.items()})
    named = {use.name for text in subject.texts for use in finder.find(text.tree).names}
    return named | subject.taken_by_name


def _is_misspelt(name: str, subject: Subject) -> bool:
    """Say whether an undeclared name is told as a misspelling of this input: that is one mistake, not two."""
    return any(problem.code == "PP301" and repr(name) in problem.hint for problem in subject.sketch.problems)
