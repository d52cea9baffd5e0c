"""Shrink a JSON value that breaks something: remove members, shorten texts, simplify numbers while it still does."""

from collections.abc import Callable, Iterator
from typing import Any, Final

MAX_TRIES: Final = 600


def shrink(value: Any, still_fails: Callable[[Any], bool], tries: int = MAX_TRIES) -> Any:
    """Return a smaller value for which `still_fails` is true, after at most this many attempts."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for candidate in _simpler(value):
            tries -= 1
            if tries < 0:
                return value
            if still_fails(candidate):
                value, is_smaller = candidate, True
                break
    return value


def _simpler(value: Any) -> Iterator[Any]:
    """Yield simpler values, the simplest first: first as a whole, then with one simpler member."""
    if isinstance(value, dict):
        yield from _shorter(list(value.items()), dict)
        yield from _simpler_keys(value)
        for key, member in value.items():
            yield from ({**value, key: simpler} for simpler in _simpler(member))
    elif isinstance(value, list):
        yield from _shorter(value, list)
        for index, member in enumerate(value):
            yield from ([*value[:index], simpler, *value[index + 1 :]] for simpler in _simpler(member))
    elif isinstance(value, str):
        yield from _shorter(value, "".join)
        yield from (
            value[:index] + "a" + value[index + 1 :]
            for index in range(min(len(value), 40))
            if value[index] not in "a\n"
        )
    elif value is True:
        yield False
    elif isinstance(value, int | float):
        yield from (simple for simple in (0, 1, int(value), int(value) // 2) if abs(simple) < abs(value))


def _simpler_keys(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in value:
        name = next((letter for letter in "abc" if letter not in value), key)
        if len(key) > 1 and name != key:
            yield {name if one == key else one: member for one, member in value.items()}


def _shorter(members: Any, build: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield what is left without all members, then without each half, each quarter, and so on."""
    size = len(members)
    if size:
        yield build(members[:0])
    while size > 1:
        size = (size + 1) // 2
        for start in range(0, len(members), size):
            left = members[:start] + members[start + size :]
            if left:
                yield build(left)
        if size == 1:
            return
