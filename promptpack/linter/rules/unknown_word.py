"""A word in the text of the prompt that its contract does not have.

The prompt teaches words that the check then refuses: an action that was renamed, a misspelt field, an enum word that
was dropped. Told are words like `continue_executon` or `taskIds` that are nearly, but not quite, a word of the
contract; a value written beside its field (`"level": "critical"`) or in a list of alternatives
(`low|medium|critical`) that the field does not take; and a path such as `risk.levl` into an object that has no such
field. Words of the inputs, the examples and the tests are known.

Bad: "choose `continue_executon`", where the contract has `continue_execution`.
Good: the word of the contract; best of all, `{{ reply_format }}`, which cannot be wrong.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.linter.vocabulary import (
    IDENTIFIER,
    Passage,
    Terms,
    input_terms,
    known_words,
    passages,
    reply_terms,
)
from promptpack.problem import Severity

CODE: Final = "PL006"
NAME: Final = "unknown-word"
SEVERITY: Final[Severity] = "warning"

# Nearer than this is a slip; a plural or another ending is not yet another word.
_NEAR: Final = 0.88
_PAIR: Final = re.compile(r"""["'`“]?\b([A-Za-z_]\w*)["'`”]?\s*[:=：]\s*["'`“「]([A-Za-z_][\w-]*)["'`”」]""", re.ASCII)
_ALTERNATIVES: Final = re.compile(
    r"(?<![\w|])[A-Za-z_][\w-]*(?:[ \t]?[|/][ \t]?[A-Za-z_][\w-]*){2,}(?![\w|])", re.ASCII
)
_PATH: Final = re.compile(r"(?<![\w./-])([a-z]\w*)\.([a-z]\w*)(?![\w/(-])", re.ASCII)
_KINDS: Final = frozenset(("array", "boolean", "enum", "integer", "null", "number", "object", "string", "text"))
_ENDINGS: Final = frozenset(
    ("com", "csv", "html", "j2", "js", "json", "md", "org", "py", "sh", "toml", "txt", "yaml", "yml")
)


def check(subject: Subject) -> Iterator[Advice]:
    """Compare the plain text with the terms of the contract."""
    if subject.contract is None or subject.sketch.problems:
        return
    told: set[tuple[str, int]] = set()
    for passage in passages(subject):
        for index, word, known in sorted(_strangers(passage, subject)):
            if (word, passage.position + index) not in told:
                told.add((word, passage.position + index))
                message = f"the text says {word!r}, which the contract does not have"
                near = get_close_matches(word, known, 1, _NEAR - 0.1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known[:8])}"
                yield Advice(message, passage.locate(index), hint)


def _strangers(passage: Passage, subject: Subject) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    terms = reply_terms(subject)
    yield from _misspelt(passage, terms, known_words(subject))
    yield from _wrong_values(passage, terms, input_terms(subject))
    yield from _wrong_alternatives(passage, terms, known_words(subject))
    yield from _wrong_paths(passage, subject)


def _misspelt(passage: Passage, terms: Terms, known: frozenset[str]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for found in IDENTIFIER.finditer(passage.text):
        word = found[0]
        if word in known:
            continue
        near = get_close_matches(word[:64], [term for term in terms.words if IDENTIFIER.fullmatch(term)], 1, _NEAR)
        if near:
            yield found.start(), word, (near[0],)


def _wrong_values(passage: Passage, terms: Terms, others: Terms) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for found in _PAIR.finditer(passage.text):
        field, value = found[1], found[2]
        lists = (*terms.choices.get(field, ()), *others.choices.get(field, ()))
        allowed = tuple(dict.fromkeys(word for words in lists for word in words))
        if field in terms.choices and all(lists) and value not in allowed and value.lower() not in _KINDS:
            yield found.start(2), value, allowed


def _wrong_alternatives(
    passage: Passage, terms: Terms, known: frozenset[str]
) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for found in _ALTERNATIVES.finditer(passage.text):
        if passage.text[: found.start()].rstrip(" ").endswith("|"):
            continue  # a row of a table
        words = [(word.start() + found.start(), word[0]) for word in re.finditer(r"[\w-]+", found[0], re.ASCII)]
        for lists in terms.choices.values():
            for allowed in lists:
                if sum(word in allowed for _, word in words) >= len(words) - 1 >= 2:
                    yield from ((at, word, allowed) for at, word in words if word not in allowed and word not in known)


def _wrong_paths(passage: Passage, subject: Subject) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    contract = subject.contract
    properties = contract.shape().get("properties", {}) if contract else {}
    for found in _PATH.finditer(passage.text):
        owner = properties.get(found[1])
        if not isinstance(owner, dict) or "additionalProperties" in owner:
            continue
        fields = owner.get("properties")
        if fields and found[2] not in fields and found[2] not in _ENDINGS:
            yield found.start(), found[0], tuple(f"{found[1]}.{name}" for name in fields)
