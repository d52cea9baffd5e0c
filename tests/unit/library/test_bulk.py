import gc
import weakref

import pytest

from promptpack.library.bulk import without_collector


class _Selfish:
    """Only a collector can free it."""

    def __init__(self) -> None:
        self.me = self


def test_the_collector_is_as_it_was_afterwards() -> None:
    assert gc.isenabled()
    with without_collector(), without_collector():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_lets_it_work_again() -> None:
    with pytest.raises(KeyError), without_collector():
        raise KeyError
    assert gc.isenabled()


def test_a_caller_who_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with without_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_was_made_is_left_to_full_collections() -> None:
    with without_collector():
        made: list[object] = [[]]
    old = {id(one) for one in gc.get_objects(generation=2)}
    assert id(made) in old


def test_a_cycle_that_was_made_is_still_collected() -> None:
    with without_collector():
        made = _Selfish()
        watch = weakref.ref(made)
    del made
    gc.collect()
    assert watch() is None


def test_what_somebody_keeps_frozen_stays_so() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with without_collector():
            pass
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()
