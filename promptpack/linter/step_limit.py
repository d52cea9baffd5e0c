"""The limit of steps for one analysis of a pack: includes and calls that multiply each other could go on forever."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from promptpack.template.includes import TooManyIncludesError

MAX_STEPS: Final = 30_000
"""About a second of work; a normal pack takes a few thousand steps."""


class AnalysisLimitError(Exception):
    """An analysis takes too many steps; only the problems found so far are reported."""


class StepCounter:
    """The steps that an analysis may still take, and whether it was stopped."""

    def __init__(self) -> None:
        self.remaining = MAX_STEPS
        self.is_exceeded = False


_COUNTER: Final[ContextVar[StepCounter | None]] = ContextVar("step_counter", default=None)


@contextmanager
def limit_steps() -> Iterator[StepCounter]:
    """Stop the code in this block when it has taken too many steps; a limit around this one includes its steps."""
    outer = _COUNTER.get()
    if outer is not None:
        yield outer
        return
    counter = StepCounter()
    token = _COUNTER.set(counter)
    try:
        yield counter
    except (AnalysisLimitError, TooManyIncludesError, RecursionError):
        counter.is_exceeded = True
    finally:
        _COUNTER.reset(token)


def count_steps(steps: int = 1) -> None:
    """Count work; one step is a node that is visited, or some hundred values that are copied or compared."""
    counter = _COUNTER.get()
    if counter is not None:
        counter.remaining -= steps
        if counter.remaining < 0:
            raise AnalysisLimitError
