"""Ratios are computed in every round, and batches are long enough for the clock."""

import gc
from collections.abc import Iterator

import pytest

from benchmarks import counting, measuring
from benchmarks.measuring import Spread, Stopwatch, Timing, job, take_turns
from benchmarks.sides import Side


@pytest.fixture(autouse=True)
def frozen() -> Iterator[None]:
    """Exclude the collected tests from garbage collection again after a stopwatch has included them."""
    yield
    gc.freeze()


def test_a_ratio_is_computed_in_every_round() -> None:
    own, base = Timing((1.0, 2.0, 30.0, 4.0, 5.0)), Timing((2.0, 4.0, 60.0, 2.0, 5.0))
    assert own.over(base) == Spread(0.5, 0.5, 1.0)


def test_times_as_fast_is_the_inverse_of_the_cost() -> None:
    assert Spread(0.25, 0.5, 2.0).inverse == Spread(0.5, 2.0, 4.0)


def test_one_round_has_no_spread() -> None:
    assert Timing((3.0,)).over(Timing((2.0,))) == Spread(1.5, 1.5, 1.5)


def test_different_numbers_of_rounds_are_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Timing((1.0, 2.0)).over(Timing((1.0,)))


class Recorder:
    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def result(self) -> object:
        return None

    def seconds(self) -> float:
        self.log.append(self.name)
        return float(len(self.log))


def test_all_sides_run_in_every_round() -> None:
    log: list[str] = []
    timings, failures = take_turns({name: Recorder(name, log) for name in "ab"}, rounds=2)
    assert (log, failures) == (["a", "b"] * 2, {})
    assert timings == {"a": Timing((1.0, 3.0)), "b": Timing((2.0, 4.0))}


class Clock:
    """A clock that only runs advance: each takes the next of the given times, or the last one again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *times: float) -> None:
        self.now, self.runs, self._times = 0.0, 0, times
        monkeypatch.setattr(measuring, "process_time", lambda: self.now)

    def run(self) -> None:
        self.now += self._times[min(self.runs, len(self._times) - 1)]
        self.runs += 1


def test_the_best_batch_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 0.05, 0.02, 0.03)
    assert Stopwatch(job(clock.run)).seconds() == pytest.approx(0.02)
    assert clock.runs == 3


def test_a_long_batch_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 0.5, 0.4)
    assert Stopwatch(job(clock.run)).seconds() == 0.5
    assert clock.runs == 1


def test_runs_are_doubled_until_the_clock_is_precise_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 0.003)
    stopwatch = Stopwatch(job(clock.run))
    assert stopwatch.seconds() == pytest.approx(0.003)
    assert clock.runs == 1 + 2 + 4 + 4 + 4
    stopwatch.seconds()
    assert clock.runs == 15 + 4 * 3


def test_instructions_are_counted_per_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_collect", lambda _, runs: 300 * runs)
    assert counting.count(Side("ours", job), 0.001) == 300
    assert counting.count(Side("ours", job, units=3), 0.001) == 100
