"""Edits of a document's text; everything around them stays: comments, layout, line endings."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters from `start` to `end` of a document's text with `text`."""

    start: int
    end: int
    text: str = ""


def apply_edits(raw: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a file's text as it is on disk; of two that overlap, the second is left for the next run."""
    chosen: list[Edit] = []
    for edit in sorted(set(edits)):
        if not chosen or chosen[-1].end <= edit.start:
            chosen.append(edit)
    # Edits count characters as documents do: without the byte order mark, and CRLF as one character.
    skipped = len(raw) - len(raw.removeprefix(_BOM))
    breaks = [found.start() - skipped - number for number, found in enumerate(re.finditer("\r\n", raw))]
    pieces, last = list[str](), 0
    for edit in chosen:
        start, end = (skipped + offset + bisect_left(breaks, offset) for offset in (edit.start, edit.end))
        pieces += (raw[last:start], edit.text)
        last = end
    return "".join([*pieces, raw[last:]])
