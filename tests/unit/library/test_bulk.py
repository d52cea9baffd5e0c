import gc

import pytest

from promptpack.library.bulk import without_collector


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
