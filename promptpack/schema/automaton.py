"""A regular expression as an automaton that tracks all states in parallel, so matching takes linear time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from re import _constants as codes  # type: ignore[attr-defined]  # missing from the stubs
from typing import Any, Final

Test = Callable[[str], bool]
Around = tuple[str, str, bool]
"""The character before, the one after (empty at the ends), and whether only a last newline follows."""

_MAX_STATES: Final = 2_000
# So many characters are read, or states built, in one step of a validation.
_CHARACTERS_A_STEP: Final = 2
_PLAIN_FLAGS: Final = 32  # `re.UNICODE`, which every text pattern has


class UnsupportedPatternError(ValueError):
    """The pattern has no automaton: it looks back or ahead, or would need too many states."""


@dataclass(frozen=True)
class State:
    """Tests a character or a position, or leads to other states; a state with none of these accepts."""

    test: Test | None = None
    position_test: Callable[[Around], bool] | None = None
    next_states: tuple[int, ...] = ()


class _StateSet:
    """A set of states that are active together, and the nodes after each character that was read from it."""

    __slots__ = ("active", "after")

    def __init__(self, active: frozenset[int]) -> None:
        self.active = active
        self.after: dict[Any, _StateSet] = {}


_MATCHED: Final = _StateSet(frozenset())


class Automaton:
    """The states of a pattern; the first is the start state."""

    def __init__(self, states: list[State]) -> None:
        self.states = states
        self.size: int = len(states)
        self._has_position_tests = any(state.position_test for state in states)

    def is_found_in(self, text: str, steps: list[int]) -> bool | None:
        """Return whether the pattern matches anywhere in the text; None if that takes more than the remaining steps."""
        steps[0] -= (self.size + len(text)) // _CHARACTERS_A_STEP
        # The nodes are new for each text, so that the steps do not depend on earlier texts.
        node = _StateSet(frozenset())
        nodes: dict[frozenset[int], _StateSet] = {}
        for key in _iterate_around(text) if self._has_position_tests else (*text, ""):
            after = node.after.get(key)
            if after is None:
                steps[0] -= self.size
                if steps[0] < 0:
                    return None
                after = node.after[key] = self._find_node(node, key, nodes)
            if after is _MATCHED:
                return True
            node = after
        return False

    def _find_node(self, node: _StateSet, key: str | Around, nodes: dict[frozenset[int], _StateSet]) -> _StateSet:
        """Read one character, which may have the characters around it, and return the node after it."""
        around, character = (None, key) if isinstance(key, str) else (key, key[1])
        active = self.step(node.active, around, character)
        return _MATCHED if active is None else nodes.setdefault(active, _StateSet(active))

    def step(self, active: frozenset[int], around: Around | None, character: str) -> frozenset[int] | None:
        """Read one character; return the active states after it, or None if the pattern has matched."""
        reached: set[int] = set()
        open_states = [0, *active]
        while open_states:
            number = open_states.pop()
            if number in reached:
                continue
            reached.add(number)
            state = self.states[number]
            if state.test is not None:
                continue
            if state.position_test is not None:
                if around is not None and state.position_test(around):
                    open_states.append(number + 1)
            elif state.next_states:
                open_states.extend(state.next_states)
            else:
                return None
        return frozenset(number + 1 for number in reached if character and self._accepts(number, character))

    def _accepts(self, number: int, character: str) -> bool:
        test = self.states[number].test
        return test is not None and test(character)


def _iterate_around(text: str) -> Iterator[Around]:
    last = len(text) - 1 if text.endswith("\n") else -1
    before = ""
    for index, character in enumerate(text):
        yield before, character, index == last
        before = character
    yield before, "", False


def build_automaton(tree: Any) -> Automaton:
    """Build the automaton of a parsed pattern, or raise `UnsupportedPatternError`."""
    if tree.state.flags & ~_PLAIN_FLAGS:
        raise UnsupportedPatternError("flags")
    states: list[State] = []
    _add(tree, states)
    states.append(State())
    return Automaton(states)


def _add(tree: Any, states: list[State]) -> None:
    for operation, argument in tree:
        _limit_states(states)
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            minimum, maximum, body = argument
            _add_repeat(minimum, maximum, body, states)
        elif operation is codes.BRANCH:
            _add_branches(argument[1], states)
        elif operation is codes.SUBPATTERN and not argument[1] and not argument[2]:
            _add(argument[3], states)
        elif operation is codes.AT and argument in _POSITION_TESTS:
            states.append(State(position_test=_POSITION_TESTS[argument]))
        else:
            states.append(State(test=make_test(operation, argument)))


def _add_repeat(minimum: int, maximum: int, body: Any, states: list[State]) -> None:
    for _ in range(minimum):
        _add(body, states)
        _limit_states(states)
    if maximum is codes.MAXREPEAT:
        start = len(states)
        states.append(State())
        _add(body, states)
        states.append(State(next_states=(start,)))
        states[start] = State(next_states=(start + 1, len(states)))
        return
    skips = []
    for _ in range(maximum - minimum):
        skips.append(len(states))
        states.append(State())
        _add(body, states)
        _limit_states(states)
    for skip in skips:
        states[skip] = State(next_states=(skip + 1, len(states)))


def _limit_states(states: list[State]) -> None:
    if len(states) > _MAX_STATES:
        raise UnsupportedPatternError("too many states")


def _add_branches(branches: list[Any], states: list[State]) -> None:
    fork = len(states)
    states.append(State())
    starts, ends = [], []
    for branch in branches:
        starts.append(len(states))
        _add(branch, states)
        ends.append(len(states))
        states.append(State())
    states[fork] = State(next_states=tuple(starts))
    for end in ends:
        states[end] = State(next_states=(len(states),))


def make_test(operation: Any, argument: Any) -> Test:
    """Return the test of one character in a pattern, or raise `UnsupportedPatternError`."""
    if operation is codes.LITERAL:
        return chr(argument).__eq__
    if operation is codes.NOT_LITERAL:
        return chr(argument).__ne__
    if operation is codes.ANY:
        return "\n".__ne__
    if operation is codes.IN:
        return _make_set_test(argument)
    if operation is codes.CATEGORY and argument in _CATEGORIES:
        return _CATEGORIES[argument]
    if operation is codes.RANGE:
        first, last = chr(argument[0]), chr(argument[1])
        return lambda character: first <= character <= last
    raise UnsupportedPatternError(str(operation))


def _make_set_test(items: list[Any]) -> Test:
    is_negated = items[0][0] is codes.NEGATE
    tests = [make_test(operation, argument) for operation, argument in items[is_negated:]]
    return lambda character: any(test(character) for test in tests) is not is_negated


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
_POSITION_TESTS: Final[dict[Any, Callable[[Around], bool]]] = {
    codes.AT_BEGINNING: lambda around: not around[0],
    codes.AT_BEGINNING_STRING: lambda around: not around[0],
    codes.AT_END: lambda around: not around[1] or around[2],
    codes.AT_END_STRING: lambda around: not around[1],
    codes.AT_BOUNDARY: _is_boundary,
}
