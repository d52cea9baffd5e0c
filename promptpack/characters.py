"""Texts that are safe to read from a file, to encode, to show in a terminal and to send to a model."""

import re
from itertools import islice

from promptpack.problem import Location, PackError, Problem, Severity

# More problems would not help an author.
_MAX_PROBLEMS = 20
# First bytes of invisible characters that Python calls printable: a Hangul filler and variation selectors.
_INVISIBLE_PREFIXES = ("\u3164".encode(), "\U000e0100".encode()[:2])
_COMMON_BYTES = bytes((ord("\n"), *range(ord(" "), 0x7F)))


def is_encodable(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8: it contains no half of a surrogate pair."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def escape_surrogates(text: str) -> str:
    """Escape halves of surrogate pairs, so that the text can be encoded as UTF-8."""
    if is_encodable(text):
        return text
    return "".join(_escape(letter) if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def visible(text: str) -> str:
    """Escape characters that a terminal would obey."""
    from promptpack.character_patterns import OBEYED

    return OBEYED.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}"


def break_special_tokens(text: str) -> str:
    """Put a space into every special token, so that no server parses it, and JSON around it stays valid."""
    if "<" not in text and "S]" not in text and "T]" not in text:
        return text  # every special token has one of them; most JSON has none
    from promptpack.character_patterns import SPECIAL_TOKEN

    return SPECIAL_TOKEN.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


def code_point(character: str) -> str:
    """Return the code point of a character as text: `U+200B`."""
    return f"U+{ord(character):04X}"


def decode_utf8(content: bytes, path: str) -> str:
    """Return the text of a file; raise `PackError` with the place of the first byte that is not UTF-8."""
    # UTF-16 and UTF-32 write Latin letters with zero bytes.
    start = 0
    if b"\x00" not in content[:4]:
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            start = error.start
    line, column = content.count(b"\n", 0, start) + 1, start - content.rfind(b"\n", 0, start)
    raise PackError(Problem("PP101", "file is not UTF-8", Location(path, line, column), "save it as UTF-8"))


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
    hint = "remove it, or write it as an escape in double quotes"
    return [
        Problem(code, f"{kind} {code_point(found[0])} in the file", _locate(found.start(), text, path), hint, severity)
        for found in islice(pattern.finditer(text), _MAX_PROBLEMS)
    ]


def _locate(offset: int, text: str, path: str) -> Location:
    location = Location(path, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
    return location._with_word(text, offset)
