"""Replies one step outside the contract: a valid reply with one change that the schema refuses."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from promptpack.schema.generation import Choices
from promptpack.schema.pointers import ValuePath, pointer
from promptpack.schema.validation import Schema
from promptpack.trial.generation.places import iterate_places, put

_MAX_PLACES: Final = 200
_STRANGE_KEY: Final = "outside the contract"
_STRANGE: Final = {_STRANGE_KEY: True}
_LONG: Final = "far too long " * 2_000


class NearReply(NamedTuple):
    """A `reply` that the contract refuses because of one `change`; `path` is the JSON pointer of the changed place."""

    reply: Any
    path: str
    change: str


def make_near_reply(schema: Schema, reply: Any, choices: Choices) -> NearReply | None:
    """Change one place of a valid reply so that the schema refuses it there; None if no change does."""
    places = list(iterate_places(reply))[:_MAX_PLACES]
    start = choices.integer(0, len(places) - 1)
    for path, value in places[start:] + places[:start]:
        changes = list(_changes(value))
        first = choices.integer(0, len(changes) - 1)
        for change, steps, changed in changes[first:] + changes[:first]:
            found = put(reply, path, changed)
            if _is_refused(schema, found, (*path, *steps)):
                return NearReply(found, pointer((*path, *steps)), change)
    return None


def _is_refused(schema: Schema, reply: Any, path: ValuePath) -> bool:
    """Return whether the schema refuses a reply because of this place alone."""
    if schema.accepts(reply):
        return False
    mismatches = schema.check(reply)
    return bool(mismatches) and all(mismatch.path[: len(path)] == path for mismatch in mismatches)


def _changes(value: Any) -> Iterator[tuple[str, ValuePath, Any]]:
    """Yield the name of a change, the steps from the value to the changed place, and the changed value.

    No change is one that a reader undoes: text for a number, another case of a word, or a list around a value.
    """
    if isinstance(value, dict):
        for key in value:
            yield "key removed", (key,), {one: member for one, member in value.items() if one != key}
        yield "key added", (_STRANGE_KEY,), {**value, **_STRANGE}
    if isinstance(value, list):
        yield "items repeated", (), value * 50
        yield "items removed", (), []
    if isinstance(value, str):
        yield "other word", (), "qqq zzz"
        yield "too long", (), _LONG
        yield "empty text", (), ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield "too large", (), 10**12
        yield "too small", (), -(10**12)
        yield "fraction", (), value + 0.37
    if not isinstance(value, dict):
        yield "object instead", (), _STRANGE
    if not isinstance(value, int | float):
        yield "number instead", (), 77777
