"""What all benchmarks share: sides that do one job are compared, then timed in turn, as ratios with a spread.

Nothing here imports more than the standard library, so that a side can live in any environment.
"""

import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """Time all sides in every round, after one round that does not count."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, contender in contenders.items():
            used = contender.seconds()
            if number:
                times[name].append(used)
    return {name: Timing(tuple(values)) for name, values in times.items()}


def cpu_seconds(run: Callable[[], object], count: int) -> float:
    """Time one run among so many: of some batches the best counts, as the rest is load; a long one counts alone."""
    first = _batch(run, count)
    others = BATCHES - 1 if first < LONG_SECONDS else 0
    return min([first, *(_batch(run, count) for _ in range(others))]) / count


def calibrate(run: Callable[[], object]) -> int:
    """Give a number of runs that takes long enough for the clock."""
    for count in _powers():
        if _batch(run, count) >= BATCH_SECONDS:
            break
    return count


def _batch(run: Callable[[], object], count: int) -> float:
    started = process_time()
    for _ in repeat(None, count):
        run()
    return process_time() - started


def _powers() -> Iterable[int]:
    count = 1
    while True:
        yield count
        count *= 2
