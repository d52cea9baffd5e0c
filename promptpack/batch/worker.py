"""`Worker`: a picklable function from a chunk of rows to encoded records, errors and counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from promptpack.batch.chunks import Chunk
from promptpack.batch.encoding import EncodedBlock, Encoding
from promptpack.batch.lines import Line
from promptpack.batch.rows import parse_line
from promptpack.batch.summary import BatchSummary
from promptpack.problem import Location, Problem, PromptpackError, UsageError

ERRORS: Encoding = Encoding("jsonl", "", ())
Row = Mapping[str, Any]
_HINT: Final = "look for what the row needs so much of, such as memory"
_LOST: Final = Problem("PP987", "the row ends the process that handles it", None, _HINT)
_NO_MEMORY: Final = Problem("PP987", "the row needs more memory than there is", None, _HINT)
_GROUP: Final = 16
"""Rows that are joined at once; each may be as long as a line may be."""


class RowHandler(Protocol):
    """Handles the rows of a batch; picklable."""

    def identify(self, row: Row) -> str:
        """Return the id of a row, which no other row may have."""
        ...

    def join(self, ids: Sequence[str]) -> "RowHandler":
        """Return a handler of the rows with these ids, with all that it needs from other files."""
        ...

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:
        """Return the record of a row and count it; None if nothing is to be written."""
        ...


class ChunkResult(NamedTuple):
    """The results of a chunk."""

    blocks: tuple[EncodedBlock, ...]
    errors: tuple[EncodedBlock, ...]
    ids: tuple[tuple[str, int], ...]
    """The ids of the rows that have one, and their lines."""
    summary: BatchSummary
    first_error: Row | None


@dataclass(frozen=True, slots=True)
class Worker:
    """Handles chunks; the same chunk gives the same bytes in any process."""

    handler: RowHandler
    encoding: Encoding

    def __call__(self, chunk: Chunk, repeated: Mapping[int, str] | None = None) -> ChunkResult:
        """Handle the rows of a chunk; `repeated` has lines whose id another line has, and where."""
        work = _ChunkWork(self.handler, chunk, repeated or {})
        blocks = self.encoding.encode(work.handle())
        summary = work.summary
        summary.rows, summary.records = len(chunk.lines), sum(block.rows for block in blocks)
        summary.bytes = sum(block.size for block in blocks)
        errors = [work.errors[number] for number in sorted(work.errors)]
        return ChunkResult(blocks, ERRORS.encode(errors), tuple(work.ids), summary, errors[0] if errors else None)


class _ChunkWork:
    """Handles the rows of one chunk, and collects their ids, errors and counts."""

    def __init__(self, handler: RowHandler, chunk: Chunk, repeated: Mapping[int, str]) -> None:
        self._handler = handler
        self._chunk = chunk
        self._repeated = repeated
        self.summary = BatchSummary()
        self.ids: list[tuple[str, int]] = []
        self.errors: dict[int, Row] = {}

    def handle(self) -> Iterator[Row]:
        """Yield the records; a group of rows is joined with other files at once."""
        lines = self._chunk.lines
        for start in range(0, len(lines), _GROUP):
            rows = [found for line in lines[start : start + _GROUP] if (found := self._read(line))]
            handler = self._handler.join([identifier for _, identifier, _ in rows])
            for line, identifier, row in rows:
                try:
                    record = handler.handle(identifier, row, self.summary)
                except (PromptpackError, MemoryError) as error:
                    self._refuse(line, identifier, error)
                else:
                    if record is not None:
                        yield record

    def _read(self, line: Line) -> tuple[Line, str, Row] | None:
        identifier = ""
        try:
            row = parse_line(line)
            identifier = self._handler.identify(row)
            self.ids.append((identifier, line.number))
            if line.number in self._repeated:
                raise _repeated_error(identifier, self._repeated[line.number])
            if line.number in self._chunk.lost:
                raise UsageError(_LOST)
        except (PromptpackError, MemoryError) as error:
            self._refuse(line, identifier, error)
            return None
        return line, identifier, row

    def _refuse(self, line: Line, identifier: str, found: PromptpackError | MemoryError) -> None:
        error = UsageError(_NO_MEMORY) if isinstance(found, MemoryError) else found
        self.errors[line.number] = error_record(self._chunk.source, line, identifier, error)
        self.summary.errors[error.problems[0].code] += 1


def error_record(source: str, line: Line, identifier: str, error: PromptpackError) -> dict[str, Any]:
    """Return a row that cannot be used as a record: where it is, and all its problems."""
    problems = [{"code": one.code, "message": one.message, "hint": one.hint} for one in error.problems]
    name = {"id": identifier} if identifier else {}
    return {**name, "file": source, "line": line.number, "problems": problems}


def read_problems(record: Row) -> Iterator[Problem]:
    """Yield the problems of an error record, with its place."""
    place = Location(record["file"], record["line"], 1)
    for one in record["problems"]:
        yield Problem(one["code"], one["message"], place, one["hint"])


def _repeated_error(identifier: str, first: str) -> UsageError:
    message = f"the id {identifier!r} is used twice, first in {first}"
    return UsageError(Problem("PP981", message, None, "give every row a unique id"))
