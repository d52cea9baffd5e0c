"""Count and limit the steps of an analysis: includes and calls that multiply each other could go on forever."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from promptpack.template.includes import TooManyIncludesError

MAX_STEPS: Final = 30_000
"""About a second of work; a normal pack takes a few thousand steps."""


class AnalysisLimitError(Exception):
    """An analysis takes too many steps; only the problems found so far are reported."""


class AnalysisMeter:
    """The steps that an analysis may still take, and whether it was stopped."""

    def __init__(self) -> None:
        self.remaining = MAX_STEPS
        self.is_exceeded = False


_METER: Final[ContextVar[AnalysisMeter | None]] = ContextVar("analysis_meter", default=None)


@contextmanager
def limit_analysis() -> Iterator[AnalysisMeter]:
    """Stop the code in this block when it has taken too many steps; an inner analysis counts against the outer one."""
    outer = _METER.get()
    if outer is not None:
        yield outer
        return
    meter = AnalysisMeter()
    token = _METER.set(meter)
    try:
        yield meter
    except (AnalysisLimitError, TooManyIncludesError, RecursionError):
        meter.is_exceeded = True
    finally:
        _METER.reset(token)


def count_steps(steps: int = 1) -> None:
    """Count work; one step is a node that is visited, or some hundred values that are copied or compared."""
    meter = _METER.get()
    if meter is not None:
        meter.remaining -= steps
        if meter.remaining < 0:
            raise AnalysisLimitError
