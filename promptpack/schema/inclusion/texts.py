"""Facts about texts: lengths and patterns, whose automatons are searched for words that have them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import islice, product
from typing import Any, Final

from promptpack.schema.automaton import Automaton
from promptpack.schema.inclusion.alphabet import find_characters
from promptpack.schema.inclusion.atoms import Item, Matches
from promptpack.schema.inclusion.solutions import Solution, Solver, ValueCollector, ValueRequest
from promptpack.schema.inclusion.step_meter import StepMeter, UndecidedError
from promptpack.schema.patterns import Pattern, PatternError, read_pattern

_MAX_PLAIN_LENGTH: Final = 20_000
_MAX_EXCLUDED: Final = 100
_MAX_WORDS: Final = 30
# So many states are visited in one step.
_STATES_A_STEP: Final = 30
_LETTERS: Final = "axb0 _é"


class Texts:
    """Lengths and patterns of a text."""

    def __init__(self) -> None:
        self._low = 0
        self._high: int | None = None
        self._patterns: tuple[Matches, ...] = ()

    def copy(self) -> Texts:
        """Return facts that can grow independently."""
        return copy(self)

    def add(self, atom: Item) -> bool:
        """Add lengths or a pattern; return False if no text can have them."""
        if isinstance(atom, Matches):
            if atom not in self._patterns:
                self._patterns = (*self._patterns, atom)
            return Matches(atom.pattern, not atom.holds) not in self._patterns
        self._low = max(self._low, atom.low)
        if atom.high is not None:
            self._high = atom.high if self._high is None else min(self._high, atom.high)
        return self._high is None or self._low <= self._high

    def is_impossible(self, _: Solver) -> bool:
        """Return False: the search decides."""
        return False

    def find(self, solver: Solver, request: ValueRequest) -> Solution:
        """Return texts with these lengths that match, or do not match, the patterns."""
        found = ValueCollector(request)
        if not self._patterns:
            return self._find_plain(found)
        search = _WordSearch(self._low, self._high, self._patterns, solver.meter)
        excluded = [one for one in request.excluded if len(one) >= self._low][:_MAX_EXCLUDED]
        tried: list[str] = []
        while not found.is_full and len(tried) < _MAX_WORDS + request.wanted:
            word = search.find([*excluded, *tried])
            if word is None:
                return Solution(tuple(found.values), is_all=True)
            tried.append(word)
            found.offer(word)
        return Solution(tuple(found.values))

    def _find_plain(self, found: ValueCollector) -> Solution:
        if self._high == 0:
            found.offer("")
            return Solution(tuple(found.values), is_all=True)
        if self._low > _MAX_PLAIN_LENGTH:
            return Solution()
        for word in self._plain_words():
            found.offer(word)
            if found.is_full:
                break
        return Solution(tuple(found.values))

    def _plain_words(self) -> Iterator[str]:
        longer = [length for length in range(self._low, self._low + 3) if self._high is None or length <= self._high]
        for length in longer:
            yield from (letter * length for letter in _LETTERS)
        length = longer[-1]
        tails = product(_LETTERS, repeat=min(length, 3))
        yield from ("a" * (length - min(length, 3)) + "".join(tail) for tail in islice(tails, 400))
        if self._high is not None and self._high <= _MAX_PLAIN_LENGTH:
            yield "a" * self._high


_MATCHED: Final = "matched"


class _Machine:
    """One automaton; its state is the set of active states, and the kind of the last character."""

    def __init__(self, automaton: Automaton, meter: StepMeter, *, holds: bool) -> None:
        self._automaton = automaton
        self._meter = meter
        self._holds = holds
        self._steps: dict[Any, Any] = {}
        self._ends: dict[Any, bool] = {}
        self.start: Any = (frozenset(), "")

    def step(self, state: Any, character: str) -> Any:
        if state is _MATCHED:
            return state
        key = (state, character)
        if key not in self._steps:
            self._meter.spend(1 + self._automaton.size // _STATES_A_STEP)
            active = self._automaton.step(state[0], (state[1], character, False), character)
            kind = "a" if character.isalnum() or character == "_" else " "
            self._steps[key] = _MATCHED if active is None else (active, kind)
        return self._steps[key]

    def accepts(self, state: Any) -> bool:
        """Return whether the text may end here."""
        if state not in self._ends:
            ended = state is _MATCHED or self._automaton.step(state[0], (state[1], "", False), "") is None
            self._ends[state] = ended is self._holds
        return self._ends[state]

    def is_dead(self, state: Any) -> bool:
        """Return whether no longer text can be accepted."""
        return state is _MATCHED and not self._holds


class _WordSearch:
    """Finds words by length; words may not match patterns without an automaton, so they must be tested."""

    def __init__(self, low: int, high: int | None, patterns: tuple[Matches, ...], meter: StepMeter) -> None:
        self._low = low
        self._high = high
        self._meter = meter
        read = [(_read(one.pattern), one.holds) for one in patterns]
        self._patterns: list[Pattern] = [pattern for pattern, _ in read]
        self._machines = [_Machine(one.automaton, meter, holds=holds) for one, holds in read if one.automaton]

    def find(self, excluded: list[str]) -> str | None:
        """Return a shortest word that is not excluded, or None if there is none."""
        characters = find_characters(self._patterns, excluded)
        prefixes = {word[:length] for word in excluded for length in range(len(word) + 1)}
        words = frozenset(excluded)
        start = (tuple(machine.start for machine in self._machines), "" if "" in prefixes else None)
        levels: list[dict[Any, Any]] = [{start: None}]
        seen: set[frozenset[Any]] = set()
        while True:
            length = len(levels) - 1
            if length >= self._low:
                for state in levels[-1]:
                    if state[1] not in words and self._accept(state[0]):
                        return _read_back(levels, state)
                reached = frozenset(levels[-1])
                if reached in seen:
                    return None
                seen.add(reached)
            if length == self._high or not levels[-1]:
                return None
            levels.append(self._next_level(levels[-1], characters, prefixes))

    def _accept(self, states: tuple[Any, ...]) -> bool:
        return all(machine.accepts(state) for machine, state in zip(self._machines, states, strict=True))

    def _next_level(self, level: dict[Any, Any], characters: list[str], prefixes: set[str]) -> dict[Any, Any]:
        after: dict[Any, Any] = {}
        for states, prefix in level:
            self._meter.spend(1 + len(characters) * len(self._machines) // 4)
            for character in characters:
                following = tuple(m.step(one, character) for m, one in zip(self._machines, states, strict=True))
                if any(machine.is_dead(one) for machine, one in zip(self._machines, following, strict=True)):
                    continue
                longer = None if prefix is None or prefix + character not in prefixes else prefix + character
                after.setdefault((following, longer), ((states, prefix), character))
        return after


def _read_back(levels: list[dict[Any, Any]], state: Any) -> str:
    characters = []
    for level in reversed(levels[1:]):
        state, character = level[state]
        characters.append(character)
    return "".join(reversed(characters))


def _read(pattern: str) -> Pattern:
    try:
        return read_pattern(pattern)
    except PatternError as error:
        raise UndecidedError(str(error)) from error
