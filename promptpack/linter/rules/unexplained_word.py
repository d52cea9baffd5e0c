"""A word of the contract that the text leaves out, although it mentions the others.

A text that explains five of the six values of an enum was probably written before the sixth was added: the model has to
guess when to use it. The rule reports enums of four or more words with an underscore or an inner capital, when the text
mentions at least three quarters of them. A prompt without `{{ reply_format }}` that describes the reply by hand must
mention every required field and every action.

Bad: the enum has `continue_execution`, `minor_replan`, `full_replan` and `new_task`, and the text explains only three.
Good: a line about each of them.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.prompt_words import IDENTIFIER, describes_reply, reply_words, shows_reply_format, words_in_prompt
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.problem import Location

CODE: Final = "PL007"
NAME: Final = "unexplained-word"
SEVERITY: Final = "warning"

_MIN_WORDS: Final = 4
_MIN_MENTIONED: Final = 0.75


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the words of the contract with the words in the text."""
    if subject.contract is None or subject.sections.abstract or subject.compiled.problems or not subject.is_complete:
        return
    used = words_in_prompt(subject)
    for field, lists in reply_words(subject).choices.items():
        is_action = field == "action" and subject.contract.has_actions
        for words in [tuple(subject.contract.actions)] if is_action else lists:
            missing = [word for word in words if word not in used]
            is_list = len(words) >= _MIN_WORDS and all(map(IDENTIFIER.fullmatch, words))
            if is_list and len(words) - len(missing) >= len(words) * _MIN_MENTIONED:
                yield from _missing(repr(field), missing, subject)
    if not shows_reply_format(subject) and describes_reply(subject):
        expected = (*subject.reply_schema.get("required", ()), *subject.contract.actions)
        yield from _missing("the reply", [word for word in expected if word not in used], subject)


def _missing(where: str, words: list[str], subject: Subject) -> Iterator[LintProblem]:
    for word in words:
        message = f"the text mentions other words of {where}, but never {word!r}"
        yield LintProblem(message, _locate(subject), f"explain when to use {word!r}")


def _locate(subject: Subject) -> Location:
    key = "messages" if "messages" in subject.document.data else "reply"
    return subject.document.locate_key((key,))
