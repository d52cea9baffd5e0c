"""Whether the repetitions of a pattern can match one text in two ways, which makes engines that backtrack run away."""

from collections.abc import Iterator, Sequence
from typing import Final

from promptpack.schema.states import State

# Enough to tell apart any two sets of characters that people write: all of ASCII, and some letters and signs beyond it.
_SAMPLES: Final = tuple(map(chr, range(128))) + tuple("\x85\xa0éßΩяﬁ中あ１٣＿😀")
# Pairs of states are walked through; beyond this many states the question is left open.
_MOST_STATES: Final = 120
_MOST_PATHS: Final = 2_000


def is_ambiguous(states: Sequence[State]) -> bool:
    """Say whether some text leads from a state back to it in two ways: each turn then doubles the ways to fail."""
    taking = [number for number, state in enumerate(states) if state.test is not None]
    if len(taking) > _MOST_STATES:
        return False
    accepted = {number: _accepted(states[number]) for number in taking}
    onward = {number: _onward(number + 1, states) for number in taking}
    doubled = {(number, after) for number in taking for after, ways in onward[number].items() if ways > 1}
    reach = {number: _reached(number, onward) for number in taking}
    if any(number in reach[after] for number, after in doubled):
        return True
    return any(_meets_again(number, onward, accepted, reach) for number in taking if number in reach[number])


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


def _reached(start: int, onward: dict[int, dict[int, int]]) -> frozenset[int]:
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
    onward: dict[int, dict[int, int]],
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
