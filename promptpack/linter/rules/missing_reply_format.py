"""A contract that the prompt does not tell the model about.

Replies are checked against the contract, so the model must know it. `{{ reply_format }}` writes the fields, the
allowed words and the example from the same schema that checks the reply: the two cannot drift apart. A prompt that
names most of the fields itself is not told here.

Bad: `reply: {contract: agent-output}` and no message with `{{ reply_format }}`.
Good: `{{ reply_format }}` at the end of the system message.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.linter.vocabulary import describes_reply, shows_reply_format
from promptpack.problem import Severity

CODE: Final = "PL009"
NAME: Final = "missing-reply-format"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Look for the contract in what the model gets to see."""
    if subject.contract is None or subject.parts.abstract or subject.parts.slots or not subject.is_whole:
        return
    if not shows_reply_format(subject) and not describes_reply(subject):
        hint = "put {{ reply_format }} into a message; with structured outputs of a provider, ignore this rule"
        place = subject.document.locate_key(("reply" if "reply" in subject.document.data else "messages",))
        yield Advice("the prompt does not say what a reply must look like", place, hint)
