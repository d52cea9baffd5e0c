"""A progress bar on a terminal for work that takes more than two seconds."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO, TypeVar

Element = TypeVar("Element")
PATIENCE_SECONDS, PAUSE_SECONDS = 2.0, 0.1
_WIDTH = 24
CLEAR = "\r\x1b[K"


def track(items: Sequence[Element], noun: str, stream: TextIO | None = None) -> Iterator[Element]:
    """Yield the items, and draw how many are done, how fast, and the time left; draw nothing in pipes and in CI."""
    return track_some(items, len(items), noun, stream)


def track_some(items: Iterable[Element], total: int, noun: str, stream: TextIO | None = None) -> Iterator[Element]:
    """Yield the items, of which there are at most `total`, and draw as `track` does."""
    stream = stream or sys.stderr
    if not stream.isatty() or os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        yield from items
        return
    started = drawn = time.monotonic()
    try:
        for done, item in enumerate(items):
            now = time.monotonic()
            if now - started > PATIENCE_SECONDS and now - drawn > PAUSE_SECONDS and done:
                drawn = now
                stream.write(CLEAR + _bar(done, total, now - started, noun))
                stream.flush()
            yield item
    finally:
        if drawn != started:
            stream.write(CLEAR)
            stream.flush()


def draw_bar(share: float) -> str:
    """Return a bar, of which a share from 0 to 1 is done."""
    filled = int(_WIDTH * share)
    return f"{'█' * filled}{'░' * (_WIDTH - filled)}"


def show_seconds(seconds: float) -> str:
    """Return a time in minutes and seconds."""
    left = round(seconds)
    return f"{left // 60} min {left % 60} s" if left >= 60 else f"{left} s"


def _bar(done: int, total: int, seconds: float, noun: str) -> str:
    rate = done / seconds
    time_left = show_seconds((total - done) / rate)
    return f"{draw_bar(done / total)} {done}/{total} {noun}, {rate:.1f} per second, {time_left} left"
