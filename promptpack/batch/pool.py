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


_MAX_LOSSES: Final = 3
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
        pool = _ProcessPool(worker, self._processes)
        try:
            yield from pool.map(iter(first), chunks)
        finally:
            pool.close()


class _ProcessPool:
    """A pool that is started again, with the chunks in flight, when one of its processes dies."""

    def __init__(self, worker: Worker, processes: int) -> None:
        self._worker = dumps(worker)
        self._processes = processes
        self._executor = self._start()
        self._waiting: deque[tuple[Chunk, Future[ChunkResult]]] = deque()
        self._losses = 0

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
        while True:
            chunk, future = self._waiting[0]
            try:
                result = future.result()
            except BrokenProcessPool as error:
                self._restart(error)
                continue
            self._losses = 0
            self._waiting.popleft()
            return chunk, result

    def _restart(self, error: BrokenProcessPool) -> None:
        self._losses += 1
        if self._losses > _MAX_LOSSES:
            chunk = self._waiting[0][0]
            place = f"one of lines {chunk.lines[0].number} to {chunk.lines[-1].number} of {chunk.source}"
            message = f"the worker processes died {self._losses} times on {place}"
            hint = "look for a row that needs too much memory, then continue with --resume"
            raise UsageError(Problem("PP987", message, None, hint)) from error
        self.close()
        self._executor = self._start()
        self._waiting = deque((chunk, self._submit(chunk)) for chunk, _ in self._waiting)


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
