"""The jobs of a batch, as plans: render contexts, check replies, and write requests for corrections."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Final

import promptpack
from promptpack.batch.check import COLUMNS, CheckRows, FixRows, Replies
from promptpack.batch.chunks import MAX_ROWS, Chunk, cut
from promptpack.batch.encoding import Encoding, write_record
from promptpack.batch.index import CONTEXTS, RowIndex, UsedIds
from promptpack.batch.lines import Line
from promptpack.batch.output_files import OutputFiles, PipeOutput
from promptpack.batch.pool import ChunkEngine, map_here
from promptpack.batch.process import BatchPlan, OnlyIds, Phase, Resources
from promptpack.batch.render import RenderRows
from promptpack.batch.requests import FileLimits, RequestSettings
from promptpack.batch.send import SEND_ROWS, AnswerLog, SendEngine, SendSettings
from promptpack.batch.sources import STANDARD, RowSource
from promptpack.batch.summary import BatchSummary
from promptpack.batch.worker import ChunkResult, RowHandler, Worker
from promptpack.cycle.agent import require_contract
from promptpack.pack.model import Pack

_PRIVATE: Final = 0o600
_PUBLIC: Final = 0o666
_ANSWERS: Final = "answers"


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """How a job reads, works and writes."""

    output: str
    errors: str = ""
    engine: ChunkEngine = map_here
    strict: bool = False
    resume: bool = False
    overwrite: bool = False
    on_progress: Callable[[BatchSummary], object] = field(default=lambda _: None)

    def open_output(
        self, columns: tuple[str, ...], limits: FileLimits, pack: Pack, *, has_prompts: bool
    ) -> OutputFiles:
        """Return the output; only its owner reads files with prompts whose pack has secret inputs."""
        encoding = Encoding.of(self.output, columns)
        if self.output == STANDARD:
            return PipeOutput(encoding, self.errors)
        is_secret = has_prompts and any(declared.secret for declared in pack.inputs.values())
        return OutputFiles(self.output, encoding, limits, self.errors, _PRIVATE if is_secret else _PUBLIC)

    def plan(
        self, phases: Callable[[Resources], Iterable[Phase]], output: OutputFiles, about: Mapping[str, Any]
    ) -> BatchPlan:
        """Return the plan of a job with these options."""
        return BatchPlan(phases, output, about, self.strict, self.resume, self.overwrite, self.on_progress)


def plan_render(pack: Pack, contexts: RowSource, settings: RequestSettings, options: BatchOptions) -> BatchPlan:
    """Plan to write one request for each context."""
    output = options.open_output(settings.columns, settings.limits, pack, has_prompts=True)
    worker = Worker(RenderRows(pack, settings, contexts.is_table), Encoding.of(options.output, settings.columns))

    def phases(resources: Resources) -> Iterator[Phase]:
        yield _phase(contexts, worker, resources.open_ids("ids"), options.engine)

    return options.plan(phases, output, describe("render", pack, (contexts,), settings))


@dataclass(frozen=True, slots=True)
class JoinedReplies:
    """Files of replies, the contexts of their requests, and the replies to corrections, round by round."""

    replies: tuple[RowSource, ...]
    contexts: RowSource | None = None
    corrections: tuple[RowSource, ...] = ()

    @property
    def sources(self) -> tuple[RowSource, ...]:
        """All files, in the order in which they are read."""
        return (*((self.contexts,) if self.contexts else ()), *self.corrections, *self.replies)

    def phases(
        self,
        pack: Pack,
        encoding: Encoding,
        make: Callable[[Replies], RowHandler],
        engine: ChunkEngine,
        resources: Resources,
    ) -> Iterator[Phase]:
        """Yield the phases: index contexts and corrections, handle the replies, then the contexts without one."""
        ids = resources.open_ids("ids")
        if self.contexts is None and not self.corrections:
            for source in self.replies:
                handler = make(Replies(pack, is_table=source.is_table))
                yield _phase(source, Worker(handler, encoding), ids, engine)
            return
        index = resources.open_index()
        yield from self._index(pack, index, engine, resources)
        reader = index.finish(has_contexts=self.contexts is not None, corrections=len(self.corrections))
        replies = Replies(pack, reader, contexts_are_table=bool(self.contexts and self.contexts.is_table))
        for source in self.replies:
            handler = make(replace(replies, is_table=source.is_table))
            yield _phase(source, Worker(handler, encoding), ids, engine)
        if self.contexts is not None:
            missing = Worker(make(replace(replies, is_missing=True)), encoding)
            yield Phase(lambda: _missing(index, ids, self.contexts), missing, lambda *_: {}, engine)

    def _index(self, pack: Pack, index: RowIndex, engine: ChunkEngine, resources: Resources) -> Iterator[Phase]:
        files = ((CONTEXTS, self.contexts, RenderRows(pack, RequestSettings())),) if self.contexts else ()
        rounds = enumerate(self.corrections, CONTEXTS + 1)
        for place, source, handler in (*files, *((place, one, Replies(pack)) for place, one in rounds)):
            worker = Worker(OnlyIds(handler), Encoding("jsonl", "", ()))
            claim = _indexing(index, place, resources.open_ids(f"ids-{place}"))
            yield Phase(partial(_read_chunks, source), worker, claim, engine, repeats=True)


def plan_run(pack: Pack, contexts: RowSource, sending: SendSettings, options: BatchOptions) -> BatchPlan:
    """Plan to ask a model about each context, and to write the verdicts on its replies."""
    require_contract(pack)
    output = options.open_output(COLUMNS, FileLimits(), pack, has_prompts=False)
    handler = RenderRows(pack, RequestSettings(), contexts.is_table)
    worker = Worker(handler, Encoding.of(options.output, COLUMNS))

    def phases(resources: Resources) -> Iterator[Phase]:
        ids = resources.open_ids("ids")
        with closing(AnswerLog(resources.place(_ANSWERS))) as log:
            engine = SendEngine(pack, sending, ids, log, is_table=contexts.is_table)
            yield _phase(contexts, worker, ids, engine, SEND_ROWS)

    about = describe("run", pack, (contexts,)) | {"settings": sending.about}
    return replace(options.plan(phases, output, about), kept=(_ANSWERS,))


def plan_check(pack: Pack, joined: JoinedReplies, options: BatchOptions) -> BatchPlan:
    """Plan to write one verdict for each reply."""
    require_contract(pack)
    output = options.open_output(COLUMNS, FileLimits(), pack, has_prompts=False)
    encoding = Encoding.of(options.output, COLUMNS)

    def phases(resources: Resources) -> Iterator[Phase]:
        return joined.phases(pack, encoding, CheckRows, options.engine, resources)

    return options.plan(phases, output, describe("check", pack, joined.sources))


def plan_fix(pack: Pack, joined: JoinedReplies, settings: RequestSettings, options: BatchOptions) -> BatchPlan:
    """Plan to write a request for each context that has no accepted reply."""
    require_contract(pack)
    output = options.open_output(settings.columns, settings.limits, pack, has_prompts=True)
    encoding = Encoding.of(options.output, settings.columns)

    def phases(resources: Resources) -> Iterator[Phase]:
        return joined.phases(pack, encoding, lambda one: FixRows(one, settings), options.engine, resources)

    return options.plan(phases, output, describe("fix", pack, joined.sources, settings))


def describe(
    job: str, pack: Pack, sources: Iterable[RowSource], settings: RequestSettings | None = None
) -> dict[str, Any]:
    """Return all that the output depends on, besides the rows."""
    return {
        "job": job,
        "pack": f"{pack.label} {pack.locale} with the digest {pack.digest}",
        "settings": {} if settings is None else asdict(settings),
        "inputs": [source.label for source in sources],
        "version": promptpack.__version__,
    }


def _phase(source: RowSource, worker: Worker, ids: UsedIds, engine: ChunkEngine, rows: int = MAX_ROWS) -> Phase:
    def claim(chunk: Chunk, result: ChunkResult) -> Mapping[int, str]:
        return ids.claim(chunk.source, result.ids)

    return Phase(lambda: cut(source.lines(), source.label, rows), worker, claim, engine)


def _read_chunks(source: RowSource) -> Generator[Chunk, None, None]:
    return cut(source.lines(), source.label)


def _indexing(index: RowIndex, place: int, ids: UsedIds) -> Callable[[Chunk, ChunkResult], Mapping[int, str]]:
    def claim(chunk: Chunk, result: ChunkResult) -> Mapping[int, str]:
        repeated = ids.claim(chunk.source, result.ids)
        index.add(place, (pair for pair in result.ids if pair[1] not in repeated), chunk.lines)
        return repeated

    return claim


def _missing(index: RowIndex, ids: UsedIds, contexts: RowSource | None) -> Generator[Chunk, None, None]:
    """Yield the ids of contexts without a reply as rows."""
    lines = (Line(line, write_record({"id": name})) for name, line in index.missing(ids))
    return cut(lines, contexts.label if contexts else "")
