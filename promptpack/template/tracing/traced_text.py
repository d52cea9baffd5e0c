"""`TracedText`: a text in runs, each with its origin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

TracedRun = tuple[int, Any]
"""The length and the origin of a part of a text."""


class TracedText(str):
    """A text whose runs cover it exactly once, in order; joining with `+` keeps them, every other method drops them."""

    __slots__ = ("runs",)
    runs: tuple[TracedRun, ...]

    def __new__(cls, text: str, runs: Iterable[TracedRun]) -> Self:
        """Create a text from its runs; empty ones are left out."""
        traced = super().__new__(cls, text)
        traced.runs = tuple(run for run in runs if run[0])
        return traced

    @classmethod
    def of(cls, text: str, origin: Any) -> TracedText:
        """Return a text with one origin; a text that has runs already is returned unchanged."""
        return text if isinstance(text, TracedText) else cls(text, ((len(text), origin),))

    def __add__(self, other: str) -> TracedText:
        return join((self, other))

    def __radd__(self, other: str) -> TracedText:
        return join((other, self))

    def pieces(self) -> Iterator[tuple[str, Any]]:
        """Yield the text of each run with its origin."""
        start = 0
        for length, origin in self.runs:
            yield str.__getitem__(self, slice(start, start + length)), origin
            start += length

    def cut(self, length: int) -> TracedText:
        """Return the first characters with their runs."""
        runs, left = [], length
        for size, origin in self.runs:
            runs.append((min(size, max(left, 0)), origin))
            left -= size
        return TracedText(str.__getitem__(self, slice(length)), runs)


def join(texts: Iterable[str], origin: Any = None) -> TracedText:
    """Join texts; those without runs get the origin."""
    traced = [TracedText.of(text, origin) for text in texts]
    return TracedText("".join(traced), (run for text in traced for run in text.runs))
