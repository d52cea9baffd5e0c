"""No accepted pattern can take long: the bound for backtracking engines holds, and the automaton agrees with `re`."""

import re
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]  # missing from the stubs
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from promptpack.schema.patterns import PatternError, count_search_steps, read_pattern
from promptpack.schema.supported_keywords import MAX_STEPS

ATOMS = st.sampled_from(["a", "b", "[ab]", ".", r"\w", "^", "$", r"\b"])
REPEATS = st.sampled_from(["*", "+", "?", "{0,1}", "{1,3}", "{2}", "{0,2}", "*?", "+?", "??", "{0,1}?"])


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("(?:{}){}".format, inner, REPEATS),
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("(?={}){}".format, inner, inner),
        st.builds("(?!{}){}".format, inner, inner),
    )


PATTERNS = st.recursive(ATOMS, grow, max_leaves=6)
# Texts that pump a repetition and then fail.
TEXTS = st.builds(lambda pumped, times, end: pumped * times + end, st.sampled_from(["a", "b", "ab", "aab"]),
                  st.integers(0, 4), st.sampled_from(["", "b", "!", "a!"]))  # fmt: skip
HANGING = ["^(?:a?a?)*$", "^(?:a{0,1}a{0,1})*$", "^(?:a??a??)*$", "(?=(?:a?a?)*$)b", "^(?:a?){9}$", "(?:(?:a?)+)+$"]


class Engine:
    """A backtracking engine like that of `re`, which counts its steps and gives up after a limit."""

    def __init__(self, text: str, limit: int) -> None:
        self.text = text
        self.steps = 0
        self.limit = limit

    def search(self, tree: Any) -> bool:
        return any(self.matches(list(tree), start) for start in range(len(self.text) + 1))

    def matches(self, items: list[Any], at: int) -> bool:
        return next(self.ends(items, at), None) is not None

    def ends(self, items: list[Any], at: int) -> Iterator[int]:
        """Yield every position where the items can end, in the order in which an engine tries them."""
        self.steps += 1
        assert self.steps <= self.limit
        if not items:
            yield at
            return
        operation, argument = items[0]
        for end in self.one(operation, argument, at):
            yield from self.ends(items[1:], end)

    def one(self, operation: Any, argument: Any, at: int) -> Iterator[int]:
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            yield from self.repeat(argument, at, 0, is_greedy=operation is codes.MAX_REPEAT)
        elif operation is codes.BRANCH:
            for branch in argument[1]:
                yield from self.ends(list(branch), at)
        elif operation is codes.SUBPATTERN:
            yield from self.ends(list(argument[3]), at)
        elif operation in (codes.ASSERT, codes.ASSERT_NOT):
            if self.matches(list(argument[1]), at) is (operation is codes.ASSERT):
                yield at
        elif operation is codes.AT:
            if re.compile({"AT_BEGINNING": "^", "AT_END": r"\Z", "AT_BOUNDARY": r"\b"}[str(argument)]).match(
                self.text, at
            ):
                yield at
        elif at < len(self.text) and accepts(operation, argument, self.text[at]):
            yield at + 1

    def repeat(self, argument: Any, at: int, rounds: int, *, is_greedy: bool) -> Iterator[int]:
        minimum, maximum, body = argument
        if not is_greedy and rounds >= minimum:
            yield at
        if rounds < int(maximum):
            for end in self.ends(list(body), at):
                if end > at or rounds < minimum:
                    yield from self.repeat(argument, end, rounds + 1, is_greedy=is_greedy)
        if is_greedy and rounds >= minimum:
            yield at


def accepts(operation: Any, argument: Any, character: str) -> bool:
    if operation is codes.LITERAL:
        return bool(ord(character) == argument)
    if operation is codes.ANY:
        return character != "\n"
    return any(character.isalnum() if kind is codes.CATEGORY else ord(character) == inner for kind, inner in argument)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PATTERNS, TEXTS)
@example("^(?:a?a?)*$", "aaaa!")
@example("(?:a?){6}!", "aaaa")
@example("(?!(?:a??a{0,1})*!)b", "aaaab")
def test_a_backtracking_engine_takes_no_more_steps_than_the_bound(pattern: str, text: str) -> None:
    tree = parser.parse(pattern)
    bound = count_search_steps(tree, len(text))
    assume(bound <= 20_000)
    # A single character that repeats is one step for several rounds, and each item takes a step to enter and to leave.
    engine = Engine(text, 20 * bound + 20)
    assert engine.search(tree) is (re.search(pattern, text) is not None)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PATTERNS, TEXTS)
def test_every_accepted_pattern_decides_a_typical_text(pattern: str, text: str) -> None:
    found = read_pattern(pattern)
    assume(found.is_safe)
    steps = [MAX_STEPS]
    assert found.is_found_in(text, steps) is (re.search(pattern, text) is not None)
    assert found.is_found_in((text * 200)[:200], [MAX_STEPS]) in (True, False)
    assert steps[0] < MAX_STEPS


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PATTERNS, TEXTS)
@example("^(?:a?a?)*$", "aaaa!")
def test_an_automaton_finds_what_re_finds(pattern: str, text: str) -> None:
    automaton = read_pattern(pattern).automaton
    assume(automaton is not None)
    assert automaton is not None
    assert automaton.is_found_in(text, [MAX_STEPS]) is (re.search(pattern, text) is not None)


def test_optional_repeats_are_choices() -> None:
    for pattern in HANGING:
        assert count_search_steps(parser.parse(pattern), 40) > 10**6 or "{9}" in pattern
        try:
            assert read_pattern(pattern).is_found_in("a" * 40 + "!", [MAX_STEPS]) in (True, False)
        except PatternError:
            assert not read_pattern(pattern).is_safe
