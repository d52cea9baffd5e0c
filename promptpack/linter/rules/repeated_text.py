"""A paragraph that several packs repeat word for word.

A copy is soon updated in one place and forgotten in the other. Put the text in a partial in `_partials/`, or in a pack
that both extend. The rule reports paragraphs of at least 200 characters, once per file; other versions and other
languages of the same pack do not count.

Bad: the same ten lines of safety rules in `planner` and in `router`.
Good: `{% include "safety" %}` in both.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.paragraphs import find_paragraphs
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL021"
NAME: Final = "repeated-text"
SEVERITY: Final = "note"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Find the pack's paragraphs that are also in other packs."""
    index = subject.library.paragraph_index
    reported: set[str] = set()
    for paragraph in find_paragraphs(subject.document):
        first, count = index.in_other_packs(subject.identity[0], paragraph.digest)
        if count and paragraph.text not in reported:
            reported.add(paragraph.text)
            message = f"this paragraph of {len(paragraph.text):,} characters is also in {first}"
            more = f" and {count - 1} more file(s)" if count > 1 else ""
            location = subject.document.locate_inside(paragraph.path, paragraph.line, 1)
            yield LintProblem(message + more, location, "move it to a partial that all of them include")
