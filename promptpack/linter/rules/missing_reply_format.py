"""A contract that the prompt does not describe to the model.

Replies are validated against the contract, so the model must know it. `{{ reply_format }}` prints the fields, the
allowed values and the example from the same schema that validates the reply, so the two always match. A prompt that
names most of the fields itself is not reported.

Bad: `reply: {contract: agent-output}` and no message with `{{ reply_format }}`.
Good: `{{ reply_format }}` at the end of the system message.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.prompt_words import describes_reply, shows_reply_format
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL009"
NAME: Final = "missing-reply-format"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check that the text for the model describes the contract."""
    if subject.contract is None or subject.sections.abstract or subject.sections.slots or not subject.is_complete:
        return
    if not shows_reply_format(subject) and not describes_reply(subject):
        hint = "add {{ reply_format }} to a message, or ignore this rule if the provider's structured outputs are used"
        location = subject.document.locate_key(("reply" if "reply" in subject.document.data else "messages",))
        yield LintProblem("the prompt does not describe the format of the reply", location, hint)
