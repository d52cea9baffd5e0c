"""Where the object may open in a reply that arrives: a brace with a key behind it, outside of thinking."""

import re
from typing import Final

from promptpack.reply.ahead import BLANK, KEY_ARRIVING
from promptpack.reply.thinking import HALF_MARK, LONGEST, MARK_REST

# A brace with anything but a key behind it is passed over at once.
_OUTSIDE: Final = re.compile(rf"[{{｛<◁\[](?:(?<=[{{｛])(?=(?P<ahead>{BLANK}{KEY_ARRIVING}))|{MARK_REST})")
_HALF_MARK: Final = re.compile(rf"{HALF_MARK}\Z")


def next_mark(text: str, start: int) -> re.Match[str] | None:
    """Find the next mark of thinking, or the next brace that a key follows or may follow."""
    return _OUTSIDE.search(text, start)


def is_undecided(brace: re.Match[str]) -> bool:
    """Say whether more text is needed to know that a key and its colon follow a brace."""
    return brace.end("ahead") == len(brace.string) and not brace["ahead"].endswith((":", "："))


def settled_end(text: str, start: int) -> int:
    """Give the place up to which a text without marks needs no second look: its end, or where half a mark begins."""
    half = _HALF_MARK.search(text, max(start, len(text) - LONGEST))
    return half.start() if half else len(text)
