"""`BatchPlan` -> `BatchReport`: run the phases of a batch, and continue an interrupted one at its last checkpoint."""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import islice
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Final, NamedTuple, NoReturn

from promptpack import files
from promptpack.batch.chunks import Chunk
from promptpack.batch.index import RowIndex, UsedIds
from promptpack.batch.journal import BatchJournal, Checkpoint, resume_error
from promptpack.batch.output_files import OutputFiles, PipeOutput
from promptpack.batch.pool import ChunkEngine, map_here
from promptpack.batch.sources import STANDARD
from promptpack.batch.summary import BatchSummary
from promptpack.batch.worker import ChunkResult, Row, RowHandler, Worker, read_problems
from promptpack.problem import Location, PackError, Problem, UsageError

_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class OnlyIds:
    """Finds the ids of rows that are written already."""

    handler: RowHandler

    def identify(self, row: Row) -> str:
        """Return the id of a row."""
        return self.handler.identify(row)

    def join(self, ids: Sequence[str]) -> "OnlyIds":  # noqa: ARG002 -- as in RowHandler
        """Return itself: nothing is needed from other files."""
        return self

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:  # noqa: ARG002 -- as in RowHandler
        """Write nothing."""
        return None


class Phase(NamedTuple):
    """A part of a batch: chunks, and the handler of their rows.

    `claim` gets the ids of a chunk and returns the lines whose id is already used. A phase that `repeats` does its work
    again when the batch is continued, because its results are not in the output.
    """

    chunks: Callable[[], Generator[Chunk, None, None]]
    worker: Worker
    claim: Callable[[Chunk, ChunkResult], Mapping[int, str]]
    engine: ChunkEngine = map_here
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """A batch: its phases, its output, and a description of all that the output depends on besides the rows."""

    phases: Callable[["Resources"], Iterable[Phase]]
    output: OutputFiles
    about: Mapping[str, Any]
    strict: bool = False
    resume: bool = False
    overwrite: bool = False
    on_progress: Callable[[BatchSummary], object] = field(default=lambda _: None)
    kept: tuple[str, ...] = ()
    """Names of further files that an unfinished batch keeps."""

    def remove_kept(self) -> None:
        """Delete the further files."""
        for name in self.kept:
            files.remove(f"{self.output.path}.{name}")


class Resources:
    """Files that a batch needs while it runs; they are deleted at its end."""

    def __init__(self, output: str, stack: ExitStack) -> None:
        is_pipe = output == STANDARD
        self._base = f"{stack.enter_context(TemporaryDirectory(prefix='promptpack-'))}/batch" if is_pipe else output
        self._stack = stack

    def open_ids(self, name: str) -> UsedIds:
        """Return an empty set of ids."""
        ids = UsedIds(self.place(name))
        self._stack.callback(ids.close)
        return ids

    def open_index(self) -> RowIndex:
        """Return an empty index of rows."""
        index = RowIndex(self.place("index"))
        self._stack.callback(index.close)
        return index

    def place(self, name: str) -> str:
        """Return the path of a temporary file of this batch."""
        return f"{self._base}.{name}"


class BatchReport(NamedTuple):
    """The counts of a batch, and the files that it wrote."""

    summary: BatchSummary
    files: tuple[str, ...]


def run(plan: BatchPlan) -> BatchReport:
    """Run a batch, or continue it; if it stops early, its output so far is kept."""
    output = plan.output
    if isinstance(output, PipeOutput):
        return _BatchRun(plan, None).run()
    journal = BatchJournal.open(f"{output.path}.journal", plan.about, resume=plan.resume, overwrite=plan.overwrite)
    with ExitStack() as stack:
        stack.callback(journal.close)
        last = journal.last
        if last is not None and last.is_complete:
            return _finish(plan, last, journal)
        if journal.is_new:
            _require_free(plan, journal)
            plan.remove_kept()
        return _BatchRun(plan, journal).run()


def _finish(plan: BatchPlan, last: Checkpoint, journal: BatchJournal) -> BatchReport:
    names = plan.output.finish(last.output)
    plan.remove_kept()
    journal.delete()
    return BatchReport(last.summary, tuple(names))


def _require_free(plan: BatchPlan, journal: BatchJournal) -> None:
    found = plan.output.find_results()
    if plan.overwrite:
        plan.output.remove_results()
    elif found:
        journal.delete()
        hint = "delete it, use another output, or pass --overwrite"
        raise UsageError(Problem("PP985", "already exists", Location(found[0]), hint))


class _BatchRun:
    """One run of a batch: counts, digests and checkpoints."""

    def __init__(self, plan: BatchPlan, journal: BatchJournal | None) -> None:
        self._plan = plan
        self._journal = journal
        self._last = journal.last if journal else None
        self._chunks_to_skip = self._last.chunks if self._last else 0
        self._chunks = 0
        self._digest = hashlib.sha256()
        self._saved = monotonic()
        self.summary = replace(self._last.summary) if self._last else BatchSummary()

    def run(self) -> BatchReport:
        """Run all phases."""
        output = self._plan.output
        with ExitStack() as own:
            own.callback(output.close)
            output.open(self._last.output if self._last else None)
            resources = Resources(output.path, own)
            try:
                for phase in self._plan.phases(resources):
                    self._run_phase(phase)
            except (Exception, KeyboardInterrupt) as error:
                if not isinstance(error, UsageError) or error.problems[0].code != "PP985":
                    self._save()
                raise
            if self._chunks_to_skip:
                self._refuse("there are fewer rows than before")
            last = self._save(is_complete=True)
        if self._journal is None:
            output.finish(last.output)
            return BatchReport(self.summary, ())
        return _finish(self._plan, last, self._journal)

    def _run_phase(self, phase: Phase) -> None:
        # The file of the chunks is closed now, not when an error that refers to it is collected.
        with closing(phase.chunks()) as chunks:
            self._handle(phase, chunks)

    def _handle(self, phase: Phase, chunks: Iterator[Chunk]) -> None:
        if self._chunks_to_skip:
            written = islice(chunks, self._chunks_to_skip)
            worker = phase.worker if phase.repeats else replace(phase.worker, handler=OnlyIds(phase.worker.handler))
            for chunk, result in phase.engine(worker, written):
                self._skip(chunk)
                phase.claim(chunk, result)
        for chunk, result in phase.engine(phase.worker, chunks):
            repeated = phase.claim(chunk, result)
            self._write(chunk, phase.worker(chunk, repeated) if repeated else result, phase.repeats)

    def _skip(self, chunk: Chunk) -> None:
        self._count(chunk)
        self._chunks_to_skip -= 1
        if not self._chunks_to_skip and self._last and self._digest.hexdigest() != self._last.digest:
            self._refuse(f"{chunk.source} has different rows than before")

    def _write(self, chunk: Chunk, result: ChunkResult, repeats: bool) -> None:
        if result.first_error is not None and self._plan.strict:
            raise PackError(read_problems(result.first_error))
        self._plan.output.write(result.blocks, result.errors)
        self._count(chunk)
        self.summary.add(replace(result.summary, rows=0) if repeats else result.summary)
        if monotonic() - self._saved > _SECONDS:
            self._save()
        self._plan.on_progress(self.summary)

    def _count(self, chunk: Chunk) -> None:
        self._chunks += 1
        for line in chunk.lines:
            self._digest.update((line.data or line.problem.encode()) + b"\n")

    def _save(self, *, is_complete: bool = False) -> Checkpoint:
        """Write a checkpoint after everything that it describes."""
        output = self._plan.output
        found = Checkpoint(self._chunks, self._digest.hexdigest(), output.state, self.summary, is_complete)
        if not self._chunks_to_skip:
            output.sync()
            if self._journal is not None:
                self._journal.add(found)
        self._saved = monotonic()
        return found

    def _refuse(self, reason: str) -> NoReturn:
        raise resume_error(reason, f"{self._plan.output.path}.journal")
