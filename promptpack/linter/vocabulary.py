"""The words of a prompt beside the words of its contract: what the text says, and what a reply may hold."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jinja2 import nodes

from promptpack.lazy import cached_property
from promptpack.linter.flow import printed_by
from promptpack.linter.shapes import walk
from promptpack.linter.subject import Subject, Text
from promptpack.problem import Location
from promptpack.template.includes import constant_names
from promptpack.template.positions import decode

# Words that nobody writes by chance: with an underscore or a capital inside.
IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9_-])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+)+)(?![A-Za-z0-9_-])"
)
_MOST_COMPARED = 300
_LONGEST = 64
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of plain text of a template, as the author wrote it."""

    text: str
    source: Text
    position: int

    def locate(self, index: int) -> Location:
        """Give the place in the file of a character."""
        line, column = decode(self.position)
        above = self.text.count("\n", 0, index)
        column = index - self.text.rfind("\n", 0, index) if above else column + index
        return self.source.source.locate(line + above, column)


@dataclass(frozen=True)
class Terms:
    """What a contract or an input speaks of: the names of fields, and the words that fields allow."""

    fields: frozenset[str]
    choices: Mapping[str, tuple[tuple[str, ...], ...]]
    """By field, the lists of words that its schemas allow; an empty list for a schema that allows any."""

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name and every word."""
        return self.fields | {word for lists in self.choices.values() for words in lists for word in words}


def passages(subject: Subject) -> tuple[Passage, ...]:
    """Give the plain text that a model gets to see, of messages, slots and the partials they include."""
    return subject.once("passages", lambda: tuple(_passages(subject)))


def reply_terms(subject: Subject) -> Terms:
    """Give the terms of the contract, with the pack's actions."""
    return subject.once("reply_terms", lambda: _terms([subject.contract.shape()] if subject.contract else []))


def input_terms(subject: Subject) -> Terms:
    """Give the terms of the inputs."""
    return subject.once("input_terms", lambda: _terms([declared.schema for declared in subject.inputs.values()]))


def known_words(subject: Subject) -> frozenset[str]:
    """Give every word that a prompt may name: of the contract, the inputs, their examples and the tests."""
    return subject.once("known_words", lambda: frozenset(_known_words(subject)))


def nearest(subject: Subject, word: str, terms: Iterable[str], cutoff: float) -> str | None:
    """Find the term that a word is nearly; a text with more strange words than anybody misspells is not searched on."""
    compared: set[str] = subject.once("compared", set)
    compared.add(word)
    if len(compared) > _MOST_COMPARED:
        return None
    return next(iter(get_close_matches(word[:_LONGEST], terms, 1, cutoff)), None)


def shows_reply_format(subject: Subject) -> bool:
    """Say whether `reply_format` is part of the prompt."""
    return any(found.origin.input == "reply_format" for _, printed in printed_by(subject) for found in printed)


def describes_reply(subject: Subject) -> bool:
    """Say whether the text itself names most of the fields that a reply must have."""
    required = subject.contract.shape().get("required", ()) if subject.contract else ()
    said = words_said(subject)
    return bool(required) and sum(name in said for name in required) * 2 > len(required)


def words_said(subject: Subject) -> frozenset[str]:
    """Give every word in the plain text of the prompt."""
    return subject.once(
        "words_said",
        lambda: frozenset(word for passage in passages(subject) for word in _WORD.findall(passage.text)),
    )


def _passages(subject: Subject) -> Iterator[Passage]:
    waiting = [text for text in subject.texts if text.kind in ("content", "slot")]
    seen: set[str] = set()
    while waiting:
        text = waiting.pop(0)
        for data in text.tree.find_all(nodes.TemplateData):
            yield Passage(data.data, text, data.lineno)
        for tag in text.tree.find_all((nodes.Include, nodes.Extends, nodes.Import, nodes.FromImport)):
            for name in constant_names(tag.template):  # type: ignore[attr-defined]  # every loading tag has one
                if name in subject.partials and name not in seen:
                    seen.add(name)
                    waiting.append(subject.partials[name])


def _terms(schemas: list[Mapping[str, Any]]) -> Terms:
    fields: set[str] = set()
    choices: dict[str, list[tuple[str, ...]]] = {}
    for root in schemas:
        for _, schema in walk(root):
            for name, inner in schema.get("properties", {}).items():
                fields.add(name)
                choices.setdefault(name, []).append(_choices(inner))
    return Terms(frozenset(fields), {name: tuple(dict.fromkeys(lists)) for name, lists in choices.items()})


def _choices(schema: Any) -> tuple[str, ...]:
    if not isinstance(schema, Mapping):
        return ()
    items = schema.get("items")
    listed = items if isinstance(items, Mapping) else schema
    words = [listed["const"]] if "const" in listed else listed.get("enum", ())
    return tuple(word for word in words if isinstance(word, str))


def _known_words(subject: Subject) -> Iterator[str]:
    yield from reply_terms(subject).words
    yield from input_terms(subject).words
    yield from subject.inputs
    yield from subject.parts.actions
    yield from ("reply_format", "pack", *subject.partials)
    data = subject.document.data
    for value in (data.get("inputs"), data.get("reply"), data.get("tests")):
        yield from _words_in(value)


def _words_in(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield from _WORD.findall(text)
            case dict() as mapping:
                waiting += (*mapping, *mapping.values())
            case list() as items:
                waiting += items
