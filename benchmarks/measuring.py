"""What all benchmarks share: sides that do one job are compared, then timed in turn, as ratios with a spread.

Nothing here imports more than the standard library, so that a side can live in any environment.
"""

import gc
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from time import process_time
from typing import Any, Protocol

BATCH_SECONDS = 0.01
BATCHES = 3
LONG_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Job:
    """What a side does: `run` is timed, `result` gives what must be equal to the other side's."""

    run: Callable[[], object]
    result: Callable[[], Any]


def job(run: Callable[[], Any]) -> Job:
    """Make a job whose result is what the run gives."""
    return Job(run, run)


class SideError(Exception):
    """What a side said instead of a result, in one line; two of them are never equal."""


class Contender(Protocol):
    """A side that is ready: in a process of its own, or a process itself."""

    def result(self) -> Any:
        """Give what is compared."""

    def seconds(self) -> float:
        """Give the CPU time of one run, taken now."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A ratio in its rounds: the middle one, and the quartiles around it."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> "Spread":
        """Take the quartiles of some ratios; one alone is all three."""
        if len(ratios) == 1:
            return cls(ratios[0], ratios[0], ratios[0])
        low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
        return cls(low, statistics.median(ratios), high)

    @property
    def inverse(self) -> "Spread":
        """The same, asked the other way round: times quicker instead of times the cost."""
        return Spread(1 / self.high, 1 / self.median, 1 / self.low)


@dataclass(frozen=True, slots=True)
class Timing:
    """The CPU time of one side, round by round, in seconds."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def over(self, base: "Timing") -> Spread:
        """Give the cost as a multiple of another's: a ratio a round, since both saw the same machine in it."""
        return Spread.of([own / other for own, other in zip(self.rounds, base.rounds, strict=True)])


def take_turns(contenders: Mapping[str, Contender], rounds: int) -> tuple[dict[str, Timing], dict[str, SideError]]:
    """Time all sides in every round; they are warm, as each has given its result. One that fails drops out."""
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
    """Times one run among as many as the clock needs: of some batches the best counts, as the rest is load."""

    def __init__(self, run: Callable[[], object]) -> None:
        self._run = run
        self._count = 1

    def seconds(self) -> float:
        """Give the CPU time of one run; a batch that takes long counts alone."""
        gc.collect()  # what other jobs left behind is not this one's to clear away
        used = self._batch()
        while used < BATCH_SECONDS:
            self._count *= 2
            used = self._batch()
        others = BATCHES - 1 if used < LONG_SECONDS else 0
        return min([used, *(self._batch() for _ in range(others))]) / self._count

    def _batch(self) -> float:
        started = process_time()
        for _ in repeat(None, self._count):
            self._run()
        return process_time() - started


def show_spread(spread: Spread) -> str:
    """Show a ratio with its quartiles."""
    return f"{_number(spread.median)} ({_number(spread.low)} to {_number(spread.high)})"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def show_time(seconds: float) -> str:
    """Show a time in the unit that fits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
