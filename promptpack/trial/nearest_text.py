"""Find the part of a text that is most like another text, in time that grows with the length of the text only."""

import re
from itertools import accumulate
from typing import Final

_SIZE: Final = 3
_MAX_TEXT: Final = 1_000_000
_MAX_WANTED: Final = 10_000
# A part that shares less with the wanted text is not like it.
_MIN_SHARE: Final = 0.2
_SPACE: Final = re.compile(r"\s")


def find_nearest(wanted: str, text: str) -> str:
    """Return the part of a text that shares most runs of characters with another text; empty if none is like it."""
    text, wanted = text[:_MAX_TEXT], wanted[:_MAX_WANTED]
    size = min(_SIZE, len(wanted))
    if not size or len(text) < size:
        return ""
    runs = {wanted[start : start + size].casefold() for start in range(len(wanted) - size + 1)}
    folded = text.casefold() if len(text.casefold()) == len(text) else text
    hits = [folded[start : start + size] in runs for start in range(len(text) - size + 1)]
    sums = list(accumulate(hits, initial=0))
    width = min(len(wanted) - size + 1, len(hits))
    best = max(range(len(hits) - width + 1), key=lambda start: sums[start + width] - sums[start])
    if sums[best + width] - sums[best] < max(1, _MIN_SHARE * len(runs)):
        return ""
    inside = hits[best : best + width]
    first, last = best + inside.index(True), best + width - 1 - inside[::-1].index(True)
    return _at_words(text, first, last + size, len(wanted))


def _at_words(text: str, start: int, end: int, length: int) -> str:
    """Return the text between two offsets, with the words and at most the lines that it cuts."""
    reach = max(10, length // 4)
    before = [found.end() for found in _SPACE.finditer(text, max(0, start - reach), start)]
    after = _SPACE.search(text, end, min(len(text), end + reach))
    first = before[-1] if before else max(0, start - reach) if start <= reach else start
    return text[
        first : after.start() if after else min(len(text), end + reach) if end + reach >= len(text) else end
    ].strip()
