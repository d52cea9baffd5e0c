"""Regular expressions in bounded time: `re` if it is certainly fast, otherwise an automaton."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _compiler as compiler  # type: ignore[attr-defined]  # missing from the stubs
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from promptpack.lazy import cached_property

if TYPE_CHECKING:
    from promptpack.schema.ambiguity import Growth
    from promptpack.schema.automaton import Automaton


# Longer patterns are refused, because Python parses them slowly.
MAX_LENGTH: Final = 1_000
# The limit of one search with `re`, in steps of its engine.
_MAX_ENGINE_STEPS: Final = 4_000_000
# So many steps of the engine of `re` take as long as one step of a validation.
_ENGINE_STEPS_A_STEP: Final = 32
_MAX_COST: Final = _MAX_ENGINE_STEPS // _ENGINE_STEPS_A_STEP
_TOO_EXPENSIVE: Final = 1 << 62
# The binary digits of the length of the longest text.
_MAX_DIGITS: Final = 24
# A pattern that only `re` can match must be fast on texts of this length.
_TYPICAL_LENGTH: Final = 200
# A search that takes this many steps has no bound.
_UNBOUNDED: Final = 1 << 40
# An engine compares this many characters in a row in one step.
_CHARACTERS_A_STEP: Final = 8
_ONE_CHARACTER_CODES: Final = (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY)
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT)
_ANCHORS: Final = ((codes.AT, codes.AT_BEGINNING_STRING), (codes.AT, codes.AT_BEGINNING))
# An escape, a comment, a set of characters, or a bar between alternatives.
_BAR_OR_LITERAL: Final = r"(?s)\\.|\(\?#[^)]*\)|\[\^?\]?(?:\\.|[^\]\\])*\]|\|"


class PatternError(ValueError):
    """The pattern is invalid, or the text is too long for it."""


class PatternLengthError(PatternError):
    """The pattern is too long."""


class Pattern:
    """A regular expression that searches a text in bounded time."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise PatternLengthError(f"pattern {text[:60]!r} is longer than {MAX_LENGTH:,} characters")
        self.text = text
        self._costs: list[int | None] = [None] * (_MAX_DIGITS + 1)
        try:
            self.tree: Any = _without_warnings(parser.parse, text)
            if not self.tree.state.flags & re.MULTILINE:
                _use_text_end(self.tree)
            self._search = _without_warnings(compiler.compile, self.tree).search
        except (re.error, OverflowError, RecursionError) as error:
            raise PatternError(f"pattern {text[:60]!r} is not a valid regular expression: {error}") from error

    @property
    def is_safe(self) -> bool:
        """Whether every text of typical length can be searched."""
        return self.automaton is not None or self._cost(_TYPICAL_LENGTH.bit_length()) <= _MAX_COST

    def find_growth(self, steps: list[int]) -> Growth:
        """Return how the work of a backtracking engine grows with the text, and subtract the work of the analysis.

        Patterns without an automaton, and those that take more than the remaining steps, are "unknown".
        """
        from promptpack.schema.ambiguity import compute_growth
        from promptpack.schema.automaton import UnsupportedPatternError, build_automaton

        try:
            tree = _without_warnings(parser.parse, re.sub(_BAR_OR_LITERAL, _separate_alternatives, self.text))
            return compute_growth(build_automaton(tree).states, steps)
        except (UnsupportedPatternError, RecursionError):
            return "unknown"

    def is_found_in(self, text: str, steps: list[int]) -> bool:
        """Return whether the pattern matches anywhere in a text, and subtract the work from the remaining steps.

        Raise `PatternError` if that could take more steps than remain.
        """
        digits = len(text).bit_length()
        cost = self._costs[digits] if digits <= _MAX_DIGITS else _TOO_EXPENSIVE
        if cost is None:
            cost = self._cost(digits)
        if cost <= steps[0]:
            steps[0] -= cost
            return self._search(text) is not None
        found = None if self.automaton is None else self.automaton.is_found_in(text, steps)
        if found is None:
            raise PatternError(f"a text of {len(text):,} characters is too long for the pattern {self.text[:60]!r}")
        return found

    def _cost(self, digits: int) -> int:
        """Return the steps to search a text whose length has this many binary digits."""
        engine_steps = count_search_steps(self.tree, (1 << digits) - 1)
        cost = -(-engine_steps // _ENGINE_STEPS_A_STEP) if engine_steps <= _MAX_ENGINE_STEPS else _TOO_EXPENSIVE
        self._costs[digits] = cost
        return cost

    @cached_property
    def automaton(self) -> Automaton | None:
        """The automaton of the pattern, or None if it has none."""
        from promptpack.schema.automaton import UnsupportedPatternError, build_automaton

        try:
            return build_automaton(self.tree)
        except (UnsupportedPatternError, RecursionError):
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


class _Work(NamedTuple):
    """In how many ways a part of a pattern can match at one position, and the steps to try them all."""

    ways: int = 1
    steps: int = 1


_ONE_CHARACTER: Final = _Work()


def count_search_steps(tree: Any, length: int) -> int:
    """Return the maximum number of steps to search a text of this length; `1 << 40` or more means unbounded."""
    try:
        steps = _measure(tree, length).steps
    except RecursionError:
        return _UNBOUNDED
    is_anchored = len(tree) > 0 and tree[0] in _ANCHORS and not tree.state.flags & re.MULTILINE
    return steps + length if is_anchored else steps * (length + 1)


def _measure(tree: Iterable[Any], length: int) -> _Work:
    """Measure a sequence: each way through its start leads to all the steps of its rest."""
    ways, steps = 1, 1
    for operation, argument in tree:
        part = _measure_operation(operation, argument, length)
        steps = min(steps + ways * part.steps, _UNBOUNDED)
        ways = min(ways * part.ways, _UNBOUNDED)
    return _Work(ways, steps)


def _measure_operation(operation: Any, argument: Any, length: int) -> _Work:
    if operation in _REPEATS:
        return _measure_repeat(argument, length)
    if operation is codes.POSSESSIVE_REPEAT:
        return _Work(1, _measure_repeat(argument, length).steps)
    if operation is codes.BRANCH:
        return _add(argument[1], length)
    if operation is codes.GROUPREF_EXISTS:
        return _add([argument[1], argument[2] or ()], length)
    if operation is codes.SUBPATTERN:
        return _measure(argument[3], length)
    if operation is codes.ATOMIC_GROUP:
        return _Work(1, _measure(argument, length).steps)
    if operation in (codes.ASSERT, codes.ASSERT_NOT):
        return _Work(1, _measure(argument[1], length).steps)
    if operation is codes.GROUPREF:
        return _Work(1, length + 1)
    return _ONE_CHARACTER


def _add(branches: list[Any], length: int) -> _Work:
    works = [_measure(branch, length) for branch in branches]
    return _Work(sum(work.ways for work in works), sum(work.steps for work in works))


def _measure_repeat(repeat: tuple[int, int, Any], length: int) -> _Work:
    """Measure a repetition, whose every optional round is a choice between one more and none."""
    minimum, maximum = int(repeat[0]), int(repeat[1])
    inside = _measure(repeat[2], length)
    # After the required rounds, an engine skips a round that matches nothing, so each other takes a character.
    most = min(maximum, minimum + length + 1)
    if len(repeat[2]) == 1 and repeat[2][0][0] in _ONE_CHARACTER_CODES:
        return _Work(most - minimum + 1, 1 + most // _CHARACTERS_A_STEP)
    if inside.ways == 1:
        return _Work(most - minimum + 1, min(1 + most * (inside.steps + 1), _UNBOUNDED))
    ways, steps, arrived = 0, 1, 1
    for number in range(most + 1):
        ways += arrived if number >= minimum else 0
        steps += arrived * (inside.steps + 1)
        arrived *= inside.ways
        if steps >= _UNBOUNDED:
            return _Work(_UNBOUNDED, _UNBOUNDED)
    return _Work(ways, steps)
