"""Variants of one pack in different languages that do not match.

Callers choose a language, not a different interface: every variant must declare the same inputs, have the same messages
in the same roles, use the same inputs in each message, and allow the same actions; schemas may differ only in titles,
descriptions, examples and defaults. Each variant is compared with the file that has no language in its name, and the
problem is reported in the variant.

Bad: `1.0.0.yaml` has the input `RESOURCE_POOL`, `1.0.0.en.yaml` does not.
Good: the same names in every variant; only the wording differs.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.document import Document
from promptpack.linter.entry_edits import copy_entry
from promptpack.linter.lint_report import Fix
from promptpack.linter.prompt_words import names_in_braces
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed

CODE: Final = "PL012"
NAME: Final = "locale-out-of-step"
SEVERITY: Final = "error"

_HINT: Final = "make it the same in every variant"
_VALUES: Final = ("const", "enum", "required")
# Keywords with text in the language of the variant; a mapping under such a name is a property.
_TEXT_KEYWORDS: Final = ("description", "title", "examples", "default", "$comment")


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare a variant with the default variant of its version."""
    default = subject.default_variant
    if default is None or not (subject.is_complete and default.is_complete):
        return
    own, other = subject.sections, default.sections
    path = default.document.path
    yield from _compare_names("input", own.inputs, other.inputs, subject.document, path)
    yield from _compare_inputs(subject, default)
    yield from _compare_names("action", own.actions, other.actions, subject.document, path)
    yield from _compare_params(subject, default)
    yield from _compare_names("rule", own.rules, other.rules, subject.document, path)
    yield from _compare_names("slot", own.slots, other.slots, subject.document, path)
    yield from _compare_messages(subject, default)


def _compare_names(
    what: str, own: Mapping[str, Placed], others: Mapping[str, Placed], document: Document, path: str
) -> Iterator[LintProblem]:
    for name, placed in others.items():
        if name not in own:
            edit = copy_entry(placed, document)
            fixes = (Fix(f"copy the {what} {name!r} from {path.rsplit('/', 1)[-1]}", (edit,)),) if edit else ()
            message = f"{what} {name!r} is missing here, but is in {path}"
            yield LintProblem(message, document.locate_key(("locale",)), _HINT, fixes)
    for name, placed in own.items():
        if name not in others:
            yield LintProblem(f"{what} {name!r} is not in {path}", placed.locate_key(), _HINT)


def _compare_inputs(subject: Subject, default: Subject) -> Iterator[LintProblem]:
    for name, own in subject.inputs.items():
        other = default.inputs.get(name)
        if other is None:
            continue
        path = default.document.path
        for what, mine, theirs in (
            ("required", own.required, other.required),
            ("trusted", own.trusted, other.trusted),
            ("secret", own.secret, other.secret),
        ):
            if mine != theirs:
                where = f"here, but not in {path}" if mine else f"in {path}, but not here"
                yield LintProblem(f"input {name!r} is {what} {where}", own.location, _HINT)
        own_type, other_type = own.schema.get("type"), other.schema.get("type")
        if own_type != other_type:
            yield LintProblem(f"input {name!r} has type {own_type}, but {other_type} in {path}", own.location, _HINT)
        elif _shape(own.schema) != _shape(other.schema):
            yield LintProblem(f"input {name!r} has a different schema in {path}", own.location, _HINT)


def _compare_params(subject: Subject, default: Subject) -> Iterator[LintProblem]:
    if subject.contract is None or default.contract is None:
        return
    for name, own in subject.contract.actions.items():
        other = default.contract.actions.get(name)
        if other is not None and _shape(own.params) != _shape(other.params):
            message = f"params of {name} have a different schema in {default.document.path}"
            yield LintProblem(message, subject.sections.actions[name].locate_key(), _HINT)


def _shape(schema: Any) -> Any:
    """Return a schema without its descriptions, examples and other text for people."""
    if isinstance(schema, Mapping):
        return {
            key: value if key in _VALUES else _shape(value)
            for key, value in schema.items()
            if not key.startswith("x-") and (key not in _TEXT_KEYWORDS or isinstance(value, Mapping))
        }
    return [_shape(item) for item in schema] if isinstance(schema, list) else schema


def _compare_messages(subject: Subject, default: Subject) -> Iterator[LintProblem]:
    own, others = subject.sections.messages, default.sections.messages
    path = default.document.path
    if len(own) != len(others):
        location = subject.document.locate_key(("messages",))
        ids = {message.value.get("id") for message in own}
        missing = [one.value["id"] for one in others if "id" in one.value and one.value["id"] not in ids]
        hint = f"add the message {missing[0]!r}" if missing else _HINT
        yield LintProblem(f"has {len(own)} message(s), but {path} has {len(others)}", location, hint)
        return
    for mine, theirs in zip(own, others, strict=True):
        for key in ("role", "history", "roles", "id"):
            if mine.value.get(key) != theirs.value.get(key):
                message = f"{key} is {mine.value.get(key)!r}, but {theirs.value.get(key)!r} in {path}"
                yield LintProblem(message, mine.locate_key(key), _HINT)
    yield from _compare_uses(subject, default)


def _compare_uses(subject: Subject, default: Subject) -> Iterator[LintProblem]:
    own, others, path = _used_inputs(subject), _used_inputs(default), default.document.path
    # PL028 reports names in single braces: they are meant as uses.
    meant = names_in_braces(subject) | names_in_braces(default)
    for index, (mine, theirs) in enumerate(zip(own, others, strict=True)):
        message = subject.sections.messages[index]
        place = next((key for key in ("id", "content") if key in message.value), None)
        location = message.locate(place) if place else message.locate()
        for name in sorted(theirs - mine - meant):
            yield LintProblem(f"this message uses {name!r} in {path}, but not here", location, _HINT)
        for name in sorted(mine - theirs - meant):
            yield LintProblem(f"this message uses {name!r} here, but not in {path}", location, _HINT)


def _used_inputs(subject: Subject) -> list[set[str]]:
    """Return the inputs that each message uses, in the order of the messages."""
    used: list[set[str]] = [set() for _ in subject.sections.messages]
    for text in subject.texts:
        if text.message is not None:
            used[text.message].update(subject.dependencies_of(text).names)
    return [names & set(subject.inputs) for names in used]
