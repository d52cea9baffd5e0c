"""Parse JSON as Go's `encoding/json` does into untyped values: numbers are float64, half pairs are replaced."""

import json
import math
import re
from typing import Final, NoReturn, TypeAlias

GoJsonValue: TypeAlias = "str | float | bool | list[GoJsonValue] | dict[str, GoJsonValue] | None"
Members: TypeAlias = list[tuple[str, GoJsonValue]]

_REPLACEMENT: Final = "\ufffd"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# A surrogate pair, half of a pair, or any other escape.
_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)


class GoJsonError(ValueError):
    """The text is not JSON."""


def read(text: str) -> GoJsonValue:
    """Parse one JSON value; the last of duplicate keys wins."""
    return _read(text)[0]


def read_members(text: str) -> Members | None:
    """Parse the members of a top-level object with duplicate keys; return None if the top level is not an object."""
    value, members = _read(text)
    return members if isinstance(value, dict) else None


def _read(text: str) -> tuple[GoJsonValue, Members]:
    """Return a value, and the members of the last object that ends in it, which is the outermost one."""
    members: Members = []

    def read_object(pairs: Members) -> dict[str, GoJsonValue]:
        nonlocal members
        members = pairs
        return dict(pairs)

    paired = _ESCAPE.sub(lambda found: _REPLACEMENT if found["half"] else found[0], text)
    try:
        value = json.loads(
            _SURROGATE.sub(_REPLACEMENT, paired),
            parse_int=_read_number,
            parse_float=_read_number,
            parse_constant=_refuse,
            object_pairs_hook=read_object,
        )
    except (ValueError, RecursionError) as error:
        raise GoJsonError(str(error)) from error
    return value, members


def _read_number(token: str) -> float | None:
    number = float(token)
    return number if math.isfinite(number) else None


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
