"""What a run touches besides the provider: the clock, the switch that stops it, and those who watch."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypedDict

from promptpack.cycle.events import Event
from promptpack.cycle.failure import RunStoppedError
from promptpack.problem import Problem


class Cancellation:
    """A switch that any thread may throw; the run stops at its next step, piece of a stream, or while it waits."""

    def __init__(self) -> None:
        self._thrown = threading.Event()
        self._told: list[Callable[[], object]] = []

    def cancel(self) -> None:
        """Stop the run; more than once does no harm."""
        self._thrown.set()
        for tell in tuple(self._told):
            tell()

    @property
    def cancelled(self) -> bool:
        """Whether the switch has been thrown."""
        return self._thrown.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but no longer than until the switch is thrown."""
        self._thrown.wait(seconds)

    def raise_if_cancelled(self) -> None:
        """Raise `RunStoppedError` once the switch has been thrown."""
        if self.cancelled:
            raise RunStoppedError(Problem("PP610", "the run was cancelled"))

    @contextmanager
    def telling(self, tell: Callable[[], object]) -> Iterator[None]:
        """Call `tell` when the switch is thrown within the block."""
        self._told.append(tell)
        try:
            yield
        finally:
            self._told.remove(tell)


class Clock(Protocol):
    """Time, so that a test need not wait for it."""

    def now(self) -> float:
        """Give the seconds since any fixed moment."""
        ...

    def sleep(self, seconds: float, cancellation: Cancellation) -> None:
        """Wait, at most until the run is cancelled."""
        ...

    async def asleep(self, seconds: float) -> None:
        """Await the seconds."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        """Give the seconds of the monotonic clock."""
        import time

        return time.monotonic()

    def sleep(self, seconds: float, cancellation: Cancellation) -> None:
        """Wait, at most until the run is cancelled."""
        cancellation.wait(seconds)

    async def asleep(self, seconds: float) -> None:
        """Await the seconds."""
        import asyncio

        await asyncio.sleep(seconds)


@dataclass(slots=True)
class ManualClock:
    """Time that passes only by sleeping, for tests; `slept` is every wait so far."""

    time: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        """Give the time so far."""
        return self.time

    def sleep(self, seconds: float, cancellation: Cancellation) -> None:
        """Let the time pass at once."""
        cancellation.raise_if_cancelled()
        self.slept.append(seconds)
        self.time += seconds

    async def asleep(self, seconds: float) -> None:
        """Let the time pass at once."""
        self.slept.append(seconds)
        self.time += seconds


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The clock, the cancellation, and who is told of events and of pieces of streamed text."""

    clock: Clock = field(default_factory=SystemClock)
    cancellation: Cancellation = field(default_factory=Cancellation)
    on_event: Callable[[Event], object] | None = None
    on_delta: Callable[[str], object] | None = None


class Watching(TypedDict, total=False):
    """The surroundings as keyword arguments."""

    clock: Clock
    cancellation: Cancellation
    on_event: Callable[[Event], object] | None
    on_delta: Callable[[str], object] | None
