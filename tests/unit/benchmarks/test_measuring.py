"""Ratios are taken in every round, and nothing is timed that has not been compared."""

import pytest

from benchmarks import counting, measuring
from benchmarks.measuring import Spread, Timing, job, require_same, take_turns
from benchmarks.sides import Side


def test_a_ratio_is_taken_in_every_round() -> None:
    own, base = Timing((1.0, 2.0, 30.0, 4.0, 5.0)), Timing((2.0, 4.0, 60.0, 2.0, 5.0))
    assert own.over(base) == Spread(0.5, 0.5, 1.0)


def test_times_quicker_is_the_cost_the_other_way_round() -> None:
    assert Spread(0.25, 0.5, 2.0).inverse == Spread(0.5, 2.0, 4.0)


def test_one_round_has_no_spread() -> None:
    assert Timing((3.0,)).over(Timing((2.0,))) == Spread(1.5, 1.5, 1.5)


def test_rounds_without_a_partner_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Timing((1.0, 2.0)).over(Timing((1.0,)))


def test_different_results_stop_the_run() -> None:
    results = {"stock": "a", "ours": "a", "peer": "b"}
    require_same(results, {"ours": "stock"})
    with pytest.raises(SystemExit, match=r"^not the same result: peer and stock$"):
        require_same(results, {"ours": "stock", "peer": "stock"})


class Recorder:
    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def result(self) -> object:
        return None

    def seconds(self) -> float:
        self.log.append(self.name)
        return float(len(self.log))


def test_all_sides_are_asked_in_every_round_and_the_first_does_not_count() -> None:
    log: list[str] = []
    timings = take_turns({name: Recorder(name, log) for name in "ab"}, rounds=2)
    assert log == ["a", "b"] * 3
    assert timings == {"a": Timing((3.0, 5.0)), "b": Timing((4.0, 6.0))}


def test_of_some_batches_the_best_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.05, 0.1, 0.12, 0.2, 0.23])
    monkeypatch.setattr(measuring, "process_time", lambda: next(clock))
    assert measuring.cpu_seconds(lambda: None, 10) == pytest.approx(0.002)


def test_a_long_batch_counts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.5])
    monkeypatch.setattr(measuring, "process_time", lambda: next(clock))
    assert measuring.cpu_seconds(lambda: None, 1) == 0.5


def test_runs_are_doubled_until_the_clock_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, runs = [0.0], [0]

    def run() -> None:
        seconds[0] += 0.003
        runs[0] += 1

    monkeypatch.setattr(measuring, "process_time", lambda: seconds[0])
    assert measuring.calibrate(run) == 4
    assert runs == [7]


def test_set_up_is_taken_off_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_collect", lambda _, runs: 1_000_000 + 300 * runs)
    assert counting.count(Side("ours", job), 0.001) == 300
    assert counting.count(Side("ours", job, units=3), 0.001) == 100
