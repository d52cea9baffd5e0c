"""A word in the text of the prompt that its contract does not have.

The prompt teaches words that the check then refuses: an action that was renamed, a misspelt field, an enum word that
was dropped. Told are words like `continue_executon` or `taskIds` that are nearly, but not quite, a word of the
contract, plain words only in backquotes; a value written beside its field (`"level": "critical"`, or level is
`critical`), in a list of alternatives (`low|medium|critical`), or in a list after its field that the field does not
take; a word like `ASK_USER` beside "action" that is none; and a path such as `risk.levl` into an object that has no
such field. Words of the inputs, the examples and the tests are known.

Bad: "choose `continue_executon`", where the contract has `continue_execution`.
Good: the word of the contract; best of all, `{{ reply_format }}`, which cannot be wrong.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.linter.vocabulary import (
    IDENTIFIER,
    Passage,
    Terms,
    input_terms,
    known_words,
    nearest,
    passages,
    reply_terms,
)
from promptpack.problem import Severity

CODE: Final = "PL006"
NAME: Final = "unknown-word"
SEVERITY: Final[Severity] = "warning"

# Nearer than this is a slip; a plural or another ending is not yet another word.
_NEAR: Final = 0.88
_EQUALS: Final = r"(?:\s*[:=：]\s*|[ \t]+(?:is|be|to|must be)[ \t]+|[ \t]*(?:设为|必须为|为|是)[ \t]*)"
_PAIR: Final = re.compile(
    rf"""["'`“]?\b([A-Za-z_]\w*)["'`”]?{_EQUALS}["'`“「]([A-Za-z_][\w-]*)["'`”」]""",
    re.ASCII,
)
_ALTERNATIVES: Final = re.compile(
    r"(?<![\w|])[A-Za-z_][\w-]*(?:[ \t]?[|/][ \t]?[A-Za-z_][\w-]*){2,}(?![\w|])", re.ASCII
)
# A list of single words that ends with a sentence, a line or a bracket.
_ITEM: Final = r"[`\"']?[A-Za-z_][\w-]*[`\"']?"
_COMMA: Final = r"(?:[ \t]?[,，、][ \t]?(?:(?:or|and)[ \t]+)?|[ \t]+or[ \t]+|[ \t]*或[ \t]*)"
_LISTED: Final = re.compile(rf"(?<![\w,、]){_ITEM}(?:{_COMMA}{_ITEM}){{2,20}}(?=[.;)。；）\n]|\Z)", re.ASCII)
_BEFORE: Final = 200
_SPAN: Final = re.compile(r"`([A-Za-z_]\w*)`", re.ASCII)
_ACTION: Final = re.compile(
    r"(?:\b[Aa]ctions?(?:[ \t]+(?:is|named|called))?[ \t]*[:=：]?|动作[ \t]*(?:为|是)?)[ \t]*[`\"']?"
    r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w-])",
    re.ASCII,
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
                near = nearest(subject, word, known, _NEAR - 0.1)
                hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known[:8])}"
                yield Advice(message, passage.locate(index), hint)


def _strangers(passage: Passage, subject: Subject) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    terms = reply_terms(subject)
    yield from _misspelt(passage, subject)
    yield from _wrong_actions(passage, subject)
    yield from _wrong_values(passage, terms, input_terms(subject))
    yield from _wrong_alternatives(passage, terms, known_words(subject))
    yield from _wrong_paths(passage, subject)


def _misspelt(passage: Passage, subject: Subject) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    terms, known = reply_terms(subject), known_words(subject)
    unusual = subject.once("unusual", lambda: [term for term in terms.words if IDENTIFIER.fullmatch(term)])
    for found in IDENTIFIER.finditer(passage.text):
        word = found[0]
        if word in known:
            continue
        near = nearest(subject, word, unusual, _NEAR)
        if near:
            yield found.start(), word, (near,)
    for found in _SPAN.finditer(passage.text):
        near = None if found[1] in known else nearest(subject, found[1], terms.words, _NEAR)
        # In backquotes a plain word is meant as it stands, but for its plural.
        if near and found[1].rstrip("s") != near.rstrip("s"):
            yield found.start(1), found[1], (near,)


def _wrong_actions(passage: Passage, subject: Subject) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    names = subject.contract.action_names() if subject.contract and subject.contract.has_actions else None
    for found in _ACTION.finditer(passage.text) if names else ():
        if names and found[1] not in known_words(subject):
            yield found.start(1), found[1], names


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

    for found in _LISTED.finditer(passage.text):
        before = re.split(r"[.;。；\n][ \n]?", passage.text[max(found.start() - _BEFORE, 0) : found.start()])[-1]
        words = [
            (word.start() + found.start(), word[0]) for word in re.finditer(r"(?!or\b|and\b)[\w-]+", found[0], re.ASCII)
        ]
        for field in re.findall(r"[A-Za-z_]\w*", before, re.ASCII):
            for allowed in terms.choices.get(field, ()):
                if sum(word in allowed for _, word in words) >= len(words) - 1 >= 2:
                    yield from ((at, word, allowed) for at, word in words if word not in allowed)


def _wrong_paths(passage: Passage, subject: Subject) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for found in _PATH.finditer(passage.text):
        fields = _fields_of(found[1], subject)
        if fields and found[2] not in fields and found[2] not in _ENDINGS:
            yield found.start(), found[0], tuple(f"{found[1]}.{name}" for name in fields)


def _fields_of(name: str, subject: Subject) -> tuple[str, ...]:
    """Give the fields that an object of the reply has; none when it may have any."""
    contract = subject.contract
    owners = [contract.shape().get("properties", {}).get(name)] if contract else []
    if contract and contract.has_actions and name == "params":
        if contract.tools_input:
            return ()
        owners = [action.params for action in contract.actions.values()]
        owners += [schema for title, schema in contract.base.get("$defs", {}).items() if "properties" in schema]
    if not all(isinstance(owner, Mapping) and owner.get("properties") for owner in owners):
        return ()
    if any(owner.get("additionalProperties") for owner in owners):
        return ()
    return tuple(dict.fromkeys(field for owner in owners for field in owner["properties"]))
