"""Find where the object may open in a streamed reply: at a brace that a key follows, outside hidden text."""

import re
from typing import Final

from promptpack.reply.hidden_text import FIRST, MARKER_AHEAD, MARKER_REST, MAX_MARKER_LENGTH, PARTIAL_MARKER
from promptpack.reply.lookahead import BLANK, PARTIAL_KEY

# A brace that no key can follow does not match.
_OUTSIDE: Final = re.compile(rf"[{{｛{FIRST}](?:(?<=[{{｛])(?=(?P<ahead>{BLANK}{PARTIAL_KEY}))|{MARKER_REST})")
_MAY_START: Final = re.compile(rf"[{FIRST}](?={MARKER_AHEAD})")
_PARTIAL_MARKER: Final = re.compile(rf"{PARTIAL_MARKER}\Z")


def find_opening(text: str, start: int) -> re.Match[str] | None:
    """Find the next marker of hidden text, or the next brace that a key follows or may follow."""
    return _OUTSIDE.search(text, start)


def needs_more_text(brace: re.Match[str]) -> bool:
    """Return whether only more text can show that a key and its colon follow a brace."""
    return brace.end("ahead") == len(brace.string) and not brace["ahead"].endswith((":", "："))


def count_passed(text: str, start: int, end: int) -> int:
    """Count the places in a text that may start a marker."""
    return len(_MAY_START.findall(text, start, end))


def searched_end(text: str, start: int) -> int:
    """Return how far a text without an opening is searched: to its end, or to a marker that it may end inside."""
    partial = _PARTIAL_MARKER.search(text, max(start, len(text) - MAX_MARKER_LENGTH))
    return partial.start() if partial else len(text)
