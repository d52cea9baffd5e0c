"""Representative characters: one of each class of characters that some patterns distinguish."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from re import _constants as codes  # type: ignore[attr-defined]  # missing from the stubs
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from promptpack.schema.patterns import Pattern

_END: Final = 0x110000
# Surrogates are not characters of their own, so others represent their class if possible.
_SURROGATES: Final = (0xD800, 0xE000)
_PREFERRED: Final = "axA0_-. é中"
_CATEGORIES: Final = (r"\d+", r"(?:(?!\d)\w)+", r"\s+", r"[^\w\s]+")


def find_characters(patterns: Iterable[Pattern], words: Iterable[str]) -> list[str]:
    """Return characters for all classes: those of the words, and one for each class that the patterns distinguish."""
    known = set("".join(words))
    tests = [state.test for one in patterns for state in (one.automaton.states if one.automaton else ()) if state.test]
    classes: dict[Any, str] = {}
    for character in (*_PREFERRED, *_candidates(patterns, known)):
        if character not in known:
            is_word = character.isalnum() or character == "_"
            classes.setdefault((is_word, *(test(character) for test in tests)), character)
    return [*classes.values(), *sorted(known)]


def _candidates(patterns: Iterable[Pattern], known: set[str]) -> Iterator[str]:
    """Yield a character of each category, for each range between two characters that a pattern or a word names."""
    cuts = {0, _END, *_SURROGATES}
    for character in known:
        cuts |= {ord(character), ord(character) + 1}
    has_categories = False
    for pattern in patterns:
        for cut in _cuts(pattern.tree):
            has_categories = has_categories or cut < 0
            cuts |= {cut, cut + 1} if cut >= 0 else set()
    ranges = sorted(pairwise(sorted(cut for cut in cuts if cut <= _END)), key=lambda one: one == _SURROGATES)
    for start, end in ranges:
        yield chr(start)
        if has_categories:
            yield from _of_each_category(start, end)


def _of_each_category(start: int, end: int) -> Iterator[str]:
    for starts, ends in _runs():
        index = bisect_left(ends, start + 1)
        if index < len(starts) and starts[index] < end:
            yield chr(max(start, starts[index]))


@cache
def _runs() -> tuple[tuple[list[int], list[int]], ...]:
    """Return, for each category, where its runs of characters start and end."""
    every = "".join(map(chr, range(_END)))
    found = ([match.span() for match in re.finditer(category, every)] for category in _CATEGORIES)
    return tuple(([start for start, _ in spans], [end for _, end in spans]) for spans in found)


def _cuts(tree: Any) -> Iterator[int]:
    """Yield every character that a pattern names, and -1 for a category or a word boundary."""
    for operation, argument in tree:
        if operation in (codes.LITERAL, codes.NOT_LITERAL):
            yield argument
        elif operation is codes.RANGE:
            yield from argument
        elif operation is codes.ANY:
            yield ord("\n")
        elif operation is codes.IN:
            yield from _cuts(argument)
        elif operation in (codes.CATEGORY, codes.AT):
            yield -1
        elif operation is codes.BRANCH:
            for branch in argument[1]:
                yield from _cuts(branch)
        elif operation is codes.SUBPATTERN:
            yield from _cuts(argument[3])
        elif operation in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            yield from _cuts(argument[2])
