"""How far a batch is: a bar on a terminal, and one line per minute in logs."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

from promptpack.batch.sources import RowSource
from promptpack.batch.summary import BatchSummary
from promptpack.cli.progress import CLEAR, PATIENCE_SECONDS, PAUSE_SECONDS, draw_bar, show_seconds

_LOG_SECONDS = 60.0


class BatchProgress:
    """Shows the share of the input, the rows, the rate, the errors and the time left."""

    def __init__(
        self,
        sources: Sequence[RowSource],
        stream: TextIO | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sources = sources
        self._stream = stream or sys.stderr
        self._now = now
        self._started = self._shown = now()
        self._first: tuple[float, int, float] | None = None
        """The time, the rows and the share when the first rows were done, or the last contexts indexed."""
        is_log = not self._stream.isatty() or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
        self._is_bar = not is_log

    def show(self, summary: BatchSummary) -> None:
        """Show the counts if it is time to."""
        now = self._now()
        share = self._share()
        if self._first is None or not summary.rows:
            self._first = (now, summary.rows, share or 0.0)
        is_due = now - self._shown >= (PAUSE_SECONDS if self._is_bar else _LOG_SECONDS)
        if not is_due or now - self._started < PATIENCE_SECONDS:
            return
        self._shown = now
        text = self._describe(summary, share, now, *self._first) if summary.rows else _describe_index(share)
        self._stream.write(f"{CLEAR}{draw_bar(share or 0.0)} {text}" if self._is_bar else f"{text}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Remove the bar."""
        if self._is_bar and self._shown != self._started:
            self._stream.write(CLEAR)
            self._stream.flush()

    def _share(self) -> float | None:
        size = sum(source.size for source in self._sources)
        is_known = size and all(source.size for source in self._sources)
        return sum(source.done for source in self._sources) / size if is_known else None

    @staticmethod
    def _describe(
        summary: BatchSummary, share: float | None, now: float, start: float, first_rows: int, first_share: float
    ) -> str:
        seconds = max(now - start, 0.001)
        parts = [] if share is None else [f"{100 * share:.0f} %"]
        parts += [f"{summary.rows:,} rows", f"{(summary.rows - first_rows) / seconds:,.0f} per second"]
        parts += [f"{sum(summary.errors.values()) + summary.failed:,} errors and refusals"]
        if share is not None and share > first_share:
            parts.append(f"{show_seconds(seconds * (1 - share) / (share - first_share))} left")
        return ", ".join(parts)


def _describe_index(share: float | None) -> str:
    return ", ".join(("reading contexts and corrections", *([] if share is None else [f"{100 * share:.0f} %"])))
