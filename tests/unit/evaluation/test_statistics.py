"""Intervals and conclusions: known values, simulations with fixed seeds, and what repetitions must not change."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack.evaluation.statistics import Interval, compare, percentile, wilson_interval
from promptpack.evaluation.statistics.conclusion import FEWEST_CASES
from promptpack.evaluation.statistics.paired import bootstrap_interval
from promptpack.evaluation.statistics.proportions import mcnemar_p
from promptpack.evaluation.statistics.resampling import Resampler

DIFFERENCES = st.lists(st.sampled_from([Fraction(one, 2) for one in (-2, -1, 0, 1, 2)]), min_size=1, max_size=80)


def test_the_wilson_interval_has_its_known_values() -> None:
    assert wilson_interval(0.5, 10) == pytest.approx((0.5, 0.2366, 0.7634), abs=1e-4)
    assert wilson_interval(0.0, 20) == pytest.approx((0.0, 0.0, 0.1611), abs=1e-4)
    assert wilson_interval(1.0, 20) == pytest.approx((1.0, 0.8389, 1.0), abs=1e-4)
    assert wilson_interval(0.0, 0) == Interval(0.0, 0.0, 1.0)


def test_the_mcnemar_test_is_exact() -> None:
    assert mcnemar_p(0, 0) == 1.0
    assert mcnemar_p(5, 5) == 1.0
    assert mcnemar_p(0, 5) == pytest.approx(2 / 32)
    assert mcnemar_p(8, 1) == pytest.approx(20 / 512)
    assert mcnemar_p(3000, 2000) < 1e-40


def test_percentiles_are_values_that_occur() -> None:
    values = [1.0, 2.0, 3.0, 4.0]
    assert [percentile(values, share) for share in (0.0, 0.5, 0.95, 1.0)] == [1.0, 2.0, 4.0, 4.0]
    assert percentile([], 0.5) == 0.0


def test_a_resample_draws_each_value_as_often_as_it_occurs() -> None:
    resampler = Resampler({0: 70.0, 1: 20.5, 1000: 9.5}, 100, seed=1)
    draws = [divmod(resampler.draw(), 1000) for _ in range(4000)]
    assert sum(rare for rare, _ in draws) / 4000 == pytest.approx(9.5, abs=0.25)
    assert sum(common for _, common in draws) / 4000 == pytest.approx(20.5, abs=0.35)
    variance = sum((common - 20.5) ** 2 for _, common in draws) / 4000
    assert variance == pytest.approx(100 * 0.205 * 0.795, rel=0.1)
    assert Resampler({5: 3.0}, 4, seed=1).draw() == 20


@given(DIFFERENCES, st.integers(0, 5))
def test_the_order_of_the_cases_changes_nothing(differences: list[Fraction], seed: int) -> None:
    shuffled = random.Random(seed).sample(differences, len(differences))  # noqa: S311 -- a simulation
    assert bootstrap_interval(shuffled, 3, 50) == bootstrap_interval(differences, 3, 50)


@given(DIFFERENCES)
def test_the_interval_contains_the_estimate_and_mirrors_with_the_versions(differences: list[Fraction]) -> None:
    found = bootstrap_interval(differences, 3, 200)
    assert -1 <= found.low <= found.estimate <= found.high <= 1
    mirrored = compare([-one for one in differences], 0.05, 3, 200)
    assert (mirrored.better, mirrored.worse) == (
        sum(one < 0 for one in differences),
        sum(one > 0 for one in differences),
    )


@given(st.lists(st.booleans(), min_size=20, max_size=60), st.integers(2, 6))
def test_repetitions_with_the_same_replies_narrow_no_interval(passed: list[bool], repeat: int) -> None:
    once = [Fraction(int(one)) - Fraction(number % 3 == 0) for number, one in enumerate(passed)]
    repeated = [Fraction(int(one) * repeat, repeat) - Fraction(number % 3 == 0) for number, one in enumerate(passed)]
    assert compare(repeated, 0.05, 1, 100) == compare(once, 0.05, 1, 100)


@pytest.mark.parametrize(("first", "second"), [(0.1, 0.1), (0.5, 0.5), (0.8, 0.9)])
def test_intervals_of_100_cases_cover_the_truth_and_raise_few_false_alarms(first: float, second: float) -> None:
    rates = second * (1 - first), first * (1 - second)
    covered = alarms = total = 0.0
    for better, worse, probability in likely_results(100, *rates):
        # Another seed for each: the error of a single one would shift all intervals in the same direction.
        found = bootstrap_interval(differences_of(better, worse, 100 - better - worse), 1000 * better + worse, 600)
        total += probability
        covered += probability * (found.low <= second - first <= found.high)
        alarms += probability * (found.low > 0 or found.high < 0)
    assert total > 0.995
    assert 0.93 <= covered / total <= 0.97
    assert first != second or alarms / total <= 0.05


def likely_results(cases: int, better_rate: float, worse_rate: float) -> Iterator[tuple[int, int, float]]:
    """Yield how many cases may be better and worse, with the probability, if the versions are independent."""
    for better, worse in product(range(cases), repeat=2):
        same = cases - better - worse
        if same >= 0:
            ways = math.comb(cases, better) * math.comb(cases - better, worse)
            probability = ways * better_rate**better * worse_rate**worse * (1 - better_rate - worse_rate) ** same
            if probability > 4e-5:
                yield better, worse, probability


def test_intervals_of_repeated_cases_cover_the_truth() -> None:
    draw, simulations = random.Random(7), 200  # noqa: S311 -- a simulation
    covered = 0
    for number in range(simulations):
        differences = [
            Fraction(sum(draw.random() < 0.8 for _ in range(3)) - sum(draw.random() < 0.8 for _ in range(3)), 3)
            for _ in range(100)
        ]
        found = bootstrap_interval(differences, number, 300)
        covered += found.low <= 0 <= found.high
    assert 0.93 <= covered / simulations <= 0.985  # the standard error of so few simulations is 1.5 points


def differences_of(better: int, worse: int, same: int) -> list[Fraction]:
    return [Fraction(1)] * better + [Fraction(-1)] * worse + [Fraction(0)] * same


@pytest.mark.parametrize(
    ("better", "worse", "same", "text"),
    [
        (30, 5, 65, "better"),
        (5, 30, 65, "worse"),
        (2, 2, 496, "no difference larger than 5 points"),
        (0, 0, 200, "no difference larger than 5 points"),
        (10, 8, 82, "too few cases (866 needed to find or exclude a difference of 5 points)"),
        (19, 0, 0, "too few cases (20 needed to find or exclude a difference of 5 points)"),
        (0, 0, 0, "too few cases (1,570 needed to find or exclude a difference of 5 points)"),
    ],
)
def test_the_conclusion_is_one_of_four(better: int, worse: int, same: int, text: str) -> None:
    found = compare(differences_of(better, worse, same), 0.05, seed=0)
    assert found.text == text
    assert (found.cases_needed > found.cases) == (found.kind == "too few cases")


@given(DIFFERENCES, st.floats(0.001, 1.0))
def test_a_conclusion_asks_for_more_cases_than_there_are(differences: list[Fraction], margin: float) -> None:
    found = compare(differences, margin, 0, 100)
    assert (found.kind == "too few cases") == (found.cases_needed > len(differences))
    assert len(differences) >= FEWEST_CASES or found.kind == "too few cases"


def test_the_same_seed_gives_the_same_interval_and_another_seed_almost_the_same() -> None:
    differences = differences_of(25, 15, 60)
    assert bootstrap_interval(differences, 1) == bootstrap_interval(differences, 1)
    assert bootstrap_interval(differences, 2) == pytest.approx(bootstrap_interval(differences, 1), abs=0.02)
