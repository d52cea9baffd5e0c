"""Marks after texts: the layout of slots moves them along, and from each mark the text is read backwards."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from promptpack.prompt.provenance.traced_pack import TextOrigin
from promptpack.template.tracing.traced_text import TracedRun, TracedText

_OPEN, _ZERO, _ONE, _CLOSE = "\ue000\ue001\ue002\ue003"
_MARK: Final = re.compile(f"{_OPEN}([{_ZERO}{_ONE}]+){_CLOSE}")
MARKS: Final = re.compile(f"[{_OPEN}{_ZERO}{_ONE}{_CLOSE}]")
"""The characters of marks; a text that contains one cannot be marked."""
# The prefix that the layout puts in front of a line of a value that looks like a role line or a title.
_ESCAPE: Final = "\\"


class _FoundText(NamedTuple):
    start: int
    runs: tuple[TracedRun, ...]


class Marks:
    """The marked texts of one prompt."""

    def __init__(self) -> None:
        self._texts: list[TracedText] = []

    def mark(self, text: str) -> str:
        """Return a traced text with a mark after its last character that is not white space."""
        assert isinstance(text, TracedText)  # noqa: S101 -- the caller traces every text
        self._texts.append(text)
        digits = f"{len(self._texts) - 1:b}".replace("0", _ZERO).replace("1", _ONE)
        end = len(text.rstrip())
        return f"{text[:end]}{_OPEN}{digits}{_CLOSE}{text[end:]}" if end else str(text)

    def read(self, marked: str, between: TextOrigin) -> TracedText:
        """Return a text without its marks; texts that the layout has changed have the origin `between`."""
        text, places = _remove_marks(marked)
        found, reads, end = [], between.reads, 0
        for place, number in places:
            traced = self._texts[number]
            one = _find(text, place, traced, end)
            if one is None:
                reads |= {read for _, origin in traced.runs for read in origin.reads}
                continue
            found.append(one)
            end = one.start + sum(size for size, _ in one.runs)
        reads |= {read for one in self._texts if not one.strip() for _, origin in one.runs for read in origin.reads}
        return _fill(text, found, between._replace(reads=reads))


def _remove_marks(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text, and for each mark its offset there and its number."""
    places, removed = [], 0
    for mark in _MARK.finditer(marked):
        places.append((mark.start() - removed, int(mark[1].replace(_ZERO, "0").replace(_ONE, "1"), 2)))
        removed += len(mark[0])
    return _MARK.sub("", marked), places


def _find(text: str, end: int, traced: TracedText, first: int) -> _FoundText | None:
    """Return the runs of a traced text that ends at an offset; None if it was changed, except by escapes."""
    origins = [origin for size, origin in traced.runs for _ in range(size)]
    last = len(traced.rstrip())
    start, sizes = end, [0] * len(traced)
    for index in reversed(range(last)):
        while start > first and text[start - 1] != traced[index] and text[start - 1] == _ESCAPE:
            start, sizes[index + 1] = start - 1, sizes[index + 1] + 1
        if start <= first or text[start - 1] != traced[index]:
            if traced[: index + 1].strip():
                return None
            break  # white space that the layout removes
        start, sizes[index] = start - 1, sizes[index] + 1
    for index in range(last, len(traced)):
        offset = end + index - last
        if text[offset : offset + 1] != traced[index]:
            break
        sizes[index] = 1
    return _FoundText(start, tuple(zip(sizes, origins, strict=True)))


def _fill(text: str, found: list[_FoundText], between: TextOrigin) -> TracedText:
    runs: list[TracedRun] = []
    end = 0
    for one in found:
        runs.append((one.start - end, between))
        runs += one.runs
        end = one.start + sum(size for size, _ in one.runs)
    runs.append((len(text) - end, between))
    return TracedText(text, _merge(runs))


def _merge(runs: list[TracedRun]) -> list[TracedRun]:
    merged: list[TracedRun] = []
    for size, origin in runs:
        if merged and merged[-1][1] is origin:
            merged[-1] = merged[-1][0] + size, origin
        else:
            merged.append((size, origin))
    return merged
