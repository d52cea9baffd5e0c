"""Changes of a file's text that keep everything around them: comments, layout, line ends, the byte order mark."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CHARACTER = re.compile(r"\r\n|.", re.DOTALL)
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """What stands from `start` to `end` of a document's text gives way to `text`."""

    start: int
    end: int
    text: str = ""


def apply(raw: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a file's text as it is on disk; of two that overlap, the later one waits for another time."""
    chosen: list[Edit] = []
    for edit in sorted(set(edits)):
        if not chosen or chosen[-1].end <= edit.start:
            chosen.append(edit)
    # Edits count as documents do: without the byte order mark, and a line end of two characters as one.
    starts = [found.start() for found in _CHARACTER.finditer(raw, 1 if raw.startswith(_BOM) else 0)] + [len(raw)]
    for edit in reversed(chosen):
        raw = raw[: starts[edit.start]] + edit.text + raw[starts[edit.end] :]
    return raw
