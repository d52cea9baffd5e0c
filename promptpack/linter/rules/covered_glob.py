"""A glob under `models` that never matches, because an earlier glob matches all of its models.

The first glob that matches the name of a model is used, so a general glob must come after the special ones.

Bad: `models: {"gpt-*": {...}, "gpt-5*": {...}}`
Good: `models: {"gpt-5*": {...}, "gpt-*": {...}}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.model_overlay import covers

CODE: Final = "PL037"
NAME: Final = "covered-glob"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare each glob of the pack's own file with the earlier ones."""
    globs = [glob for glob, placed in subject.sections.models.items() if placed.document is subject.document]
    for index, glob in enumerate(globs):
        earlier = next((one for one in globs[:index] if covers(one, glob)), None)
        placed = subject.sections.models[glob]
        if earlier is not None and subject.owns(placed):
            message = f"{glob!r} never matches, because {earlier!r} comes first"
            yield LintProblem(message, placed.locate_key(), f"move {glob!r} before {earlier!r}, or remove it")
