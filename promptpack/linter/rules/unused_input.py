"""An input that no template, rule or history uses.

Callers must provide a value that has no effect: the input is a leftover, or a template should use it and does not.
Inputs of an abstract pack are not reported, since the packs that extend it may use them.

Bad: `inputs` declares `TONE`, and no message mentions it.
Good: every declared input is used in a message, a slot, a `when`, a rule, as `history` or as `reply.tools`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.document import Document
from promptpack.linter.entry_edits import remove_entry
from promptpack.linter.lint_report import Fix
from promptpack.linter.prompt_words import names_in_braces
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.cases.sections import find_given
from promptpack.problem import suggested_word

CODE: Final = "PL001"
NAME: Final = "unused-input"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the declared inputs with the names that are used."""
    # PL012 compares the uses of a variant with those of its default file.
    if subject.sections.abstract or not subject.is_complete or subject.default_variant is not None:
        return
    named = frozenset().union(*{subject.dependencies_of(text).names for text in subject.texts})
    # PP301 already reports a misspelling of an input: that is one mistake, not two.
    misspelled = {suggested_word(problem.hint) for problem in subject.compiled.problems if problem.code == "PP301"}
    used = named | misspelled | subject.inputs_outside_templates | names_in_braces(subject)
    for name, placed in subject.sections.inputs.items():
        if name not in used and subject.owns(placed):
            hint = "use it in a message, or remove it from 'inputs'"
            yield LintProblem(
                f"input {name!r} is not used", placed.locate_key(), hint, _removal(name, subject.document)
            )


def _removal(name: str, document: Document) -> tuple[Fix, ...]:
    """Return the fix that removes an input from the inputs, and from the contexts of the tests."""
    edits = [remove_entry(document, path) for path in (("inputs", name), *find_given(document.data, name))]
    return () if None in edits else (Fix(f"remove the input {name!r}", tuple(filter(None, edits))),)
