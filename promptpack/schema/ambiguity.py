"""Whether the repetitions of a pattern can match one text in two ways, which makes engines that backtrack run away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from promptpack.schema.states import State

    Growth = Literal["linear", "polynomial", "exponential"]
    """How the work of an engine that tries one way after the other grows with the text, from one place to start at."""


# Enough to tell apart any two sets of characters that people write: all of ASCII, and some letters and signs beyond it.
_SAMPLES: Final = tuple(map(chr, range(128))) + tuple("\x85\xa0éßΩяﬁ中あ１٣＿😀")
# Pairs of states are walked through; beyond this many states the question is left open.
_MOST_STATES: Final = 120
_MOST_PATHS: Final = 2_000
_MOST_TRIPLES: Final = 100_000

_Onward = dict[int, dict[int, int]]


def growth(states: Sequence[State]) -> Growth:
    """Say how the ways to fail grow: with each turn of a repetition they double, or one more is added, or neither."""
    taking = [number for number, state in enumerate(states) if state.test is not None]
    if len(taking) > _MOST_STATES:
        return "linear"
    accepted = {number: _accepted(states[number]) for number in taking}
    onward = {number: _onward(number + 1, states) for number in taking}
    doubled = {(number, after) for number in taking for after, ways in onward[number].items() if ways > 1}
    reach = {number: _reached(number, onward) for number in taking}
    turning = [number for number in taking if number in reach[number]]
    if any(number in reach[after] for number, after in doubled):
        return "exponential"
    if any(_meets_again(number, onward, accepted, reach) for number in turning):
        return "exponential"
    return "polynomial" if _follow_each_other(turning, onward, accepted, reach) else "linear"


def _accepted(state: State) -> frozenset[str]:
    assert state.test is not None  # noqa: S101 -- only states that take a character are asked
    return frozenset(character for character in _SAMPLES if state.test(character))


def _onward(start: int, states: Sequence[State]) -> dict[int, int]:
    """Give the states that take the next character, each with the number of ways there (2 for more than one)."""
    ways: dict[int, int] = {}
    for count, number in enumerate(_simple_paths(start, states)):
        ways[number] = min(ways.get(number, 0) + 1, 2)
        if count > _MOST_PATHS:
            break
    return ways


def _simple_paths(start: int, states: Sequence[State]) -> Iterator[int]:
    waiting: list[tuple[int, tuple[int, ...]]] = [(start, ())]
    while waiting:
        number, passed = waiting.pop()
        state = states[number]
        if state.test is not None:
            yield number
            continue
        # To go back twice would be an empty turn, which engines leave out; to come anew into an inner loop is none.
        goes_back = bool(state.onward) and state.onward[0] < number
        if passed.count(number) < (1 if goes_back else 2):
            onward = state.onward if state.place is None else (number + 1,) if _is_inside(state) else ()
            waiting.extend((after, (*passed, number)) for after in onward)


def _is_inside(state: State) -> bool:
    """Say whether a place can be in the middle of a text, as a word's boundary can and the end cannot."""
    return state.place is not None and any(state.place((*around, False)) for around in ("aa", "a ", " a"))


def _reached(start: int, onward: _Onward) -> frozenset[int]:
    seen: set[int] = set()
    waiting = list(onward[start])
    while waiting:
        number = waiting.pop()
        if number not in seen:
            seen.add(number)
            waiting.extend(onward[number])
    return frozenset(seen)


def _meets_again(
    start: int,
    onward: _Onward,
    accepted: dict[int, frozenset[str]],
    reach: dict[int, frozenset[int]],
) -> bool:
    """Say whether two different ways with the same text lead from a state back to it."""
    seen: set[tuple[int, int]] = set()
    waiting = [(start, start)]
    while waiting:
        pair = waiting.pop()
        for one in onward[pair[0]]:
            for other in onward[pair[1]]:
                after = (one, other)
                if start not in reach[one] or start not in reach[other] or not accepted[one] & accepted[other]:
                    continue
                if after == (start, start):
                    if pair[0] != pair[1]:
                        return True
                elif after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False


def _follow_each_other(
    turning: Sequence[int], onward: _Onward, accepted: dict[int, frozenset[str]], reach: dict[int, frozenset[int]]
) -> bool:
    """Say whether some text turns around in one repetition, and in a later one, and leads from the one to the other.

    Where the first stops and the second begins is then open, and every place is tried.
    """
    steps = 0
    for first, second in product(turning, turning):
        if first == second or second not in reach[first] or first in reach[second]:
            continue
        seen = {(first, first, second)}
        waiting = list(seen)
        while waiting and steps < _MOST_TRIPLES:
            one, between, other = waiting.pop()
            for after in product(onward[one], onward[between], onward[other]):
                steps += 1
                stays = first in reach[after[0]] and second in reach[after[1]] and second in reach[after[2]]
                if not stays or not accepted[after[0]] & accepted[after[1]] & accepted[after[2]]:
                    continue
                if after == (first, second, second):
                    return True
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False
