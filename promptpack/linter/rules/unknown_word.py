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
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Final

from promptpack.linter.prompt_words import (
    IDENTIFIER,
    Passage,
    find_passages,
    find_similar,
    input_words,
    known_words,
    reply_words,
)
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL006"
NAME: Final = "unknown-word"
SEVERITY: Final = "warning"

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
_MAX_LISTS: Final = 20
_WORD: Final = re.compile(r"(?!or\b|and\b)[\w-]+", re.ASCII)
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
    yield from _misspelled(passage, subject)
    yield from _wrong_actions(passage, subject)
    yield from _wrong_values(passage, subject)
    yield from _wrong_alternatives(passage, subject)
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


def _wrong_values(passage: Passage, subject: Subject) -> Iterator[_Unknown]:
    for found in _PAIR.finditer(passage.text):
        values, allowed = _allowed_values(subject).get(found[1], (frozenset(), ()))
        if allowed and found[2] not in values and found[2].lower() not in _TYPE_NAMES:
            yield found.start(2), found[2], allowed


def _allowed_values(subject: Subject) -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """Return the values that each field of the reply may have; none if one of its schemas allows any value."""

    def compute() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
        inputs = input_words(subject).choices
        fields = {name: (*lists, *inputs.get(name, ())) for name, lists in reply_words(subject).choices.items()}
        allowed = {name: dict.fromkeys(chain(*lists)) for name, lists in fields.items() if all(lists)}
        return {name: (frozenset(words), tuple(words)) for name, words in allowed.items()}

    return subject.cached("allowed_values", compute)


def _wrong_alternatives(passage: Passage, subject: Subject) -> Iterator[_Unknown]:
    known, by_word = known_words(subject), _lists_by_word(subject)
    for found in _ALTERNATIVES.finditer(passage.text):
        if passage.text[: found.start()].rstrip(" ").endswith("|"):
            continue  # a row of a Markdown table
        words = _words_of(found)
        # All words but one must be in the list, and so must one of any two.
        lists = dict.fromkeys(allowed for _, word in words[:2] for allowed in by_word.get(word, ()))
        yield from (one for one in _not_in_lists(words, lists) if one[1] not in known)
    for found in _LISTED.finditer(passage.text):
        before = re.split(r"[.;。；\n][ \n]?", passage.text[max(found.start() - _LOOK_BACK, 0) : found.start()])[-1]
        fields = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", before, re.ASCII))
        choices = reply_words(subject).choices
        lists = dict.fromkeys(allowed for field in fields for allowed in choices.get(field, ())[:_MAX_LISTS])
        yield from _not_in_lists(_words_of(found), lists)


def _lists_by_word(subject: Subject) -> dict[str, list[tuple[str, ...]]]:
    """Return the lists of allowed values that contain each word; not all for a word that is in many."""

    def compute() -> dict[str, list[tuple[str, ...]]]:
        by_word: dict[str, list[tuple[str, ...]]] = {}
        for allowed in dict.fromkeys(words for lists in reply_words(subject).choices.values() for words in lists):
            for word in allowed:
                lists = by_word.setdefault(word, [])
                if len(lists) < _MAX_LISTS:
                    lists.append(allowed)
        return by_word

    return subject.cached("lists_by_word", compute)


def _words_of(found: re.Match[str]) -> list[tuple[int, str]]:
    """Return the words of a list in the text, each with its index."""
    return [(word.start() + found.start(), word[0]) for word in _WORD.finditer(found[0])]


def _not_in_lists(words: list[tuple[int, str]], lists: Iterable[tuple[str, ...]]) -> Iterator[_Unknown]:
    """Yield the one word that is not in a list which contains all others."""
    for allowed in lists:
        if sum(word in allowed for _, word in words) >= len(words) - 1 >= 2:
            yield from ((at, word, allowed) for at, word in words if word not in allowed)


def _wrong_paths(passage: Passage, subject: Subject) -> Iterator[_Unknown]:
    for found in _PATH.finditer(passage.text):
        paths = subject.cached(f"paths {found[1]}", partial(_paths_in, found[1], subject))
        if paths and found[0] not in paths and found[2] not in _FILE_EXTENSIONS:
            yield found.start(), found[0], paths


def _paths_in(name: str, subject: Subject) -> tuple[str, ...]:
    """Return the paths of the fields of an object in the reply; an empty tuple if it may have any."""
    contract = subject.contract
    owners = [subject.reply_schema.get("properties", {}).get(name)] if contract else []
    if contract and contract.has_actions and name == "params":
        if contract.tools_input:
            return ()
        owners = [action.params for action in contract.actions.values()]
        owners += [schema for title, schema in contract.base.get("$defs", {}).items() if "properties" in schema]
    if not all(isinstance(owner, Mapping) and owner.get("properties") for owner in owners):
        return ()
    if any(owner.get("additionalProperties") for owner in owners):
        return ()
    return tuple(dict.fromkeys(f"{name}.{field}" for owner in owners for field in owner["properties"]))
