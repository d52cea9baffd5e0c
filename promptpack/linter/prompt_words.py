"""The words in the text of a prompt, and the words that its schemas define: field names and allowed values."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

from jinja2 import nodes

from promptpack.lazy import cached_property
from promptpack.linter.data_flow import trace_prompt
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.subject import Subject
from promptpack.problem import Location
from promptpack.schema.safety import iterate_schemas
from promptpack.template.positions import decode

# Words with an underscore or an inner capital, which do not occur in ordinary prose.
IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9_-])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+)(?![A-Za-z0-9_-])"
)
_MAX_COMPARISONS = 50_000
_MAX_LENGTH = 64
_BRACES = re.compile(
    r"(?:(?<![{$\w\\])\$?\{[ \t]*(?:\{[ \t]*)?|\[\[[ \t]*|(?<![\w$])(?=[A-Za-z]\w*[ \t]*\}\}))"
    r"(?P<name>[A-Za-z]\w*)(?:\.\w+)*[ \t]*(?:\}(?:[ \t]?\})?|\]\])(?!\})",
    re.ASCII,
)
_DOLLAR = re.compile(r"\$(?P<name>[A-Za-z]\w*)", re.ASCII)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of literal text between the tags of a template."""

    text: str
    source: ParsedText
    position: int

    def locate(self, index: int) -> Location:
        """Return the location in the file of a character."""
        line, column = decode(self.position)
        above = self.text.count("\n", 0, index)
        column = index - self.text.rfind("\n", 0, index) if above else column + index
        return self.source.source.locate(line + above, column)


@dataclass(frozen=True)
class SchemaWords:
    """The words that schemas define: the names of fields, and the allowed values of fields."""

    fields: frozenset[str]
    choices: Mapping[str, tuple[tuple[str, ...], ...]]
    """By field, the allowed values of each of its schemas; an empty tuple for a schema that allows any value."""

    @cached_property
    def all(self) -> frozenset[str]:
        """All field names and allowed values."""
        return self.fields | {word for lists in self.choices.values() for words in lists for word in words}


def find_passages(subject: Subject) -> tuple[Passage, ...]:
    """Return the literal text that a model sees: in messages, slots and the partials that they include."""
    return subject.cached("passages", lambda: tuple(_find_passages(subject)))


def names_in_braces(subject: Subject) -> frozenset[str]:
    """Return the inputs whose names are in single braces."""
    return frozenset(found["name"] for _, found in find_braces(subject))


def find_braces(subject: Subject) -> tuple[tuple[Passage, re.Match[str]], ...]:
    """Return the names of inputs in single braces, in the literal text of the prompt."""
    return subject.cached("braces", lambda: tuple(_find_braces(subject)))


def _find_braces(subject: Subject) -> Iterator[tuple[Passage, re.Match[str]]]:
    for text in _prompt_texts(subject):
        for passage, found in text.cached("braces", partial(_find_names, text)):
            # In a slot, '${NAME}' is the value of the input (or PP243).
            is_value = bool(subject.sections.slots) and found.re is _BRACES and found[0].startswith("${")
            if found["name"] in subject.inputs and not is_value:
                yield passage, found


def _find_names(text: ParsedText) -> tuple[tuple[Passage, re.Match[str]], ...]:
    """Return possible names of inputs: in single braces, or after a dollar."""
    found: list[tuple[Passage, re.Match[str]]] = []
    for passage in _passages_of(text):
        only = _DOLLAR.fullmatch(passage.text.strip())
        found += ((passage, one) for one in (*_BRACES.finditer(passage.text), *([only] if only else [])))
    return tuple(found)


def reply_words(subject: Subject) -> SchemaWords:
    """Return the words of the contract, including the pack's actions."""
    return subject.cached("reply_words", lambda: _schema_words([subject.reply_schema]))


def input_words(subject: Subject) -> SchemaWords:
    """Return the words of the input schemas."""
    return subject.cached("input_words", lambda: _schema_words([one.schema for one in subject.inputs.values()]))


def known_words(subject: Subject) -> frozenset[str]:
    """Return every word that a prompt may use: of the contract, the inputs, their examples and the tests."""
    return subject.cached("known_words", lambda: frozenset(_known_words(subject)))


def find_similar(subject: Subject, word: str, words: Collection[str], cutoff: float) -> str | None:
    """Return the word most similar to a given one; None after many unknown words, which are then not misspellings."""
    return subject.cached("similar", _SimilarWords).find(word[:_MAX_LENGTH], words, cutoff)


class _SimilarWords:
    def __init__(self) -> None:
        self._remaining = _MAX_COMPARISONS
        # With the words, so that no other collection gets the id of one.
        self._found: dict[tuple[str, int, float], tuple[Collection[str], str | None]] = {}

    def find(self, word: str, words: Collection[str], cutoff: float) -> str | None:
        key = word, id(words), cutoff
        if key not in self._found:
            self._remaining -= len(words) * (1 + len(word) // 16)
            close = get_close_matches(word, words, 1, cutoff) if self._remaining >= 0 else []
            self._found[key] = words, next(iter(close), None)
        return self._found[key][1]


def shows_reply_format(subject: Subject) -> bool:
    """Return whether the prompt prints `reply_format`."""
    return any(found.origin.input == "reply_format" for found in trace_prompt(subject).all_printed)


def describes_reply(subject: Subject) -> bool:
    """Return whether the text itself names most of the required fields of a reply."""
    required = subject.reply_schema.get("required", ())
    used = words_in_prompt(subject)
    return bool(required) and sum(name in used for name in required) * 2 > len(required)


def words_in_prompt(subject: Subject) -> frozenset[str]:
    """Return every word in the literal text of the prompt."""
    return subject.cached(
        "words_in_prompt",
        lambda: frozenset(word for passage in find_passages(subject) for word in _WORD.findall(passage.text)),
    )


def _find_passages(subject: Subject) -> Iterator[Passage]:
    return (passage for text in _prompt_texts(subject) for passage in _passages_of(text))


def _prompt_texts(subject: Subject) -> tuple[ParsedText, ...]:
    """Return the texts that a model sees, and the partials that they include."""
    return subject.cached("prompt_texts", lambda: _find_prompt_texts(subject))


def _find_prompt_texts(subject: Subject) -> tuple[ParsedText, ...]:
    texts = [text for text in subject.texts if text.kind in ("content", "slot")]
    found = (subject.dependencies_of(text).partials for text in texts if not text.is_constant)
    included = dict.fromkeys(name for partials in found for name in sorted(partials))
    return (*texts, *(subject.partials[name] for name in included))


def _passages_of(text: ParsedText) -> tuple[Passage, ...]:
    def find() -> tuple[Passage, ...]:
        return tuple(Passage(data.data, text, data.lineno) for data in text.tree.find_all(nodes.TemplateData))

    return text.cached("passages", find)


def _schema_words(schemas: list[Mapping[str, Any]]) -> SchemaWords:
    fields: set[str] = set()
    choices: dict[str, list[tuple[str, ...]]] = {}
    for root in schemas:
        for _, schema in iterate_schemas(root):
            for name, inner in schema.get("properties", {}).items():
                fields.add(name)
                choices.setdefault(name, []).append(_allowed_values(inner))
    return SchemaWords(frozenset(fields), {name: tuple(dict.fromkeys(lists)) for name, lists in choices.items()})


def _allowed_values(schema: Any) -> tuple[str, ...]:
    if not isinstance(schema, Mapping):
        return ()
    items = schema.get("items")
    listed = items if isinstance(items, Mapping) else schema
    words = [listed["const"]] if "const" in listed else listed.get("enum", ())
    return tuple(word for word in words if isinstance(word, str))


def _known_words(subject: Subject) -> Iterator[str]:
    yield from reply_words(subject).all
    yield from input_words(subject).all
    yield from subject.inputs
    yield from subject.sections.actions
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
