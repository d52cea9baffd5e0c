"""Decode the body of a string, including escapes that JSON does not allow."""

import re
import sys

# A backslash at the end of a line continues the line.
_SIMPLE = {"\n": "", "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
# Characters that models escape without need: an apostrophe, a backtick, Markdown's underscore.
_PROTECTED = frozenset("'_`‘’“”")
_ESCAPE = re.compile(
    r"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u(?P<code>[0-9a-fA-F]{4})"
    r"|\\(?:u\{(?P<braced>[0-9a-fA-F]{1,6})\}|x(?P<byte>[0-9a-fA-F]{2})|U(?P<long>[0-9a-fA-F]{8}))"
    r"|\\(?P<character>[\s\S])"
)
_VALID = frozenset('"\\/bfnrt')
_PATH = re.compile(r"(?:(?<![A-Za-z])[A-Za-z]:|\\)(?:\\[\w .\-]+)+\\?")
LATEX_WORDS = "frac|forall|beta|bar|begin|binom|theta|tau|times|text|tan|to|top|nu|neq|nabla|not|rho|right|rightarrow"
_LATEX = re.compile(rf"\\(?=(?:{LATEX_WORDS})(?![a-z]))")

_MAX_BACKSLASHES = 10_000


def decode(body: str) -> str:
    """Decode the body of a string; a backslash that starts no escape stays."""
    if "\\" not in body:
        return body
    few = body.count("\\") < _MAX_BACKSLASHES
    literal = _literal_backslashes(body) if few and _has_bad_escape(body) else frozenset()
    return _ESCAPE.sub(lambda match: _decoded(match, literal), body)


def _has_bad_escape(body: str) -> bool:
    return any(
        character is not None and character not in _VALID and character not in _PROTECTED
        for character in (match["character"] for match in _ESCAPE.finditer(body))
    )


def _literal_backslashes(body: str) -> frozenset[int]:
    """Return the positions of backslashes in Windows paths and LaTeX; if one in a path is literal, all of them are."""
    positions: set[int] = set()
    for path in _PATH.finditer(body):
        if _has_bad_escape(path[0]):
            positions.update(index for index in range(path.start(), path.end()) if body[index] == "\\")
    positions.update(match.start() for match in _LATEX.finditer(body))
    return frozenset(positions)


def _decoded(match: re.Match[str], literal: frozenset[int]) -> str:
    if match.start() in literal:
        return match[0]
    if match["pair"]:
        high, low = int(match["pair"][2:6], 16), int(match["pair"][8:12], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if code := match["code"] or match["braced"] or match["byte"] or match["long"]:
        return chr(int(code, 16)) if int(code, 16) <= sys.maxunicode else match[0]
    character = match["character"]
    if character in _SIMPLE:
        return _SIMPLE[character]
    return character if character in _PROTECTED else "\\" + character
