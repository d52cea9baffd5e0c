"""An upper bound for the steps of a backtracking engine such as `re`, from the parsed pattern and the text length."""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as codes  # type: ignore[attr-defined]  # missing from the stubs
from typing import Any, Final, NamedTuple

_UNBOUNDED: Final = 1 << 40
# An engine compares so many characters in a row in one step.
_CHARACTERS_A_STEP: Final = 8
_ONE_CHARACTER_CODES: Final = (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY)
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT)


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


_ANCHORS: Final = ((codes.AT, codes.AT_BEGINNING_STRING), (codes.AT, codes.AT_BEGINNING))
