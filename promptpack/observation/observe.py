"""Emit the start and the end of an operation around a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

from promptpack import hook
from promptpack.observation.events import Ended, OperationFailure, RunEnded, RunKind, RunStarted
from promptpack.observation.run_scope import PackIdentity, current_clock, entered, new_run

if TYPE_CHECKING:
    from promptpack.pack.model import Pack

End = TypeVar("End", bound=Ended)


class Observation(Generic[End]):
    """Emits the start of an operation, then its end; the block completes `end`, unless an exception ends it."""

    def __init__(self, end: End) -> None:
        self.end = end
        self._listeners = hook.listeners
        self._clock = current_clock()

    def __enter__(self) -> Observation[End]:
        hook.emit(self.end.start, self._listeners)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        failure = self.end.failure if error is None else OperationFailure.of(error)
        hook.emit(replace(self.end, failure=failure, time_ns=self._clock()), self._listeners)


@contextmanager
def observe_run(kind: RunKind, pack: Pack | None = None, run_id: str = "") -> Iterator[Observation[RunEnded]]:
    """Observe a run; all events of the block have its id, which is that of the run around it, if there is one."""
    identity = None if pack is None else PackIdentity.of(pack)
    with entered(new_run(identity, run_id)):
        start = RunStarted(pack=identity, kind=kind)
        with Observation(RunEnded(start=start)) as seen:
            yield seen
