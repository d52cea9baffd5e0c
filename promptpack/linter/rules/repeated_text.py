"""A paragraph that several packs have word for word.

What is copied is mended in one place and forgotten in the other. A partial in `_partials/`, or in a pack that both
extend, holds it once. Told are paragraphs of 200 characters and more, once for each file; other versions and other
languages of the same pack do not count.

Bad: the same ten lines of safety rules in `planner` and in `router`.
Good: `{% include "safety" %}` in both.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.repeats import find_paragraphs
from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL021"
NAME: Final = "repeated-text"
SEVERITY: Final[Severity] = "note"


def check(subject: Subject) -> Iterator[Advice]:
    """Look for the pack's paragraphs in the other packs."""
    repeats = subject.neighbours.repeats
    told: set[str] = set()
    for paragraph in find_paragraphs(subject.document):
        first, count = repeats.besides(subject.identity[0], paragraph.digest)
        if count and paragraph.text not in told:
            told.add(paragraph.text)
            message = f"this paragraph of {len(paragraph.text):,} characters also stands in {first}"
            more = f" and {count - 1} more" if count > 1 else ""
            place = subject.document.locate_inside(paragraph.path, paragraph.line, 1)
            yield Advice(message + more, place, "put it into a partial that both include")
