"""`Worker`: a picklable function from a chunk of rows to encoded records, errors and counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from promptpack.batch.chunks import Chunk
from promptpack.batch.encoding import EncodedBlock, Encoding
from promptpack.batch.lines import Line
from promptpack.batch.rows import parse_line
from promptpack.batch.summary import BatchSummary
from promptpack.problem import Location, Problem, PromptpackError, UsageError

ERRORS: Encoding = Encoding("jsonl", "", ())
Row = Mapping[str, Any]


class RowHandler(Protocol):
    """Handles the rows of a batch; picklable."""

    def identify(self, row: Row) -> str:
        """Return the id of a row, which no other row may have."""
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
        summary = BatchSummary()
        ids: list[tuple[str, int]] = []
        records: list[Row] = []
        errors: list[Row] = []
        for line in chunk.lines:
            summary.rows += 1
            identifier = ""
            try:
                row = parse_line(line)
                identifier = self.handler.identify(row)
                ids.append((identifier, line.number))
                if repeated and line.number in repeated:
                    raise _repeated_error(identifier, repeated[line.number])
                record = self.handler.handle(identifier, row, summary)
            except PromptpackError as error:
                errors.append(error_record(chunk.source, line, identifier, error))
                summary.errors[error.problems[0].code] += 1
            else:
                records += [] if record is None else [record]
        blocks = self.encoding.encode(records)
        summary.records += len(records)
        summary.bytes += sum(block.size for block in blocks)
        return ChunkResult(blocks, ERRORS.encode(errors), tuple(ids), summary, errors[0] if errors else None)


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
