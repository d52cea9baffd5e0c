"""Check the expectations of a text: of a whole prompt, or of one message."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from promptpack.problem import MissingExtraError
from promptpack.prompt.budget.counters import Counter, describe, estimate_tokens, exact_counter
from promptpack.schema.patterns import PatternError, read_pattern
from promptpack.trial.json_search import check_json
from promptpack.trial.model import Miss
from promptpack.trial.nearest_text import find_nearest

# The steps of one search; as many as a validation has.
_MAX_STEPS: Final = 250_000


def check_text(text: str, expect: Mapping[str, Any], what: str) -> Iterator[Miss]:
    """Yield the expectations that a text does not meet; `what` names it, such as "the prompt"."""
    for key, wanted in expect.items():
        if key in _CHECKS:
            for miss in _CHECKS[key](text, wanted, what):
                yield miss.below(key)


def _check_contains(text: str, wanted: list[str], what: str) -> Iterator[Miss]:
    for index, one in enumerate(wanted):
        if one not in text:
            yield Miss(f"{what} does not contain {one!r}", (index,), one, find_nearest(one, text))


def _check_excludes(text: str, wanted: list[str], what: str) -> Iterator[Miss]:
    for index, one in enumerate(wanted):
        if one in text:
            yield Miss(f"{what} contains {one!r}", (index,), "", _line_around(text, text.index(one), len(one)))


def _line_around(text: str, start: int, length: int) -> str:
    end = text.find("\n", start + length)
    return text[text.rfind("\n", 0, start) + 1 : end if end >= 0 else len(text)]


def _check_matches(text: str, wanted: list[str], what: str) -> Iterator[Miss]:
    for index, one in enumerate(wanted):
        try:
            if not read_pattern(one).is_found_in(text, [_MAX_STEPS]):
                yield Miss(f"{what} does not match {one!r}", (index,))
        except PatternError as error:
            yield Miss(f"{what} cannot be searched: {error}", (index,))


def _check_equals(text: str, wanted: str, what: str) -> Iterator[Miss]:
    if text != wanted:
        yield Miss(f"{what} differs from the expected text", (), wanted, text)


def _check_characters(text: str, limit: int, what: str) -> Iterator[Miss]:
    if len(text) > limit:
        yield Miss(f"{what} has {len(text)} characters, but the limit is {limit}")


def _check_tokens(text: str, limit: int, what: str) -> Iterator[Miss]:
    counter = _counter()
    if (count := counter(text)) > limit:
        yield Miss(f"{what} has {count} {describe(counter)}, but the limit is {limit}")


@cache
def _counter() -> Counter:
    try:
        return exact_counter()
    except MissingExtraError:
        return estimate_tokens


_CHECKS: Final[Mapping[str, Callable[[str, Any, str], Iterator[Miss]]]] = {
    "contains": _check_contains,
    "excludes": _check_excludes,
    "matches": _check_matches,
    "equals": _check_equals,
    "json": check_json,
    "max_chars": _check_characters,
    "max_tokens": _check_tokens,
}
