"""Text edits that preserve everything around them: comments, layout, line endings, the byte order mark."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CHARACTER = re.compile(r"\r\n|.", re.DOTALL)
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters from `start` to `end` of a document's text with `text`."""

    start: int
    end: int
    text: str = ""


def apply(raw: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a file's text as it is on disk; of two that overlap, the second is left for the next run."""
    chosen: list[Edit] = []
    for edit in sorted(set(edits)):
        if not chosen or chosen[-1].end <= edit.start:
            chosen.append(edit)
    # Edits count characters as documents do: without the byte order mark, and CRLF as one character.
    starts = [found.start() for found in _CHARACTER.finditer(raw, 1 if raw.startswith(_BOM) else 0)] + [len(raw)]
    for edit in reversed(chosen):
        raw = raw[: starts[edit.start]] + edit.text + raw[starts[edit.end] :]
    return raw
