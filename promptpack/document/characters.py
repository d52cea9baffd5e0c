"""The characters of a file: those that nobody should put into one are refused, others that nobody sees are told of."""

from __future__ import annotations

import re
from itertools import islice

from promptpack.problem import Location, PackError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptpack.problem import Severity


# Nobody reads more.
_MOST_PROBLEMS = 20
# What Python calls printable although nobody sees it.
_SHAPELESS = re.compile("[\u3164\U000e0100-\U000e01ef]")
_PLAIN = bytes((ord("\n"), *range(ord(" "), 0x7F)))


def look_at_characters(text: str, path: str) -> tuple[Problem, ...]:
    """Raise the problems of characters that a file may not hold; give warnings of those it had better not hold."""
    if _is_innocent(text):
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


def _is_innocent(text: str) -> bool:
    """Say quickly of most honest texts that nothing will be found: nearly all that is looked for is not printable."""
    rest = text.encode(errors="surrogatepass").translate(None, _PLAIN).decode(errors="surrogatepass")
    return rest.isprintable() and not _SHAPELESS.search(rest)


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
