"""The characters of a file: those that nobody should put into one are refused, others that nobody sees are told of."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from promptpack.problem import Location, PackError, Problem

if TYPE_CHECKING:
    from promptpack.problem import Severity


# Nobody reads more.
_MOST_PROBLEMS = 20
# How what Python calls printable although nobody sees it begins: a filler, and marks of variants.
_SHAPELESS = ("\u3164".encode(), "\U000e0100".encode()[:2])
_PLAIN = bytes((ord("\n"), *range(ord(" "), 0x7F)))


def look_at_characters(text: str, path: str, encoded: bytes) -> tuple[Problem, ...]:
    """Raise the problems of characters that a file may not hold; give warnings of those it had better not hold.

    `encoded` is the same text as UTF-8.
    """
    if _is_innocent(encoded):
        return ()
    from promptpack.characters import BIDI, CONTROL, HIDDEN, JOINER, TAG

    refused = (
        ("PP103", "control character", CONTROL),
        ("PP103", "half of a surrogate pair", re.compile("[\ud800-\udfff]")),
        ("PP104", "hidden character", TAG),
        ("PP118", "direction mark", BIDI),
    )
    problems = [problem for code, kind, pattern in refused for problem in _found(code, kind, pattern, text, path)]
    if problems:
        raise PackError(problems)
    seen = [
        problem
        for pattern in (HIDDEN, JOINER)
        for problem in _found("PP104", "hidden character", pattern, text, path, "warning")
    ]
    return tuple(seen[:_MOST_PROBLEMS])


def _is_innocent(encoded: bytes) -> bool:
    """Say quickly of most honest texts that nothing will be found: nearly all that is looked for is not printable."""
    rest = encoded.translate(None, _PLAIN)
    return not any(map(rest.__contains__, _SHAPELESS)) and rest.decode(errors="surrogatepass").isprintable()


def _found(
    code: str, kind: str, pattern: re.Pattern[str], text: str, path: str, severity: Severity = "error"
) -> list[Problem]:
    from promptpack.characters import name_of

    hint = "remove it, or write it as an escape in double quotes"
    return [
        Problem(code, f"{kind} {name_of(found[0])} in the file", _place(found.start(), text, path), hint, severity)
        for found in islice(pattern.finditer(text), _MOST_PROBLEMS)
    ]


def _place(offset: int, text: str, path: str) -> Location:
    return Location(path, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
