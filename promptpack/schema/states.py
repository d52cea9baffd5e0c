"""A regular expression as states that are all walked through at once, so that time grows with the text alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from re import _constants as codes  # type: ignore[attr-defined]  # the stubs leave out what `re` itself parses with
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    Test = Callable[[str], bool]
    Around = tuple[str, str, bool]
    """The character before, the one after (empty at the ends), and whether only a last newline follows."""


_MOST_STATES: Final = 2_000
_MOST_REMEMBERED: Final = 5_000
_PLAIN_FLAGS: Final = 32  # `re.UNICODE`, which every text pattern has


class UnsupportedError(ValueError):
    """A pattern that has no such states: it looks back or ahead, or would need too many."""


@dataclass(frozen=True)
class State:
    """Tests a character, tests a place, or leads on to other states; without any of these, the pattern is found."""

    test: Test | None = None
    place: Callable[[Around], bool] | None = None
    onward: tuple[int, ...] = ()


class Program:
    """The states of a pattern; the first one is where it starts."""

    def __init__(self, states: list[State]) -> None:
        self.states = states
        self.size = len(states)
        self._is_placed = any(state.place for state in states)

    def is_found_in(self, text: str) -> bool:
        """Say whether the pattern is anywhere in the text."""
        remembered: dict[tuple[frozenset[int], Around | None, str], frozenset[int] | None] = {}
        waiting: frozenset[int] = frozenset()
        for index in range(len(text) + 1):
            around = self._around(text, index)
            character = text[index : index + 1]
            key = (waiting, around, character)
            if key not in remembered:
                if len(remembered) > _MOST_REMEMBERED:
                    remembered.clear()
                remembered[key] = self._step(waiting, around, character)
            after = remembered[key]
            if after is None:
                return True
            waiting = after
        return False

    def _around(self, text: str, index: int) -> Around | None:
        if not self._is_placed:
            return None
        is_last_newline = index == len(text) - 1 and text[index] == "\n"
        return (text[index - 1] if index else "", text[index : index + 1], is_last_newline)

    def _step(self, waiting: frozenset[int], around: Around | None, character: str) -> frozenset[int] | None:
        """Take one character: the states that wait afterwards, or None when the pattern has been found."""
        reached: set[int] = set()
        open_states = [0, *waiting]
        while open_states:
            number = open_states.pop()
            if number in reached:
                continue
            reached.add(number)
            state = self.states[number]
            if state.test is not None:
                continue
            if state.place is not None:
                if around is not None and state.place(around):
                    open_states.append(number + 1)
            elif state.onward:
                open_states.extend(state.onward)
            else:
                return None
        return frozenset(number + 1 for number in reached if character and self._takes(number, character))

    def _takes(self, number: int, character: str) -> bool:
        test = self.states[number].test
        return test is not None and test(character)


def assemble(tree: Any) -> Program:
    """Make the states of a parsed pattern; raises `UnsupportedError` where there are none."""
    if tree.state.flags & ~_PLAIN_FLAGS:
        raise UnsupportedError("flags")
    states: list[State] = []
    _add(tree, states)
    states.append(State())
    return Program(states)


def _add(tree: Any, states: list[State]) -> None:
    for operation, argument in tree:
        if len(states) > _MOST_STATES:
            raise UnsupportedError("too many states")
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            least, most, body = argument
            _add_repeat(least, most, body, states)
        elif operation is codes.BRANCH:
            _add_branches(argument[1], states)
        elif operation is codes.SUBPATTERN and not argument[1] and not argument[2]:
            _add(argument[3], states)
        elif operation is codes.AT and argument in _PLACES:
            states.append(State(place=_PLACES[argument]))
        else:
            states.append(State(test=_test_of(operation, argument)))


def _add_repeat(least: int, most: int, body: Any, states: list[State]) -> None:
    for _ in range(least):
        _add(body, states)
        _refuse_many(states)
    if most is codes.MAXREPEAT:
        start = len(states)
        states.append(State())
        _add(body, states)
        states.append(State(onward=(start,)))
        states[start] = State(onward=(start + 1, len(states)))
        return
    skips = []
    for _ in range(most - least):
        skips.append(len(states))
        states.append(State())
        _add(body, states)
        _refuse_many(states)
    for skip in skips:
        states[skip] = State(onward=(skip + 1, len(states)))


def _refuse_many(states: list[State]) -> None:
    if len(states) > _MOST_STATES:
        raise UnsupportedError("too many states")


def _add_branches(branches: list[Any], states: list[State]) -> None:
    fork = len(states)
    states.append(State())
    starts, ends = [], []
    for branch in branches:
        starts.append(len(states))
        _add(branch, states)
        ends.append(len(states))
        states.append(State())
    states[fork] = State(onward=tuple(starts))
    for end in ends:
        states[end] = State(onward=(len(states),))


def _test_of(operation: Any, argument: Any) -> Test:
    if operation is codes.LITERAL:
        return chr(argument).__eq__
    if operation is codes.NOT_LITERAL:
        return chr(argument).__ne__
    if operation is codes.ANY:
        return "\n".__ne__
    if operation is codes.IN:
        return _set_test(argument)
    if operation is codes.CATEGORY and argument in _CATEGORIES:
        return _CATEGORIES[argument]
    if operation is codes.RANGE:
        first, last = chr(argument[0]), chr(argument[1])
        return lambda character: first <= character <= last
    raise UnsupportedError(str(operation))


def _set_test(items: list[Any]) -> Test:
    negated = items[0][0] is codes.NEGATE
    tests = [_test_of(operation, argument) for operation, argument in items[negated:]]
    return lambda character: any(test(character) for test in tests) is not negated


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_boundary(around: Around) -> bool:
    return _is_word(around[0]) is not _is_word(around[1])


_CATEGORIES: Final[dict[Any, Test]] = {
    codes.CATEGORY_DIGIT: str.isdecimal,
    codes.CATEGORY_NOT_DIGIT: lambda character: not character.isdecimal(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda character: not character.isspace(),
    codes.CATEGORY_WORD: _is_word,
    codes.CATEGORY_NOT_WORD: lambda character: not _is_word(character),
}
_PLACES: Final[dict[Any, Callable[[Around], bool]]] = {
    codes.AT_BEGINNING: lambda around: not around[0],
    codes.AT_BEGINNING_STRING: lambda around: not around[0],
    codes.AT_END: lambda around: not around[1] or around[2],
    codes.AT_END_STRING: lambda around: not around[1],
    codes.AT_BOUNDARY: _is_boundary,
}
