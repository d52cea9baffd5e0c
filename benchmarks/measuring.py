"""What all benchmarks share: sides that do one job are compared, then timed in turn, as ratios with a spread.

Nothing here imports more than the standard library, so that a side can live in any environment.
"""

import statistics
import sys
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


def require_same(results: Mapping[str, Any], over: Mapping[str, str]) -> None:
    """Stop unless every side's result is that of the side which it is measured against."""
    different = [name for name, base in over.items() if results[name] != results[base]]
    if different:
        sys.exit(f"not the same result: {', '.join(f'{name} and {over[name]}' for name in different)}")


def take_turns(contenders: Mapping[str, Contender], rounds: int) -> dict[str, Timing]:
    """Time all sides in every round; they are warm, as each has given its result."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            times[name].append(contender.seconds())
    return {name: Timing(tuple(values)) for name, values in times.items()}


class Stopwatch:
    """Times one run among as many as the clock needs: of some batches the best counts, as the rest is load."""

    def __init__(self, run: Callable[[], object]) -> None:
        self._run = run
        self._count = 1

    def seconds(self) -> float:
        """Give the CPU time of one run; a batch that takes long counts alone."""
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
