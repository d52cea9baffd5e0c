"""The render cache: results of the last renders of a library's packs, within one memory limit.

A pack reads and writes through its `PackCache`. Each cell holds one value, the last one. A cached text carries the
fingerprints of the values it was rendered from, so that it is used only for equal values, and its cost, so that the
limits count it like a text rendered again. It is rendered from the snapshot that the fingerprints belong to.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping
from sys import getsizeof
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from promptpack.template.meter import Meter
    from promptpack.template.model import Fingerprint

DEFAULT_LIMIT: Final = 8_000_000
LARGEST_VALUE: Final = 1_000_000
"""The largest value in bytes or characters that a cell holds."""

# The bytes of an entry besides its texts and fingerprints.
_OVERHEAD: Final = 200

CacheKey = tuple[Any, ...]


class CachedText(NamedTuple):
    """The text of a subtree, the key of the values it was rendered from, and its cost."""

    key: CacheKey
    text: str
    steps: int
    output: int


class RenderCache:
    """Values by cell, at most `limit` bytes; the oldest values are dropped first.

    It has no lock, because a process that forks while a lock is held can never take it. Threads that race lose a
    cached value at worst; each value is one immutable object.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self.size: int = 0
        self.entries: dict[tuple[PackCache, Hashable], tuple[Any, int]] = {}

    def put(self, cell: tuple[PackCache, Hashable], value: Any, size: int) -> None:
        """Store the value of a pack's cell, given its size in bytes."""
        _, old = self.entries.pop(cell, (None, 0))
        self.entries[cell] = value, size
        self.size += size - old
        if self.size > self._limit:
            self._shrink()

    def clear(self) -> None:
        """Drop all values."""
        self.entries.clear()
        self.size = 0

    def retain(self, owners: Container[PackCache]) -> None:
        """Drop the values of all packs but some: a value keeps its pack alive, which takes far more memory."""
        for cell in [cell for cell in list(self.entries) if cell[0] not in owners]:
            _, size = self.entries.pop(cell, (None, 0))
            self.size -= size

    def _shrink(self) -> None:
        entries = list(self.entries.items())
        size = sum(entry[1] for _, entry in entries)
        for cell, (_, freed) in entries:
            if size <= self._limit // 2:
                break
            self.entries.pop(cell, None)
            size -= freed
        self.size = size


class PackCache:
    """The part of a render cache that one pack uses."""

    __slots__ = ("_entries", "_shared")

    def __init__(self, shared: RenderCache | None = None) -> None:
        self._shared = RenderCache() if shared is None else shared
        self._entries = self._shared.entries

    def get(self, cell: Hashable) -> Any:
        """Return the last value of a cell, or None."""
        entry = self._entries.get((self, cell))
        return None if entry is None else entry[0]

    def put(self, cell: Hashable, value: Any, *parts: Fingerprint) -> None:
        """Store the value of a cell; `parts` are the texts and fingerprints that it holds."""
        self._shared.put((self, cell), value, _OVERHEAD + sum(map(getsizeof, parts)))

    def text(self, cell: Hashable, key: CacheKey, meter: Meter) -> str | None:
        """Return the cached text of a subtree if its key is equal and its cost is within the limits."""
        entry = self._entries.get((self, cell))
        cached: CachedText | None = entry and entry[0]
        # A text that costs too much is rendered again, so that the limit fails where it always does.
        if cached is None or cached.key != key or cached.steps > meter.steps or cached.output > meter.output:
            return None
        meter.steps -= cached.steps
        meter.output -= cached.output
        return cached.text

    def put_text(self, cell: Hashable, key: CacheKey, text: str, before: tuple[int, int], meter: Meter) -> None:
        """Store the text of a subtree; `before` are the steps and output that were left before it was rendered."""
        if len(text) <= LARGEST_VALUE:
            steps, output = before
            self.put(cell, CachedText(key, text, steps - meter.steps, output - meter.output), text, *key[1:])


def cache_key(names: Iterable[str], fingerprints: Mapping[str, Fingerprint], meter: Meter) -> CacheKey | None:
    """Return the key of a text that depends on some names; None if one of them has no fingerprint."""
    found = [fingerprints.get(name) for name in names]
    return None if None in found else ((meter.limits, meter.json_indent), *found)
