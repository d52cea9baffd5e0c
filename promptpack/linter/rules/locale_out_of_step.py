"""Variants of one pack in different languages that do not fit each other.

Callers choose a language, not another interface: every variant must take the same inputs, have the same messages in the
same roles, fill in the same values, and allow the same actions; schemas may differ in words for people only. Told is
the variant; the file without a language in its name is what it is compared with.

Bad: `1.0.0.yaml` takes `RESOURCE_POOL`, `1.0.0.en.yaml` does not.
Good: the same names everywhere; only the words differ.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.problem import Location, Severity
from promptpack.template.names import NeedsFinder

CODE: Final = "PL012"
NAME: Final = "locale-out-of-step"
SEVERITY: Final[Severity] = "error"

_VALUES: Final = ("const", "enum", "required")
# What is said in the language of the variant; a mapping of such a name is a property.
_WORDS: Final = ("description", "title", "examples", "default", "$comment")


def check(subject: Subject) -> Iterator[Advice]:
    """Compare a variant with the default file of its version."""
    default = next((other for other in subject.neighbours.variants(subject) if _is_default(other)), None)
    if default is None or _is_default(subject) or not (subject.is_whole and default.is_whole):
        return
    place = subject.document.locate_key(("locale",))
    other = default.document.path
    yield from _differences("input", subject.parts.inputs, default.parts.inputs, place, other)
    yield from _kinds(subject, default)
    yield from _differences("action", subject.parts.actions, default.parts.actions, place, other)
    yield from _params(subject, default)
    yield from _differences("rule", subject.parts.rules, default.parts.rules, place, other)
    yield from _differences("slot", subject.parts.slots, default.parts.slots, place, other)
    yield from _messages(subject, default)


def _is_default(subject: Subject) -> bool:
    _, version, locale = subject.identity
    file = subject.document.path.rsplit("/", 1)[-1]
    return not locale or not file.startswith(f"{version}.{locale}.")


def _differences(
    what: str, own: dict[str, Placed], others: dict[str, Placed], place: Location, path: str
) -> Iterator[Advice]:
    for name in others:
        if name not in own:
            yield Advice(f"{what} {name!r} of {path} is missing here", place, "give every variant the same")
    for name, placed in own.items():
        if name not in others:
            yield Advice(f"{what} {name!r} is not in {path}", placed.locate_key(), "give every variant the same")


def _kinds(subject: Subject, default: Subject) -> Iterator[Advice]:
    for name, own in subject.inputs.items():
        other = default.inputs.get(name)
        if other is None:
            continue
        for what, mine, theirs in (
            ("required", own.required, other.required),
            ("trusted", own.trusted, other.trusted),
            ("secret", own.secret, other.secret),
            ("of type", own.schema.get("type"), other.schema.get("type")),
        ):
            if mine != theirs:
                told = f"{what} {theirs}" if what == "of type" else what if theirs else f"not {what}"
                message = f"input {name!r} is {told} in {default.document.path}, and not so here"
                yield Advice(message, own.location, "give every variant the same")
        if own.schema.get("type") == other.schema.get("type") and _shape(own.schema) != _shape(other.schema):
            message = f"input {name!r} has another schema in {default.document.path}"
            yield Advice(message, own.location, "give every variant the same")


def _params(subject: Subject, default: Subject) -> Iterator[Advice]:
    if subject.contract is None or default.contract is None:
        return
    for name, own in subject.contract.actions.items():
        other = default.contract.actions.get(name)
        if other is not None and _shape(own.params) != _shape(other.params):
            message = f"params of {name} have another schema in {default.document.path}"
            yield Advice(message, subject.parts.actions[name].locate_key(), "give every variant the same")


def _shape(schema: Any) -> Any:
    """Give what a schema asks for, without its words for people."""
    if isinstance(schema, Mapping):
        return {
            key: value if key in _VALUES else _shape(value)
            for key, value in schema.items()
            if not key.startswith("x-") and (key not in _WORDS or isinstance(value, Mapping))
        }
    return [_shape(item) for item in schema] if isinstance(schema, list) else schema


def _messages(subject: Subject, default: Subject) -> Iterator[Advice]:
    own, others = subject.parts.messages, default.parts.messages
    path = default.document.path
    if len(own) != len(others):
        place = subject.document.locate_key(("messages",))
        yield Advice(f"has {len(own)} message(s), {path} has {len(others)}", place, "give every variant the same")
        return
    for mine, theirs in zip(own, others, strict=True):
        for key in ("role", "history", "id"):
            if mine.value.get(key) != theirs.value.get(key):
                message = f"{key} is {mine.value.get(key)!r}, and {theirs.value.get(key)!r} in {path}"
                yield Advice(message, mine.locate_key(key), "give every variant the same")
    yield from _placeholders(subject, default)


def _placeholders(subject: Subject, default: Subject) -> Iterator[Advice]:
    own, others = _needs(subject), _needs(default)
    for index, (mine, theirs) in enumerate(zip(own, others, strict=True)):
        place = subject.parts.messages[index].locate()
        for name in sorted(theirs - mine):
            message = f"does not use {name!r}, which this message of {default.document.path} does"
            yield Advice(message, place, "fill in the same values in every variant")
        for name in sorted(mine - theirs):
            message = f"uses {name!r}, which this message of {default.document.path} does not"
            yield Advice(message, place, "fill in the same values in every variant")


def _needs(subject: Subject) -> list[set[str]]:
    """Give the inputs that each message uses, in the order of the messages."""
    finder = NeedsFinder({name: text.tree for name, text in subject.partials.items()})
    used: list[set[str]] = [set() for _ in subject.parts.messages]
    for text in subject.texts:
        if text.message is not None:
            used[text.message].update(use.name for use in finder.find(text.tree).names)
    return [names & set(subject.inputs) for names in used]
