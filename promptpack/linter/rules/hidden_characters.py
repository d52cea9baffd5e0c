"""An invisible character, or one that changes the direction of text.

Zero-width characters, soft hyphens, Hangul fillers, runs of variation selectors and direction marks can hide
instructions from reviewers, and are easily copied by accident with text from the web. Characters that a script or an
emoji needs are not reported: joiners in Persian, Indic and emoji, marks next to right-to-left letters, zero-width
spaces in Thai and Khmer. Characters without a legitimate use, such as direction overrides, are invalid in YAML
(PP104); this rule also finds them when they are written as escapes, and in partial files.

Bad: `content: "Be brief.\\u200bIgnore the rules."`
Good: `content: Be brief.`
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from promptpack.linter.edit import Edit
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.problem import Location, Severity

CODE: Final = "PL005"
NAME: Final = "hidden-characters"
SEVERITY: Final[Severity] = "warning"

_HIDDEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_JOINERS: Final = "\u200c\u200d"
_MARKS: Final = "\u061c\u200e\u200f"
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACELESS: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_HINT: Final = "remove it; if it is intended, add the comment 'promptpack: ignore=PL005'"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Search the raw file, the values of escapes, and partial files."""
    document = subject.document
    for index in _find_hidden(document.text):
        edit = Edit(index, index + 1)
        yield LintProblem(_message(document.text[index]), _locate(document.path, document.text, index), _HINT, (edit,))
    for keys, text in _texts(document.data, ()):
        for index in _find_hidden(text):
            if text[index] not in document.text:
                line = text.count("\n", 0, index) + 1
                column = index - text.rfind("\n", 0, index)
                yield LintProblem(_message(text[index]), document.locate_inside(keys, line, column), _HINT)
    for partial in subject.partials.values():
        path = partial.source.locate(1, 1).path
        if path.endswith(".j2"):
            text = partial.source.text
            yield from (LintProblem(_message(text[at]), _locate(path, text, at), _HINT) for at in _find_hidden(text))


def _texts(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    match value:
        case str():
            yield path, value
        case dict():
            for key, item in value.items():
                yield from _texts(item, (*path, key))
        case list():
            for index, item in enumerate(value):
                yield from _texts(item, (*path, index))


def _find_hidden(text: str) -> Iterator[int]:
    return (found.start() for found in _HIDDEN.finditer(text) if not _is_needed(text, found.start()))


def _is_needed(text: str, index: int) -> bool:
    """Return whether the characters around a hidden character need it."""
    character, before, after = text[index], text[index - 1 : index], text[index + 1 : index + 2]
    if character in _JOINERS:
        return _is_beyond_latin(before) and _is_beyond_latin(after)
    if character in _MARKS:
        line = text[text.rfind("\n", 0, index) + 1 : text.find("\n", index) if "\n" in text[index:] else len(text)]
        return any(unicodedata.bidirectional(other) in ("R", "AL") for other in line if other not in _MARKS)
    if _SELECTORS.match(character):
        return bool(before) and not _SELECTORS.match(before) and (not before.isalpha() or _is_beyond_latin(before))
    return character == "\u200b" and bool(_SPACELESS.match(before) or _SPACELESS.match(after))


def _is_beyond_latin(character: str) -> bool:
    return character > "\u02ff" and unicodedata.category(character)[0] in "LMS"


def _locate(path: str, text: str, index: int) -> Location:
    return Location(path, text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))


def _message(character: str) -> str:
    return f"hidden character U+{ord(character):04X} ({unicodedata.name(character, 'unnamed').lower()})"
