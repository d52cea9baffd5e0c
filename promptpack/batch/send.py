"""Contexts -> verdicts: ask a model about each row, many at a time, and continue without asking twice."""

import asyncio
import json
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from promptpack.batch.check import failure_record, verdict_record
from promptpack.batch.chunks import Chunk
from promptpack.batch.encoding import write_record
from promptpack.batch.index import UsedIds
from promptpack.batch.output_files import write_error
from promptpack.batch.pool import ChunkResults, map_here
from promptpack.batch.process import OnlyIds
from promptpack.batch.provider_results import RequestFailure
from promptpack.batch.render import render_row
from promptpack.batch.rows import parse_line, read_context
from promptpack.batch.summary import BatchSummary
from promptpack.batch.worker import ChunkResult, Row, RowHandler, Worker
from promptpack.cycle import Agent, Clock, CycleSettings, Provider, ProviderError, SystemClock
from promptpack.cycle.providers.sdk_provider import SdkProvider
from promptpack.evaluation.asking import TimedProvider
from promptpack.evaluation.outage import Outage
from promptpack.evaluation.pace import Pace
from promptpack.pack.model import Pack
from promptpack.private_folder import PrivateLog
from promptpack.problem import Problem, PromptpackError, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets

SEND_ROWS = 16
"""Rows of a chunk; the rows of some chunks are asked about at the same time."""


@dataclass(frozen=True, slots=True)
class SendSettings:
    """How a model is asked: the provider, the settings of a conversation, and the limits."""

    provider: Provider
    settings: CycleSettings
    service: str
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    clock: Clock = field(default_factory=SystemClock)

    @property
    def about(self) -> Mapping[str, Any]:
        """All that replies depend on, besides the pack."""
        settings = self.settings
        return {
            "service": self.service,
            "model": settings.model,
            "params": dict(settings.params),
            "rounds": settings.rounds,
        }


class AnswerLog:
    """The answers that are not in the output yet, on disk as soon as they arrive."""

    def __init__(self, path: str) -> None:
        self._log = PrivateLog(path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600))

    def read(self, ids: UsedIds) -> dict[str, Row]:
        """Return the answers to rows whose ids are not in the output."""
        rows = map(json.loads, self._log.read_lines())
        return {row["id"]: row for row in rows if not ids.has(row["id"])}

    def add(self, record: Row) -> None:
        """Store an answer."""
        try:
            self._log.append(write_record(record), durable=False)
        except OSError as error:
            raise write_error(error, self._log.path) from error

    def close(self) -> None:
        """Close the file."""
        self._log.close()


class _Answered(NamedTuple):
    """A handler of rows whose records or errors are known."""

    handler: RowHandler
    found: Mapping[str, Row | PromptpackError]

    def identify(self, row: Row) -> str:
        return self.handler.identify(row)

    def join(self, ids: Sequence[str]) -> "_Answered":  # noqa: ARG002 -- as in RowHandler
        return self

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:  # noqa: ARG002 -- as in RowHandler
        record = self.found[identifier]
        if isinstance(record, PromptpackError):
            raise record
        summary.count(record)
        return record


class SendEngine:
    """Asks about the rows of several chunks at a time; results are in order."""

    def __init__(self, pack: Pack, sending: SendSettings, ids: UsedIds, log: AnswerLog, *, is_table: bool) -> None:
        pace = Pace(sending.clock, sending.requests_per_minute, sending.tokens_per_minute)
        provider = TimedProvider(sending.provider, pace, sending.clock)
        self._agent = Agent(pack, provider, sending.settings)
        self._sending = sending
        self._ids = ids
        self._log = log
        self._is_table = is_table
        self._outage = Outage()
        self._unsure: set[str] = set()
        self._stored: dict[str, Row] = {}
        self._stop = ""
        self._waiting: deque[tuple[Chunk, asyncio.Task[ChunkResult]]] = deque()

    def __call__(self, worker: Worker, chunks: Iterator[Chunk]) -> ChunkResults:
        """Yield each chunk with its result; rows that are written already are only identified."""
        if isinstance(worker.handler, OnlyIds):
            yield from map_here(worker, chunks)
            return
        self._stored = self._log.read(self._ids)
        with asyncio.Runner() as runner:
            try:
                yield from self._send(runner, worker, chunks)
            finally:
                runner.run(self._close())

    def _send(self, runner: asyncio.Runner, worker: Worker, chunks: Iterator[Chunk]) -> ChunkResults:
        limit = asyncio.Semaphore(self._sending.concurrency)
        most = 4 + 2 * self._sending.concurrency // SEND_ROWS
        waiting = self._waiting
        while True:
            while len(waiting) < most and (chunk := next(chunks, None)):
                waiting.append((chunk, runner.get_loop().create_task(self._handle(worker, chunk, limit))))
            if not waiting:
                return
            result = runner.run(self._first())
            yield waiting.popleft()[0], result

    async def _first(self) -> ChunkResult:
        """Wait for the first chunk, and until its failures are not the start of an outage."""
        waiting = self._waiting
        await asyncio.wait((waiting[0][1],))
        running = {task for _, task in waiting if not task.done()}
        while self._unsure and running and not self._stop:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        self._raise_if_stopped()
        return waiting[0][1].result()

    async def _handle(self, worker: Worker, chunk: Chunk, limit: asyncio.Semaphore) -> ChunkResult:
        known = Worker(OnlyIds(worker.handler), worker.encoding)(chunk)
        repeated = self._ids.claim(chunk.source, known.ids)
        lines = {line.number: line for line in chunk.lines}
        rows = {name: parse_line(lines[number]) for name, number in known.ids if number not in repeated}
        records = await asyncio.gather(*(self._answer(name, row, limit) for name, row in rows.items()))
        found = dict(zip(rows, records, strict=True))
        return Worker(_Answered(worker.handler, found), worker.encoding)(chunk, repeated)._replace(ids=())

    async def _answer(self, name: str, row: Row, limit: asyncio.Semaphore) -> Row | PromptpackError:
        if name in self._stored:
            return self._stored.pop(name)
        try:
            prompt = render_row(self._agent.pack, read_context(self._agent.pack, row, self._is_table) or {})
        except PromptpackError as error:
            return error
        async with limit:
            self._raise_if_stopped()
            return await self._ask(name, prompt)

    async def _ask(self, name: str, prompt: Prompt) -> Row:
        secrets = Secrets(prompt.pack, prompt.context)
        try:
            run = await self._agent.arun_with_transcript(prompt, clock=self._sending.clock)
        except ProviderError as error:
            stop = self._outage.note_failure(error)
            self._stop = self._stop or stop
            self._unsure.add(name)
            return failure_record(name, RequestFailure("errored", str(error.problems[0])), secrets)
        self._outage.note_answer()
        self._unsure.clear()
        record = verdict_record(name, run.verdict, len(run.transcript.rounds), run.transcript.usage, secrets)
        self._log.add(record)
        return record

    def _raise_if_stopped(self) -> None:
        if self._stop:
            hint = "the answers so far are stored; continue with --resume"
            raise UsageError(Problem("PP987", f"the batch stopped: {self._stop}", None, hint))

    async def _close(self) -> None:
        tasks = [task for _, task in self._waiting]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if isinstance(self._sending.provider, SdkProvider):
            await self._sending.provider.aclose()
