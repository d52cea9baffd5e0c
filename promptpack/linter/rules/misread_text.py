"""A plain value that YAML reads differently than it looks.

After a space, `#` starts a comment, so that the rest of a plain text is lost. Curly quotes are part of the text, and do
not quote it. A tag of Jinja in a Handlebars template is plain text too.

Bad: `description: Ticket #42 of the queue`, which is the text `Ticket`; `enum: [“low”, “high”]`
Good: `description: "Ticket #42 of the queue"`; `enum: [low, high]`
"""

import re
from collections.abc import Iterator
from typing import Final

from promptpack.linter.prompt_words import find_passages
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed

CODE: Final = "PL027"
NAME: Final = "misread-text"
SEVERITY: Final = "warning"

_FREE_TEXT: Final = frozenset(("content", "correction", "description", "message", "require", "text", "title", "when"))
_JINJA_TAG: Final = re.compile(
    r"""\{%[-+]?\s*(?:include\s+["']([^"']+)["']|(?:if|for|set|endif|endfor|macro)\b)[^%\n]*%\}"""
)
_CURLY: Final = re.compile("[“”„‟«]([^“”„‟«»]*)[“”»]|[‘’‚‛‹]([^‘’‚‛‹›]*)[‘’›]")
# Not a comment after two spaces, and not an ignore.
_CUT_OFF: Final = re.compile(r" #(?!\s*promptpack:).*")


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check the plain values of the pack's own file, and the tags of Jinja in Handlebars."""
    for passage in find_passages(subject):
        if passage.source.source.syntax == "handlebars" and (tag := _JINJA_TAG.search(passage.text)):
            message = f"{tag[0]!r} is sent unchanged: the template is Handlebars, not Jinja"
            hint = f"write '{{{{> {tag[1]}}}}}'" if tag[1] else "write a block of Handlebars, such as '{{#if NAME}}'"
            yield LintProblem(message, passage.locate(tag.start()), f"{hint}, or 'syntax: jinja'")
    document = subject.document
    has_comments = _CUT_OFF.search(document.text) is not None
    for placed in Placed(document.data, document, ()).strings():
        quoted = _CURLY.fullmatch(placed.value)
        may_be_cut = has_comments and placed.path[-1] in _FREE_TEXT
        end = document.plain_end(placed.path) if quoted or may_be_cut else None
        if end is None:
            continue
        if quoted:
            message = f"the curly quotes are part of the text {placed.value!r}"
            yield LintProblem(message, placed.locate(), f'write "{quoted[1] or quoted[2]}" with straight quotes')
        elif lost := _CUT_OFF.match(document.text, end):
            message = f"the text ends before {lost[0][1:]!r}, which is a comment"
            at = document.locate_offset(end + 1)
            yield LintProblem(message, at, "put the whole value in quotes, or two spaces before a comment")
