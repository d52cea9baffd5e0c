"""The services of a run besides its provider: the clock, the cancellation and the callbacks."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from promptpack.cycle.cycle_errors import RunStoppedError
from promptpack.cycle.events import Event
from promptpack.problem import Problem


class Cancellation:
    """Stops a run from any thread: before its next effect, between two pieces of a stream, or while it waits."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._callbacks: list[Callable[[], object]] = []

    def __repr__(self) -> str:
        return f"Cancellation(cancelled={self.cancelled})"

    def cancel(self) -> None:
        """Stop the run; calling it again has no effect."""
        self._event.set()
        for callback in tuple(self._callbacks):
            callback()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the given `seconds`, or until `cancel` is called."""
        self._event.wait(seconds)

    def raise_if_cancelled(self) -> None:
        """Raise `RunStoppedError` if `cancel` was called."""
        if self.cancelled:
            raise RunStoppedError(Problem("PP610", "the run was cancelled"))

    @contextmanager
    def _notifying(self, callback: Callable[[], object]) -> Iterator[None]:
        """Call the callback if the run is cancelled within the block."""
        self._callbacks.append(callback)
        try:
            yield
        finally:
            self._callbacks.remove(callback)


class Clock(Protocol):
    """A source of time that tests can replace."""

    def now(self) -> float:
        """Return the seconds since a fixed moment."""
        ...

    def sleep(self, seconds: float, cancellation: Cancellation) -> None:
        """Wait for the given `seconds`, or until `cancellation` stops the run."""
        ...

    async def asleep(self, seconds: float) -> None:
        """Sleep for the given `seconds` without blocking the event loop."""
        ...


class SystemClock:
    """The clock of the operating system."""

    def __repr__(self) -> str:
        return "SystemClock()"

    def now(self) -> float:
        """Return the seconds of the monotonic clock."""
        return time.monotonic()

    def sleep(self, seconds: float, cancellation: Cancellation) -> None:
        """Wait for the given `seconds`, or until `cancellation` stops the run."""
        cancellation.wait(seconds)

    async def asleep(self, seconds: float) -> None:
        """Sleep for the given `seconds` without blocking the event loop."""
        import asyncio

        await asyncio.sleep(seconds)


@dataclass(slots=True)
class ManualClock:
    """A clock for tests that advances only when `sleep` is called; `slept` lists all waits.

    `time` is the current time in seconds.
    """

    time: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        """Return the current time."""
        return self.time

    def sleep(self, seconds: float, cancellation: Cancellation) -> None:
        """Advance the time by `seconds` without waiting; raise if `cancellation` has stopped the run."""
        cancellation.raise_if_cancelled()
        self.slept.append(seconds)
        self.time += seconds

    async def asleep(self, seconds: float) -> None:
        """Advance the time by `seconds` without waiting."""
        self.slept.append(seconds)
        self.time += seconds


@dataclass(frozen=True, slots=True)
class Services:
    """The clock, the cancellation, and the callbacks for events and for pieces of streamed text.

    `clock` measures and waits, `cancellation` stops the run from another thread, `on_event` gets every event, and
    `on_delta` every piece of streamed text.
    """

    clock: Clock = field(default_factory=SystemClock)
    cancellation: Cancellation = field(default_factory=Cancellation)
    on_event: Callable[[Event], object] | None = None
    on_delta: Callable[[str], object] | None = None


def open_services(
    clock: Clock | None = None,
    cancellation: Cancellation | None = None,
    on_event: Callable[[Event], object] | None = None,
    on_delta: Callable[[str], object] | None = None,
) -> Services:
    """Return the services of a run, with defaults for those that the caller did not pass."""
    return Services(clock or SystemClock(), cancellation or Cancellation(), on_event, on_delta)
