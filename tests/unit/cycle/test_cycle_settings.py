from typing import Any

import pytest

from promptpack.cycle.cycle_settings import Backoff, CycleSettings
from promptpack.problem import UsageError


def test_waits_double_up_to_the_limit() -> None:
    backoff = Backoff(first=1.0, factor=2.0, longest=5.0)
    assert [backoff.wait(attempt) for attempt in (1, 2, 3, 4, 10_000)] == [1.0, 2.0, 4.0, 5.0, 5.0]


def test_the_server_can_only_lengthen_a_wait() -> None:
    backoff = Backoff(first=2.0)
    assert backoff.wait(1, 0.1) == 2.0
    assert backoff.wait(1, 7.0) == 7.0
    assert backoff.wait(1, 31.0) is None


@pytest.mark.parametrize("rounds", [True, 1.5, "3", None])
def test_a_limit_is_an_integer(rounds: Any) -> None:
    with pytest.raises(UsageError, match=f"^PP616 'rounds' is {rounds!r}, but must be an integer of at least 1$"):
        CycleSettings(rounds=rounds)


def test_all_invalid_limits_are_reported_together() -> None:
    with pytest.raises(UsageError) as raised:
        CycleSettings(rounds=0, tool_rounds=-1, retries=-1, timeout=0, deadline=-5.0)
    assert str(raised.value) == (
        "PP616 'rounds' is 0, but must be an integer of at least 1\n"
        "PP616 'tool_rounds' is -1, but must be an integer of at least 0\n"
        "PP616 'retries' is -1, but must be an integer of at least 0\n"
        "PP616 'timeout' is 0, but must be more than 0 seconds\n  hint: use None for no limit\n"
        "PP616 'deadline' is -5.0, but must be more than 0 seconds\n  hint: use None for no limit"
    )


def test_none_means_no_time_limit() -> None:
    assert CycleSettings(timeout=None).timeout is None


def test_an_unknown_repair_is_reported_before_a_model_is_asked() -> None:
    assert CycleSettings().refuse == {"high"}
    with pytest.raises(UsageError) as raised:
        CycleSettings(refuse=frozenset({"missing-edn"}))
    assert str(raised.value) == "PP531 unknown repair or risk 'missing-edn'\n  hint: did you mean 'missing-end'?"
