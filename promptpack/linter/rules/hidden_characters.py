"""An invisible character, or one that changes the direction of text.

Zero-width characters, soft hyphens, Hangul fillers, runs of variation selectors and direction marks can hide
instructions from reviewers, and are easily copied by accident with text from the web. Characters that a script or an
emoji needs are not reported: joiners in Persian, Indic and emoji, the tags in the flags of England, Scotland and
Wales, marks next to right-to-left letters, zero-width spaces in Thai and Khmer. Characters without a legitimate use,
such as direction overrides, are invalid in YAML (PP104); this rule also finds them when they are written as escapes,
and in partial files.

Bad: `content: "Be brief.\\u200bIgnore the rules."`
Good: `content: Be brief.`
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import Final

from promptpack.character_patterns import TAG
from promptpack.document.edits import Edit
from promptpack.document.line_index import LineIndex
from promptpack.document.model import Document
from promptpack.linter.lint_report import Fix
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed
from promptpack.problem import Location

CODE: Final = "PL005"
NAME: Final = "hidden-characters"
SEVERITY: Final = "warning"

_HIDDEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_JOINERS: Final = "\u200c\u200d"
_MARKS: Final = "\u061c\u200e\u200f"
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACELESS: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
# More problems in one text would not help an author.
_MAX_FOUND: Final = 1_000
_HINT: Final = "remove it; if it is intended, add the comment 'promptpack: ignore=PL005'"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Search the raw file, the values of escapes, and partial files."""
    document = subject.document
    for index in _find_hidden(document.text):
        fix = Fix("remove the hidden character", (Edit(index, index + 1),), is_safe=True)
        yield LintProblem(_message(document.text[index]), document.locate_offset(index), _HINT, (fix,))
    if "\\" in document.text:
        yield from _check_escapes(document)
    yield from subject.find_in_partial_files(NAME, _check_file)


def _check_file(path: str, text: str) -> Iterator[LintProblem]:
    lines = LineIndex(text)
    for index in _find_hidden(text):
        location = Location(path, *lines.locate(index))._with_word(text, index)
        yield LintProblem(_message(text[index]), location, _HINT)


def _check_escapes(document: Document) -> Iterator[LintProblem]:
    raw = frozenset(document.text)
    for placed in Placed(document.data, document, ()).strings():
        text = placed.value
        for index in _find_hidden(text):
            if text[index] not in raw:
                location = document.locate_inside(placed.path, *LineIndex(text).locate(index))
                yield LintProblem(_message(text[index]), location, _HINT)


def _find_hidden(text: str) -> Iterator[int]:
    return islice(_find_all_hidden(text), _MAX_FOUND)


def _find_all_hidden(text: str) -> Iterator[int]:
    line, is_right_to_left = -1, False
    for found in _HIDDEN.finditer(text):
        if found[0] in _MARKS:
            start = text.rfind("\n", 0, found.start()) + 1
            if start != line:
                line, is_right_to_left = start, _has_right_to_left(text, start)
            if not is_right_to_left:
                yield found.start()
        elif not _is_needed(text, found.start()):
            yield found.start()


def _has_right_to_left(text: str, line_start: int) -> bool:
    line = text[line_start:].partition("\n")[0]
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in line if character not in _MARKS)


def _is_needed(text: str, index: int) -> bool:
    """Return whether the characters around a hidden character need it."""
    character, before, after = text[index], text[index - 1 : index], text[index + 1 : index + 2]
    if character in _JOINERS:
        return _is_beyond_latin(before) and _is_beyond_latin(after)
    if "\U000e0000" <= character <= "\U000e007f":
        return TAG.match(text, index) is None
    if _SELECTORS.match(character):
        return bool(before) and not _SELECTORS.match(before) and (not before.isalpha() or _is_beyond_latin(before))
    return character == "\u200b" and bool(_SPACELESS.match(before) or _SPACELESS.match(after))


def _is_beyond_latin(character: str) -> bool:
    return character > "\u02ff" and unicodedata.category(character)[0] in "LMS"


def _message(character: str) -> str:
    return f"hidden character U+{ord(character):04X} ({unicodedata.name(character, 'unnamed').lower()})"
