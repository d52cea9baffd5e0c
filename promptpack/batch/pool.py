"""Chunks -> results in their order, in several new processes; if one dies, its chunks are handled again."""

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from pickle import dumps, loads
from typing import Final, Protocol

from promptpack.batch.chunks import Chunk
from promptpack.batch.worker import ChunkResult, Worker
from promptpack.problem import Problem, UsageError

ChunkResults = Iterator[tuple[Chunk, ChunkResult]]


class ChunkEngine(Protocol):
    """Handles chunks somewhere; results are in the order of the chunks."""

    def __call__(self, worker: Worker, chunks: Iterator[Chunk], /) -> ChunkResults:
        """Yield each chunk with its result."""
        ...


_ATTEMPTS: Final = 2
_MAX_LOST: Final = 5
"""Rows of one chunk; if there are more, the cause is not in the rows."""
_worker: Worker | None = None


def map_here(worker: Worker, chunks: Iterator[Chunk]) -> ChunkResults:
    """Handle the chunks in this process."""
    for chunk in chunks:
        yield chunk, worker(chunk)


class ProcessEngine:
    """Handles chunks in several processes; only a few chunks per process are in memory."""

    def __init__(self, processes: int) -> None:
        self._processes = processes

    def __call__(self, worker: Worker, chunks: Iterator[Chunk]) -> ChunkResults:
        """Yield each chunk with its result, in order."""
        first = list(islice(chunks, 2))
        if self._processes <= 1 or len(first) <= 1:
            yield from map_here(worker, iter(first))
            yield from map_here(worker, chunks)
            return
        pool = ProcessPool(worker, self._processes)
        try:
            yield from pool.map(iter(first), chunks)
        finally:
            pool.close()


class ProcessPool:
    """A pool that is started again when one of its processes dies; a row that always ends its process is refused."""

    def __init__(self, worker: Worker, processes: int) -> None:
        self._worker = dumps(worker)
        self._processes = processes
        self._executor = self._start()
        self._waiting: deque[tuple[Chunk, Future[ChunkResult]]] = deque()

    def map(self, *sources: Iterator[Chunk]) -> ChunkResults:
        """Yield each chunk with its result, in order."""
        for source in sources:
            for chunk in source:
                self._waiting.append((chunk, self._submit(chunk)))
                if len(self._waiting) > 2 * self._processes:
                    yield self._next()
        while self._waiting:
            yield self._next()

    def close(self) -> None:
        """End the processes."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        context = get_context("spawn")
        return ProcessPoolExecutor(self._processes, context, initializer=_begin, initargs=(self._worker,))

    def _submit(self, chunk: Chunk) -> "Future[ChunkResult]":
        try:
            return self._executor.submit(_work, chunk)
        except BrokenProcessPool as error:
            failed: Future[ChunkResult] = Future()
            failed.set_exception(error)
            return failed

    def _next(self) -> tuple[Chunk, ChunkResult]:
        if _is_lost(self._waiting[0][1]):
            self._restart()
            # Any of the chunks in flight may have ended the process.
            self._waiting = deque(self._handle_alone(*waiting) for waiting in self._waiting)
        chunk, future = self._waiting.popleft()
        return chunk, future.result()

    def _handle_alone(self, chunk: Chunk, future: "Future[ChunkResult]") -> tuple[Chunk, "Future[ChunkResult]"]:
        """Handle a chunk again while no other is handled, without the rows that end the process."""
        if _is_lost(future):
            future = self._retry(chunk)
        if _is_lost(future):
            chunk = chunk._replace(lost=self._find_lost(chunk))
            future = self._retry(chunk)
        if _is_lost(future):
            raise _stop(chunk, "die on them together, but not on one of them alone")
        return chunk, future

    def _find_lost(self, chunk: Chunk) -> frozenset[int]:
        """Return the lines that end the process also alone."""
        lost: set[int] = set()
        for line in chunk.lines:
            if _is_lost(self._retry(chunk._replace(lines=(line,)))):
                lost.add(line.number)
            if len(lost) > _MAX_LOST:
                raise _stop(chunk, f"die on more than {_MAX_LOST} of them")
        return frozenset(lost)

    def _retry(self, chunk: Chunk) -> "Future[ChunkResult]":
        """Handle a chunk, and once more if the process dies: that may have another cause than its rows."""
        for _ in range(_ATTEMPTS):
            future = self._submit(chunk)
            if not _is_lost(future):
                break
            self._restart()
        return future

    def _restart(self) -> None:
        self.close()
        self._executor = self._start()


def _is_lost(future: "Future[ChunkResult]") -> bool:
    """Return whether a process died before the result; wait for it."""
    return isinstance(future.exception(), BrokenProcessPool)


def _stop(chunk: Chunk, reason: str) -> UsageError:
    place = f"lines {chunk.lines[0].number} to {chunk.lines[-1].number} of {chunk.source}"
    hint = "check the memory of the machine, then continue with --resume"
    return UsageError(Problem("PP987", f"the worker processes {reason}: {place}", None, hint))


def _begin(stored: bytes) -> None:
    """Prepare a process: its parent alone handles Ctrl-C, and without a parent it ends."""
    global _worker  # noqa: PLW0603 -- the process belongs to one pool
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = loads(stored)  # noqa: S301 -- from the parent process


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(chunk: Chunk) -> ChunkResult:
    if _worker is None:
        raise RuntimeError("the process was not prepared")
    return _worker(chunk)
