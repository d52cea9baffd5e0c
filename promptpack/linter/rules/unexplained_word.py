"""A word of the contract that the text leaves out although it names its neighbours.

A text that explains five of the six words of an enum was most likely written before the sixth: the model has to guess
when to use it. Told are lists of four and more words with an underscore or a capital inside, of which the text names
at least three quarters. A prompt without `{{ reply_format }}` that describes the reply by hand must name every
required field and every action.

Bad: the enum has `continue_execution`, `minor_replan`, `full_replan` and `new_task`, and the text explains all but
one.
Good: a line about each of them.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.linter.vocabulary import IDENTIFIER, describes_reply, reply_terms, shows_reply_format, words_said
from promptpack.problem import Location, Severity

CODE: Final = "PL007"
NAME: Final = "unexplained-word"
SEVERITY: Final[Severity] = "warning"

_FEWEST: Final = 4
_MOST_OF: Final = 0.75


def check(subject: Subject) -> Iterator[Advice]:
    """Look for the words of the contract in the text."""
    if subject.contract is None or subject.parts.abstract or subject.sketch.problems or not subject.is_whole:
        return
    said = words_said(subject)
    for field, lists in reply_terms(subject).choices.items():
        is_action = field == "action" and subject.contract.has_actions
        for words in [tuple(subject.contract.actions)] if is_action else lists:
            named = [word for word in words if word in said]
            if len(words) >= _FEWEST and all(map(IDENTIFIER.fullmatch, words)) and len(named) >= len(words) * _MOST_OF:
                yield from _advice(field, [word for word in words if word not in said], subject)
    if not shows_reply_format(subject) and describes_reply(subject):
        shape = subject.contract.shape()
        expected = (*shape.get("required", ()), *subject.contract.actions)
        yield from _advice("the reply", [word for word in expected if word not in said], subject)


def _advice(where: str, missing: list[str], subject: Subject) -> Iterator[Advice]:
    for word in missing:
        message = f"the text names other words of {where}, but never {word!r}"
        yield Advice(message, _place(subject), f"say when to use {word!r}")


def _place(subject: Subject) -> Location:
    key = "messages" if "messages" in subject.document.data else "reply"
    return subject.document.locate_key((key,))
