"""A pack that inherits text in another language.

`extends` uses the parent's variant for the language of the pack. If the parent has none, its default variant is used,
and the prompt mixes two languages.

Bad: `locale: fr` and `extends: agent-base@^1`, where agent-base has only `zh-CN` and `en`
Good: add a French variant of agent-base, or replace all inherited text
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL030"
NAME: Final = "parent-locale"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the languages of a pack and of its parent."""
    data = subject.document.data
    parents = subject.library.follow([(data["extends"], data.get("locale", ""))]) if "extends" in data else ()
    for parent in parents or ():
        locale = data.get("locale", "")
        if locale and parent.locale and _language(locale) != _language(parent.locale):
            message = f"the pack is in {locale!r}, but inherits from {parent.path}, which is in {parent.locale!r}"
            hint = f"add a variant of {parent.name!r} in {locale!r}"
            yield LintProblem(message, subject.document.locate(("extends",)), hint)


def _language(locale: str) -> str:
    return locale.lower().partition("-")[0]
