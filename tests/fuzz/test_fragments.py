"""The generator of slow replies is reproducible, and a cost that grows faster than the text is found."""

from tests.fuzz.fragments import SIZES, measure, read, receive, text_of


def test_a_seed_produces_the_same_text_at_every_length() -> None:
    for seed in range(50):
        text = text_of(seed, 2_000)
        assert len(text) == 2_000
        assert text_of(seed, 500) == text[:500]


def test_a_cost_that_grows_faster_than_the_text_is_found() -> None:
    assert measure(1, lambda text: len(text) ** 2 / 10**12).is_too_much
    assert not measure(1, lambda text: len(text) / 10**6).is_too_much


def test_a_short_text_that_is_expensive_is_found() -> None:
    assert measure(1, lambda text: 2.0 if len(text) == SIZES[0] else 0.5).is_too_much


def test_a_suspicious_cost_is_measured_again() -> None:
    costs = iter([0.1, 0.9, 0.1, 0.4])
    assert not measure(1, lambda _: next(costs)).is_too_much
    assert SIZES[1] == 4 * SIZES[0]


def test_any_fragments_are_read_and_streamed() -> None:
    for seed in range(100):
        read(text_of(seed, 300))
        receive(text_of(seed, 300))
