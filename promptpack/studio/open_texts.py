"""The texts that a page has open, as they are typed; their number and size are bounded."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Final

from promptpack.problem import Location, Problem, UsageError

_MAX_TEXTS: Final = 64
_MAX_CHARACTERS: Final = 1_000_000
_MAX_BYTES: Final = 16_000_000
_MAX_PATH: Final = 500


class OpenTexts(Mapping[str, str]):
    """Texts by path; one that exceeds a limit is a problem wherever it is read, and never an older text instead."""

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}

    def keep(self, path: str, text: str | None) -> None:
        """Remember a text as it is typed; None forgets it."""
        self._texts.pop(path, None)
        if text is None or len(path) > _MAX_PATH or len(self._texts) >= 2 * _MAX_TEXTS:
            return
        kept = [one for one in self._texts.values() if one is not None]
        size = sum(map(sys.getsizeof, kept)) + sys.getsizeof(text)
        has_room = len(kept) < _MAX_TEXTS and size <= _MAX_BYTES
        self._texts[path] = text if has_room and len(text) <= _MAX_CHARACTERS else None

    def __getitem__(self, path: str) -> str:
        """Return a text; raise if it exceeds a limit."""
        found = self._texts[path]
        if found is None:
            message = f"text is larger than {_MAX_CHARACTERS:,} characters, or too many texts are open"
            hint = "shorten it, or save the other texts and reload the page"
            raise UsageError(Problem("PP102", message, Location(path), hint))
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over the paths."""
        return iter(self._texts)

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self._texts)
