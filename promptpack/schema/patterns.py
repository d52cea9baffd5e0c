"""Regular expressions that cannot run away: by `re` where little work is certain, else all states at once."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from re import _compiler as compiler  # type: ignore[attr-defined]  # the stubs leave out what `re` itself works with
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, Final

from promptpack.lazy import cached_property

if TYPE_CHECKING:
    from promptpack.schema.ambiguity import Growth
    from promptpack.schema.states import Program


# What `re` may try at most, counted as ways to match times places to start at.
_MOST_TRIES: Final = 1_000_000
# What walking through the states may take at most, counted as characters times states.
_MOST_STEPS: Final = 2_000_000
# A pattern that only `re` can match must be harmless on texts of this length.
_USUAL_LENGTH: Final = 200
# An escape, a comment, a set of characters, or a bar between alternatives.
_ALTERNATIVE: Final = r"(?s)\\.|\(\?#[^)]*\)|\[\^?\]?(?:\\.|[^\]\\])*\]|\|"
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


class PatternError(ValueError):
    """A pattern that cannot be read, or that a text is too long for."""


class Pattern:
    """A regular expression that a text is searched for, in bounded time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._harmless_length = -1
        try:
            self._tree = _without_warnings(parser.parse, text)
            if not self._tree.state.flags & re.MULTILINE:
                _end_at_the_end(self._tree)
            self._expression = _without_warnings(compiler.compile, self._tree)
        except (re.error, OverflowError, RecursionError) as error:
            raise PatternError(f"pattern {text[:60]!r} cannot be read: {error}") from error

    @property
    def is_safe(self) -> bool:
        """Whether every text of usual length can be searched."""
        return self._program is not None or self._tries(_USUAL_LENGTH) <= _MOST_TRIES

    @cached_property
    def growth(self) -> Growth:
        """How engines that try one way after the other slow down; only known where there are states."""
        from promptpack.schema.ambiguity import growth
        from promptpack.schema.states import UnsupportedError, assemble

        try:
            tree = _without_warnings(parser.parse, re.sub(_ALTERNATIVE, _kept_apart, self.text))
            return growth(assemble(tree).states)
        except UnsupportedError:
            return "linear"

    def is_found_in(self, text: str) -> bool:
        """Search a text; raises `PatternError` where that could take too long."""
        if len(text) <= self._harmless_length or self._tries(len(text)) <= _MOST_TRIES:
            self._harmless_length = max(self._harmless_length, len(text))
            return self._expression.search(text) is not None
        if self._program is None or len(text) * self._program.size > _MOST_STEPS:
            raise PatternError(f"a text of {len(text):,} characters is too long for the pattern {self.text[:60]!r}")
        return self._program.is_found_in(text)

    def _tries(self, length: int) -> int:
        return (length + 1) * _ways(self._tree, length)

    @cached_property
    def _program(self) -> Program | None:
        from promptpack.schema.states import UnsupportedError, assemble

        try:
            return assemble(self._tree)
        except UnsupportedError:
            return None


@lru_cache(maxsize=1024)
def read_pattern(text: str) -> Pattern:
    """Read a pattern; raises `PatternError` when it is none."""
    return Pattern(text)


def _end_at_the_end(tree: Any) -> None:
    """Have `$` mean the end of the text, as in every schema; Python's also stands before a line end at the end."""
    for index, (operation, argument) in enumerate(tree.data):
        if argument is codes.AT_END:
            tree.data[index] = operation, codes.AT_END_STRING
        elif operation is not codes.SUBPATTERN or not argument[1] & re.MULTILINE:
            parts = (
                argument[1] if operation is codes.BRANCH else argument if isinstance(argument, tuple) else [argument]
            )
            for part in parts:
                if isinstance(part, parser.SubPattern):
                    _end_at_the_end(part)


def _without_warnings(read: Callable[[str], Any], text: str) -> Any:
    """Read a pattern; what `re` warns of is how other versions of Python may read it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(text)


def _kept_apart(found: re.Match[str]) -> str:
    """Put an empty group after each bar: Python's reader makes one set of `\\w|\\d`, which other engines do not."""
    return "|()" if found[0] == "|" else found[0]


def _ways(tree: Any, length: int) -> int:
    """Say in how many ways at most a backtracking matcher can go through a pattern from one place."""
    ways = 1
    for operation, argument in tree:
        ways = min(ways * _ways_of(operation, argument, length), _MOST_TRIES + 1)
    return ways


def _ways_of(operation: Any, argument: Any, length: int) -> int:
    if operation in _REPEATS:
        least, most, body = argument
        times = max(min(int(most), length), int(least), 1)
        inside = _ways(body, length)
        return times if inside == 1 else int(inside ** min(times, 20))
    if operation is codes.BRANCH:
        return sum(_ways(branch, length) for branch in argument[1])
    if operation is codes.GROUPREF_EXISTS:
        return sum(_ways(branch, length) for branch in argument[1:] if branch)
    body = _INSIDE.get(operation)
    return 1 if body is None else _ways(body(argument), length)


_INSIDE: Final[dict[Any, Callable[[Any], Any]]] = {
    codes.SUBPATTERN: lambda argument: argument[3],
    codes.ATOMIC_GROUP: lambda argument: argument,
    codes.ASSERT: lambda argument: argument[1],
    codes.ASSERT_NOT: lambda argument: argument[1],
}
