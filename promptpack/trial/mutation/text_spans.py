"""Sentences and conditions in the text of a template, as offsets."""

import re
from collections.abc import Iterator
from typing import Final

# A list item, a heading or a quotation keeps its mark.
_MARK: Final = re.compile(r"[ \t]*(?:(?:[-*+>]|#{1,6}|\d{1,9}[.)、])[ \t]+)?")
# A full stop ends a sentence only before a space; full-width marks always do.
_END: Final = re.compile(r"[。！？]+[」』”’）]*|[.!?]+[\"')\]]*(?=\s|$)")
_WORD: Final = re.compile(r"\w\w|[㐀-鿿]")
_CONDITION: Final = re.compile(
    r"\{%[-+]?[ \t]*(?:el)?if[ \t]+(?P<tag>[^\n]+?)[ \t]*[-+]?%\}"
    r"|\{\{[^\n{}]*?\bif[ \t]+(?P<inline>[^\n{}]+?)[ \t]+else\b[^\n{}]*\}\}"
)


def find_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence on one line that contains no block tag and no half expression."""
    start = 0
    for line in text.split("\n"):
        for first, last in _split(line):
            if _is_whole(line[first:last]):
                yield start + first, start + last
        start += len(line) + 1


def find_conditions(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each condition of a Jinja `if` or `elif` tag, or of an inline `if` with an `else`."""
    for found in _CONDITION.finditer(text):
        yield found.span("tag" if found["tag"] is not None else "inline")


def strip_mark(line: str) -> str:
    """Return a line without the mark of a list item, heading or quotation, and without spaces around it."""
    return _MARK.sub("", line, count=1).strip()


def _split(line: str) -> Iterator[tuple[int, int]]:
    mark = _MARK.match(line)
    start = mark.end() if mark else 0
    for found in _END.finditer(line, start):
        yield _strip(line, start, found.end())
        start = found.end()
    yield _strip(line, start, len(line))


def _strip(line: str, start: int, end: int) -> tuple[int, int]:
    part = line[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _is_whole(sentence: str) -> bool:
    has_tag = "{%" in sentence or "{#" in sentence or "%}" in sentence or "#}" in sentence
    return bool(_WORD.search(sentence)) and not has_tag and sentence.count("{{") == sentence.count("}}")
