"""A progress bar on a terminal for work that takes more than two seconds."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO, TypeVar

Item = TypeVar("Item")
_PATIENCE_SECONDS, _PAUSE_SECONDS = 2.0, 0.1
_WIDTH = 24
_CLEAR = "\r\x1b[K"


def track(items: Sequence[Item], noun: str, stream: TextIO | None = None) -> Iterator[Item]:
    """Yield the items, and draw how many are done, how fast, and the time left; draw nothing in pipes and in CI."""
    return track_some(items, len(items), noun, stream)


def track_some(items: Iterable[Item], total: int, noun: str, stream: TextIO | None = None) -> Iterator[Item]:
    """Yield the items, of which there are at most `total`, and draw as `track` does."""
    stream = stream or sys.stderr
    if not stream.isatty() or os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        yield from items
        return
    started = drawn = time.monotonic()
    try:
        for done, item in enumerate(items):
            now = time.monotonic()
            if now - started > _PATIENCE_SECONDS and now - drawn > _PAUSE_SECONDS and done:
                drawn = now
                stream.write(_CLEAR + _bar(done, total, now - started, noun))
                stream.flush()
            yield item
    finally:
        if drawn != started:
            stream.write(_CLEAR)
            stream.flush()


def _bar(done: int, total: int, seconds: float, noun: str) -> str:
    filled, rate = _WIDTH * done // total, done / seconds
    left = round((total - done) / rate)
    time_left = f"{left // 60} min {left % 60} s" if left >= 60 else f"{left} s"
    return f"{'█' * filled}{'░' * (_WIDTH - filled)} {done}/{total} {noun}, {rate:.1f} per second, {time_left} left"
