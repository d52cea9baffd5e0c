"""A word in the text of the prompt that the contract does not define.

The prompt teaches a word that makes the reply invalid: an action that was renamed, a misspelled field, an enum value
that was removed. Words of the inputs, the examples and the tests are not reported. The rule finds
* words such as `continue_executon` or `taskIds` that are similar to a word of the contract; plain words only in
  backquotes
* a value that its field does not allow, written next to the field (`"level": "critical"`, or level is `critical`), in
  a list of alternatives (`low|medium|critical`), or in a list after the field
* a word such as `ASK_USER` next to "action" that is not an action
* a path such as `risk.levl` into an object that has no such field

Bad: "choose `continue_executon`", where the contract has `continue_execution`.
Good: the word of the contract; better still, `{{ reply_format }}`, which always matches the contract.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from promptpack.linter.prompt_words import (
    IDENTIFIER,
    Passage,
    SchemaWords,
    find_passages,
    find_similar,
    input_words,
    known_words,
    reply_words,
)
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL006"
NAME: Final = "unknown-word"
SEVERITY: Final[Severity] = "warning"

# A word more similar than this is a misspelling.
_SIMILARITY: Final = 0.88
_EQUALS: Final = r"(?:\s*[:=：]\s*|[ \t]+(?:is|be|to|must be)[ \t]+|[ \t]*(?:设为|必须为|为|是)[ \t]*)"
_PAIR: Final = re.compile(
    rf"""["'`“]?\b([A-Za-z_]\w*)["'`”]?{_EQUALS}["'`“「]([A-Za-z_][\w-]*)["'`”」]""",
    re.ASCII,
)
_ALTERNATIVES: Final = re.compile(
    r"(?<![\w|])[A-Za-z_][\w-]*(?:[ \t]?[|/][ \t]?[A-Za-z_][\w-]*){2,}(?![\w|])", re.ASCII
)
# A list of single words, up to the end of a sentence, line or bracket.
_ITEM: Final = r"[`\"']?[A-Za-z_][\w-]*[`\"']?"
_COMMA: Final = r"(?:[ \t]?[,，、][ \t]?(?:(?:or|and)[ \t]+)?|[ \t]+or[ \t]+|[ \t]*或[ \t]*)"
_LISTED: Final = re.compile(rf"(?<![\w,、]){_ITEM}(?:{_COMMA}{_ITEM}){{2,20}}(?=[.;)。；）\n]|\Z)", re.ASCII)
_LOOK_BACK: Final = 200
_SPAN: Final = re.compile(r"`([A-Za-z_]\w*)`", re.ASCII)
_ACTION: Final = re.compile(
    r"(?:\b[Aa]ctions?(?:[ \t]+(?:is|named|called))?[ \t]*[:=：]?|动作[ \t]*(?:为|是)?)[ \t]*[`\"']?"
    r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w-])",
    re.ASCII,
)
_PATH: Final = re.compile(r"(?<![\w./-])([a-z]\w*)\.([a-z]\w*)(?![\w/(-])", re.ASCII)
_TYPE_NAMES: Final = frozenset(("array", "boolean", "enum", "integer", "null", "number", "object", "string", "text"))
_FILE_EXTENSIONS: Final = frozenset(
    ("com", "csv", "html", "j2", "js", "json", "md", "org", "py", "sh", "toml", "txt", "yaml", "yml")
)

_Unknown = tuple[int, str, tuple[str, ...]]
"""The index of a word in the passage, the word, and the allowed words."""


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the text with the words of the contract."""
    if subject.contract is None or subject.compiled.problems:
        return
    reported: set[tuple[str, int]] = set()
    for passage in find_passages(subject):
        for index, word, allowed in sorted(_find_unknown(passage, subject)):
            if (word, passage.position + index) not in reported:
                reported.add((word, passage.position + index))
                message = f"the text uses {word!r}, which is not in the contract"
                similar = find_similar(subject, word, allowed, _SIMILARITY - 0.1)
                hint = f"did you mean {similar!r}?" if similar else f"the contract has {', '.join(allowed[:8])}"
                yield LintProblem(message, passage.locate(index), hint)


def _find_unknown(passage: Passage, subject: Subject) -> Iterator[_Unknown]:
    words = reply_words(subject)
    yield from _misspelled(passage, subject)
    yield from _wrong_actions(passage, subject)
    yield from _wrong_values(passage, words, input_words(subject))
    yield from _wrong_alternatives(passage, words, known_words(subject))
    yield from _wrong_paths(passage, subject)


def _misspelled(passage: Passage, subject: Subject) -> Iterator[_Unknown]:
    words, known = reply_words(subject).all, known_words(subject)
    identifiers = subject.cached("identifiers", lambda: [word for word in words if IDENTIFIER.fullmatch(word)])
    for found in IDENTIFIER.finditer(passage.text):
        word = found[0]
        if word in known:
            continue
        similar = find_similar(subject, word, identifiers, _SIMILARITY)
        if similar:
            yield found.start(), word, (similar,)
    for found in _SPAN.finditer(passage.text):
        similar = None if found[1] in known else find_similar(subject, found[1], words, _SIMILARITY)
        # A plain word in backquotes is meant literally, except for its plural.
        if similar and found[1].rstrip("s") != similar.rstrip("s"):
            yield found.start(1), found[1], (similar,)


def _wrong_actions(passage: Passage, subject: Subject) -> Iterator[_Unknown]:
    names = subject.contract.action_names() if subject.contract and subject.contract.has_actions else None
    for found in _ACTION.finditer(passage.text) if names else ():
        if names and found[1] not in known_words(subject):
            yield found.start(1), found[1], names


def _wrong_values(passage: Passage, reply: SchemaWords, inputs: SchemaWords) -> Iterator[_Unknown]:
    for found in _PAIR.finditer(passage.text):
        field, value = found[1], found[2]
        lists = (*reply.choices.get(field, ()), *inputs.choices.get(field, ()))
        allowed = tuple(dict.fromkeys(word for words in lists for word in words))
        if field in reply.choices and all(lists) and value not in allowed and value.lower() not in _TYPE_NAMES:
            yield found.start(2), value, allowed


def _wrong_alternatives(passage: Passage, reply: SchemaWords, known: frozenset[str]) -> Iterator[_Unknown]:
    for found in _ALTERNATIVES.finditer(passage.text):
        if passage.text[: found.start()].rstrip(" ").endswith("|"):
            continue  # a row of a Markdown table
        words = [(word.start() + found.start(), word[0]) for word in re.finditer(r"[\w-]+", found[0], re.ASCII)]
        for lists in reply.choices.values():
            for allowed in lists:
                if sum(word in allowed for _, word in words) >= len(words) - 1 >= 2:
                    yield from ((at, word, allowed) for at, word in words if word not in allowed and word not in known)

    for found in _LISTED.finditer(passage.text):
        before = re.split(r"[.;。；\n][ \n]?", passage.text[max(found.start() - _LOOK_BACK, 0) : found.start()])[-1]
        words = [
            (word.start() + found.start(), word[0]) for word in re.finditer(r"(?!or\b|and\b)[\w-]+", found[0], re.ASCII)
        ]
        for field in re.findall(r"[A-Za-z_]\w*", before, re.ASCII):
            for allowed in reply.choices.get(field, ()):
                if sum(word in allowed for _, word in words) >= len(words) - 1 >= 2:
                    yield from ((at, word, allowed) for at, word in words if word not in allowed)


def _wrong_paths(passage: Passage, subject: Subject) -> Iterator[_Unknown]:
    for found in _PATH.finditer(passage.text):
        fields = _fields_of(found[1], subject)
        if fields and found[2] not in fields and found[2] not in _FILE_EXTENSIONS:
            yield found.start(), found[0], tuple(f"{found[1]}.{name}" for name in fields)


def _fields_of(name: str, subject: Subject) -> tuple[str, ...]:
    """Return the fields of an object in the reply; an empty tuple if it may have any."""
    contract = subject.contract
    owners = [contract.json_schema().get("properties", {}).get(name)] if contract else []
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
