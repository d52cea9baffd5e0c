"""Whether the repetitions of a pattern can match one text in two ways, which makes backtracking engines slow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from promptpack.schema.automaton import State

    Growth = Literal["linear", "polynomial", "exponential", "unknown"]
    """How the work of a backtracking engine grows with the text, from one start position."""


# Enough to distinguish the character sets of real patterns: all of ASCII, and some letters and signs beyond it.
_SAMPLES: Final = tuple(map(chr, range(128))) + tuple("\x85\xa0éßΩяﬁ中あ１٣＿😀")
# Testing the samples takes as long as this many steps.
_STEPS_A_STATE: Final = 100
# So many visited states are searched in one step.
_STATES_A_STEP: Final = 32
# The search visits pairs of states; larger patterns are not analysed.
_MAX_STATES: Final = 120

_Successors = dict[int, dict[int, int]]
_Reachable = dict[int, frozenset[int]]
_Samples = dict[int, frozenset[str]]
RemainingSteps = list[int]


class _StateGraph(NamedTuple):
    """For each state that consumes a character: the states after it, the samples it accepts, all states it leads to."""

    successors: _Successors
    accepted: _Samples
    reachable: _Reachable


class _NoStepsLeftError(Exception):
    """The analysis takes more than the remaining steps."""


def compute_growth(states: Sequence[State], steps: RemainingSteps) -> Growth:
    """Return how the number of failing paths grows: it doubles with each repetition, grows by one, or is constant."""
    try:
        return _compute_growth(states, steps)
    except _NoStepsLeftError:
        return "unknown"


def _compute_growth(states: Sequence[State], steps: RemainingSteps) -> Growth:
    consuming = [number for number, state in enumerate(states) if state.test is not None]
    if len(consuming) > _MAX_STATES:
        return "unknown"
    _count(len(consuming) * _STEPS_A_STATE, steps)
    accepted = {number: _accepted_samples(states[number]) for number in consuming}
    successors = {number: _find_successors(number + 1, states, steps) for number in consuming}
    ambiguous = {(number, after) for number in consuming for after, paths in successors[number].items() if paths > 1}
    reachable = {number: _find_reachable(number, successors) for number in consuming}
    graph = _StateGraph(successors, accepted, reachable)
    repeating = [number for number in consuming if number in reachable[number]]
    if any(number in reachable[after] for number, after in ambiguous):
        return "exponential"
    if any(_has_ambiguous_loop(number, graph, steps) for number in repeating):
        return "exponential"
    return "polynomial" if _have_ambiguous_boundary(repeating, graph, steps) else "linear"


def _accepted_samples(state: State) -> frozenset[str]:
    assert state.test is not None  # noqa: S101 -- only called for states that consume a character
    return frozenset(character for character in _SAMPLES if state.test(character))


def _count(work: int, steps: RemainingSteps) -> None:
    steps[0] -= work
    if steps[0] < 0:
        raise _NoStepsLeftError


def _find_successors(start: int, states: Sequence[State], steps: RemainingSteps) -> dict[int, int]:
    """Return the states that consume the next character, each with its number of paths (2 for more than one)."""
    paths: dict[int, int] = {}
    for number in _simple_paths(start, states, steps):
        paths[number] = min(paths.get(number, 0) + 1, 2)
    return paths


def _simple_paths(start: int, states: Sequence[State], steps: RemainingSteps) -> Iterator[int]:
    pending: list[tuple[int, tuple[int, ...]]] = [(start, ())]
    while pending:
        number, visited = pending.pop()
        _count(1 + len(visited) // _STATES_A_STEP, steps)
        state = states[number]
        if state.test is not None:
            yield number
            continue
        # Going back twice would be an empty repetition, which engines skip; entering an inner loop again is not.
        goes_back = bool(state.next_states) and state.next_states[0] < number
        if visited.count(number) < (1 if goes_back else 2):
            inside = (number + 1,) if _can_match_inside(state) else ()
            following = inside if state.position_test else state.next_states
            pending.extend((after, (*visited, number)) for after in following)


def _can_match_inside(state: State) -> bool:
    """Return whether a position test can pass in the middle of a text, as a word boundary can and the end cannot."""
    test = state.position_test
    return test is not None and any(test((*around, False)) for around in ("aa", "a ", " a"))


def _find_reachable(start: int, successors: _Successors) -> frozenset[int]:
    seen: set[int] = set()
    pending = list(successors[start])
    while pending:
        number = pending.pop()
        if number not in seen:
            seen.add(number)
            pending.extend(successors[number])
    return frozenset(seen)


def _has_ambiguous_loop(start: int, graph: _StateGraph, steps: RemainingSteps) -> bool:
    """Return whether two different paths with the same text lead from a state back to it."""
    successors, accepted, reachable = graph
    seen: set[tuple[int, int]] = set()
    pending = [(start, start)]
    while pending:
        pair = pending.pop()
        _count(len(successors[pair[0]]) * len(successors[pair[1]]), steps)
        for one in successors[pair[0]]:
            for other in successors[pair[1]]:
                after = (one, other)
                if start not in reachable[one] or start not in reachable[other] or not accepted[one] & accepted[other]:
                    continue
                if after == (start, start):
                    if pair[0] != pair[1]:
                        return True
                elif after not in seen:
                    seen.add(after)
                    pending.append(after)
    return False


def _have_ambiguous_boundary(repeating: Sequence[int], graph: _StateGraph, steps: RemainingSteps) -> bool:
    """Return whether the same text can repeat in one loop, in a later loop, and lead from the first to the second.

    The boundary between the two loops is then ambiguous, and an engine tries every position.
    """
    successors, accepted, reachable = graph
    for first, second in product(repeating, repeating):
        if first == second or second not in reachable[first] or first in reachable[second]:
            continue
        seen = {(first, first, second)}
        pending = list(seen)
        while pending:
            one, between, other = pending.pop()
            for after in product(successors[one], successors[between], successors[other]):
                _count(1, steps)
                stays = first in reachable[after[0]] and second in reachable[after[1]] and second in reachable[after[2]]
                if not stays or not accepted[after[0]] & accepted[after[1]] & accepted[after[2]]:
                    continue
                if after == (first, second, second):
                    return True
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
    return False
