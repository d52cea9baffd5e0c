"""Shared by all benchmarks: sides that do the same job are compared, then timed in turn, as ratios with a spread.

This module imports only the standard library, so that it works in the environment of any peer.
"""

import gc
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from time import process_time
from typing import Any, Protocol

BATCH_SECONDS = 0.01
BATCHES = 3
LONG_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Job:
    """The work of a side: `run` is timed; `result` returns a value that must equal the result of the other sides.

    With `inputs`, each run gets the next of them; they are made before the clock starts.
    """

    run: Callable[..., object]
    result: Callable[[], Any]
    inputs: Iterator[Any] | None = None

    def ready(self, runs: int) -> Iterable[tuple[Any, ...]]:
        """Return the arguments of some runs."""
        return repeat((), runs) if self.inputs is None else [(one,) for one in islice(self.inputs, runs)]


def job(run: Callable[[], Any]) -> Job:
    """Return a job whose result is the return value of `run`."""
    return Job(run, run)


class SideError(Exception):
    """The error of a side, in one line; two errors are never equal."""


class Contender(Protocol):
    """A side that is ready to run: in its own process, or as a whole process."""

    def result(self) -> Any:
        """Return the value to compare."""

    def seconds(self) -> float:
        """Run once and return the CPU time."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A ratio over several rounds: its median and quartiles."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> "Spread":
        """Compute the quartiles of some ratios; a single ratio is all three."""
        if len(ratios) == 1:
            return cls(ratios[0], ratios[0], ratios[0])
        low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
        return cls(low, statistics.median(ratios), high)

    @property
    def inverse(self) -> "Spread":
        """The inverse ratio: times as fast instead of times the cost."""
        return Spread(1 / self.high, 1 / self.median, 1 / self.low)


@dataclass(frozen=True, slots=True)
class Timing:
    """The CPU time of one side in each round, in seconds."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def over(self, base: "Timing") -> Spread:
        """Return the cost as a multiple of the base: one ratio per round, because the load changes between rounds."""
        return Spread.of([own / other for own, other in zip(self.rounds, base.rounds, strict=True)])


def take_turns(contenders: Mapping[str, Contender], rounds: int) -> tuple[dict[str, Timing], dict[str, SideError]]:
    """Time all sides in every round; they are warm, because each has run once. A side that fails drops out."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    failures: dict[str, SideError] = {}
    for _ in range(rounds):
        for name in [name for name in contenders if name not in failures]:
            try:
                times[name].append(contenders[name].seconds())
            except SideError as error:
                failures[name] = error
    return {name: Timing(tuple(values)) for name, values in times.items() if name not in failures}, failures


class Stopwatch:
    """Times a job in batches that are long enough for the clock, and uses the best batch: the rest is system load."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._count = 1

    def seconds(self) -> float:
        """Return the CPU time of one run; a long batch is measured only once."""
        gc.collect()  # this job should not pay for the garbage of other jobs
        used = self._batch()
        while used < BATCH_SECONDS:
            self._count *= 2
            used = self._batch()
        others = BATCHES - 1 if used < LONG_SECONDS else 0
        return min([used, *(self._batch() for _ in range(others))]) / self._count

    def _batch(self) -> float:
        run, ready = self._job.run, self._job.ready(self._count)
        gc.freeze()  # the garbage collector should not visit the inputs of later runs
        started = process_time()
        for arguments in ready:
            run(*arguments)
        used = process_time() - started
        gc.unfreeze()
        return used


def show_spread(spread: Spread) -> str:
    """Format a ratio with its quartiles."""
    return f"{_number(spread.median)} ({_number(spread.low)} to {_number(spread.high)})"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def show_time(seconds: float) -> str:
    """Format a time in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
