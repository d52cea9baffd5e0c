"""Regular expressions in bounded time: `re` if it is certainly fast, otherwise an automaton."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from re import _compiler as compiler  # type: ignore[attr-defined]  # missing from the stubs
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, Final

from promptpack.lazy import cached_property

if TYPE_CHECKING:
    from promptpack.schema.ambiguity import Growth
    from promptpack.schema.automaton import Automaton


# The limit for `re`: paths through the pattern times start positions.
_MAX_TRIES: Final = 1_000_000
# The limit for the automaton: characters times states.
_MAX_STEPS: Final = 2_000_000
# A pattern that only `re` can match must be fast on texts of this length.
_TYPICAL_LENGTH: Final = 200
# An escape, a comment, a set of characters, or a bar between alternatives.
_BAR_OR_LITERAL: Final = r"(?s)\\.|\(\?#[^)]*\)|\[\^?\]?(?:\\.|[^\]\\])*\]|\|"
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


class PatternError(ValueError):
    """The pattern is invalid, or the text is too long for it."""


class Pattern:
    """A regular expression that searches a text in bounded time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._safe_length = -1
        try:
            self._tree = _without_warnings(parser.parse, text)
            if not self._tree.state.flags & re.MULTILINE:
                _use_text_end(self._tree)
            self._expression = _without_warnings(compiler.compile, self._tree)
        except (re.error, OverflowError, RecursionError) as error:
            raise PatternError(f"pattern {text[:60]!r} is not a valid regular expression: {error}") from error

    @property
    def is_safe(self) -> bool:
        """Whether every text of typical length can be searched."""
        return self._automaton is not None or self._count_tries(_TYPICAL_LENGTH) <= _MAX_TRIES

    @cached_property
    def growth(self) -> Growth:
        """How the work of a backtracking engine grows with the text; "linear" if there is no automaton to analyze."""
        from promptpack.schema.ambiguity import compute_growth
        from promptpack.schema.automaton import UnsupportedPatternError, build_automaton

        try:
            tree = _without_warnings(parser.parse, re.sub(_BAR_OR_LITERAL, _separate_alternatives, self.text))
            return compute_growth(build_automaton(tree).states)
        except UnsupportedPatternError:
            return "linear"

    def is_found_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in a text; raise `PatternError` if that could take too long."""
        if len(text) <= self._safe_length or self._count_tries(len(text)) <= _MAX_TRIES:
            self._safe_length = max(self._safe_length, len(text))
            return self._expression.search(text) is not None
        if self._automaton is None or len(text) * self._automaton.size > _MAX_STEPS:
            raise PatternError(f"a text of {len(text):,} characters is too long for the pattern {self.text[:60]!r}")
        return self._automaton.is_found_in(text)

    def _count_tries(self, length: int) -> int:
        return (length + 1) * _count_paths(self._tree, length)

    @cached_property
    def _automaton(self) -> Automaton | None:
        from promptpack.schema.automaton import UnsupportedPatternError, build_automaton

        try:
            return build_automaton(self._tree)
        except UnsupportedPatternError:
            return None


@lru_cache(maxsize=1024)
def read_pattern(text: str) -> Pattern:
    """Parse a pattern, or raise `PatternError`."""
    return Pattern(text)


def _use_text_end(tree: Any) -> None:
    """Make `$` match only at the end of the text, as in JSON Schema; Python also matches before a last newline."""
    for index, (operation, argument) in enumerate(tree.data):
        if argument is codes.AT_END:
            tree.data[index] = operation, codes.AT_END_STRING
        elif operation is not codes.SUBPATTERN or not argument[1] & re.MULTILINE:
            inner = (
                argument[1] if operation is codes.BRANCH else argument if isinstance(argument, tuple) else [argument]
            )
            for subpattern in inner:
                if isinstance(subpattern, parser.SubPattern):
                    _use_text_end(subpattern)


def _without_warnings(read: Callable[[str], Any], text: str) -> Any:
    """Parse a pattern without the warnings of `re`, which only concern other Python versions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(text)


def _separate_alternatives(found: re.Match[str]) -> str:
    """Put an empty group after each bar: Python merges `\\w|\\d` into one set, but other engines do not."""
    return "|()" if found[0] == "|" else found[0]


def _count_paths(tree: Any, length: int) -> int:
    """Return the maximum number of paths of a backtracking matcher from one start position."""
    paths = 1
    for operation, argument in tree:
        paths = min(paths * _count_operation_paths(operation, argument, length), _MAX_TRIES + 1)
    return paths


def _count_operation_paths(operation: Any, argument: Any, length: int) -> int:
    if operation in _REPEATS:
        minimum, maximum, body = argument
        times = max(min(int(maximum), length), int(minimum), 1)
        inside = _count_paths(body, length)
        return times if inside == 1 else int(inside ** min(times, 20))
    if operation is codes.BRANCH:
        return sum(_count_paths(branch, length) for branch in argument[1])
    if operation is codes.GROUPREF_EXISTS:
        return sum(_count_paths(branch, length) for branch in argument[1:] if branch)
    body = _INSIDE.get(operation)
    return 1 if body is None else _count_paths(body(argument), length)


_INSIDE: Final[dict[Any, Callable[[Any], Any]]] = {
    codes.SUBPATTERN: lambda argument: argument[3],
    codes.ATOMIC_GROUP: lambda argument: argument,
    codes.ASSERT: lambda argument: argument[1],
    codes.ASSERT_NOT: lambda argument: argument[1],
}
