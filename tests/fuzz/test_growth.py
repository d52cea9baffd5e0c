"""A production whose cost per byte grows is found, and every production runs."""

from tests.fuzz.growth import COUNTS, PRODUCTIONS, Production, measure


def clock_of(cost: list[float]) -> list[float]:
    """Return the times of a clock before and after each measurement."""
    return [time for one in cost for time in (0.0, one)]


def test_a_cost_per_byte_that_grows_is_found() -> None:
    times = iter(clock_of([size**2 / 10**7 for size in COUNTS] * 3))
    assert measure(Production("quadratic", lambda size: size), lambda: next(times)).is_too_much


def test_a_cost_that_grows_with_the_bytes_is_accepted() -> None:
    times = iter(clock_of([size / 10**4 for size in COUNTS]))
    assert not measure(Production("linear", lambda size: size), lambda: next(times)).is_too_much


def test_a_suspicious_cost_is_measured_again() -> None:
    times = iter(clock_of([2.0] * len(COUNTS) + [0.01] * len(COUNTS)))
    assert not measure(Production("noise", lambda size: size), lambda: next(times)).is_too_much


def test_every_production_runs() -> None:
    sizes = [production.use(2) for produce in PRODUCTIONS for production in produce()]
    assert len(sizes) > 300
    assert min(sizes) > 0
