"""Check the characters of a file: reject control characters, warn about invisible ones."""

import re
from itertools import islice

from promptpack.problem import Location, PackError, Problem, Severity

# Nobody reads more.
_MAX_PROBLEMS = 20
# First bytes of invisible characters that Python calls printable: a Hangul filler and variation selectors.
_INVISIBLE_PREFIXES = ("\u3164".encode(), "\U000e0100".encode()[:2])
_COMMON_BYTES = bytes((ord("\n"), *range(ord(" "), 0x7F)))


def check_characters(text: str, path: str, encoded: bytes) -> tuple[Problem, ...]:
    """Raise `PackError` for forbidden characters; return warnings for suspicious ones.

    `encoded` is the same text as UTF-8.
    """
    if _is_clean(encoded):
        return ()
    from promptpack.character_patterns import BIDI, CONTROL, HIDDEN, JOINER, TAG

    forbidden = (
        ("PP103", "control character", CONTROL),
        ("PP103", "half of a surrogate pair", re.compile("[\ud800-\udfff]")),
        ("PP104", "hidden character", TAG),
        ("PP118", "direction mark", BIDI),
    )
    problems = [problem for code, kind, pattern in forbidden for problem in _find(code, kind, pattern, text, path)]
    if problems:
        raise PackError(problems)
    warnings = [
        problem
        for pattern in (HIDDEN, JOINER)
        for problem in _find("PP104", "hidden character", pattern, text, path, "warning")
    ]
    return tuple(warnings[:_MAX_PROBLEMS])


def _is_clean(encoded: bytes) -> bool:
    """Return True for most valid texts without a search: nearly all characters to find are not printable."""
    rest = encoded.translate(None, _COMMON_BYTES)
    return not any(map(rest.__contains__, _INVISIBLE_PREFIXES)) and rest.decode(errors="surrogatepass").isprintable()


def _find(
    code: str, kind: str, pattern: re.Pattern[str], text: str, path: str, severity: Severity = "error"
) -> list[Problem]:
    from promptpack.characters import code_point

    hint = "remove it, or write it as an escape in double quotes"
    return [
        Problem(code, f"{kind} {code_point(found[0])} in the file", _locate(found.start(), text, path), hint, severity)
        for found in islice(pattern.finditer(text), _MAX_PROBLEMS)
    ]


def _locate(offset: int, text: str, path: str) -> Location:
    location = Location(path, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
    return location._with_word(text, offset)
