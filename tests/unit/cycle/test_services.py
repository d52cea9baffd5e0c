import asyncio
import pickle
import threading

import pytest

from promptpack.cycle.cycle_errors import ProviderError, RunStoppedError
from promptpack.cycle.services import Cancellation, ManualClock, SystemClock
from promptpack.problem import Problem


def test_a_cancellation_stays_cancelled() -> None:
    cancellation = Cancellation()
    cancellation.raise_if_cancelled()
    cancellation.cancel()
    cancellation.cancel()
    assert cancellation.cancelled
    with pytest.raises(RunStoppedError) as raised:
        cancellation.raise_if_cancelled()
    assert str(raised.value) == "PP610 the run was cancelled"


def test_callbacks_are_called_only_within_their_block() -> None:
    cancellation = Cancellation()
    calls: list[str] = []
    with cancellation._notifying(lambda: calls.append("early")):
        calls.append("inside")
    with cancellation._notifying(lambda: calls.append("late")):
        cancellation.cancel()
    assert calls == ["inside", "late"]


def test_a_long_sleep_ends_when_another_thread_cancels() -> None:
    cancellation = Cancellation()
    thread = threading.Thread(target=cancellation.cancel)
    thread.start()
    SystemClock().sleep(600.0, cancellation)
    thread.join()
    assert cancellation.cancelled


def test_the_system_clock_never_goes_back() -> None:
    clock = SystemClock()
    before = clock.now()
    asyncio.run(clock.asleep(0.0))
    assert clock.now() >= before


def test_a_manual_clock_advances_only_by_sleeping() -> None:
    clock = ManualClock()
    clock.sleep(2.0, Cancellation())
    asyncio.run(clock.asleep(3.0))
    assert (clock.now(), clock.slept) == (5.0, [2.0, 3.0])


def test_a_provider_error_can_be_pickled() -> None:
    error = ProviderError(Problem("PP604", "busy"), retryable=True, status=429, retry_after=7.0)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 -- our own bytes
    assert (str(copy), copy.retryable, copy.status, copy.retry_after) == ("PP604 busy", True, 429, 7.0)
