"""`# promptpack: ignore=PL004` on a line: which findings an author wants to hear no more."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from promptpack.linter.edit import Edit
from promptpack.problem import Location

_COMMENT = re.compile(r"(\{)?#[-+]?[ \t]*promptpack:[ \t]*ignore[ \t]*=[ \t]*([\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)")
_WORD = re.compile(r"[\w-]+")
_JINJA_END = "#}"


@dataclass(frozen=True, slots=True)
class Ignore:
    """One code that is not wanted on one line, and the edit that takes it away, where that is safe."""

    code: str
    location: Location
    removal: Edit | None = None
    hint: str = ""
    """What to write instead, when there is no such rule."""


def find_ignores(text: str, path: str, is_comment: Callable[[int], bool]) -> Iterator[Ignore]:
    """Find the comments of a text: those that `is_comment` knows by their offset, and Jinja's own."""
    for found in _COMMENT.finditer(text):
        end_of_line = text.find("\n", found.end())
        end_of_line = len(text) if end_of_line < 0 else end_of_line
        jinja_end = text.find(_JINJA_END, found.end(), end_of_line) if found[1] else -1
        if jinja_end >= 0:
            whole = _jinja_removal(text, found.start(), jinja_end + len(_JINJA_END))
        elif is_comment(found.start()):
            whole = _yaml_removal(text, found.start(), end_of_line)
        else:
            continue
        yield from _each(found, text, path, whole)


def _each(found: re.Match[str], text: str, path: str, whole: Edit | None) -> Iterator[Ignore]:
    line_start = text.rfind("\n", 0, found.start()) + 1
    line = text.count("\n", 0, line_start) + 1
    words = list(_WORD.finditer(text, found.start(2), found.end(2)))
    for index, word in enumerate(words):
        # Each code goes with the comma that ties it to its neighbour.
        first, last = index == 0, index == len(words) - 1
        start = word.start() if first else words[index - 1].end()
        end = words[index + 1].start() if first and not last else word.end()
        removal = whole if first and last else Edit(start, end)
        yield Ignore(word[0], Location(path, line, word.start() - line_start + 1), removal)


def _yaml_removal(text: str, start: int, end: int) -> Edit:
    line_start = text.rfind("\n", 0, start) + 1
    if not text[line_start:start].strip():
        return Edit(line_start, min(end + 1, len(text)))
    return Edit(line_start + len(text[line_start:start].rstrip()), end)


def _jinja_removal(text: str, start: int, end: int) -> Edit | None:
    """Take a comment away only where the white space around it renders the same without it."""
    alone_before = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    ends_line = text[end : end + 1] in ("", "\n")
    return Edit(start, end) if not ends_line and (not alone_before or not text[end].isspace()) else None
