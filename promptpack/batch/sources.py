"""Files of rows -> `RowSource`: JSONL, CSV and Parquet, plain or compressed, as numbered lines of JSON."""

import csv
import gzip
import io
import json
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, BinaryIO, Final, NamedTuple, Self, cast

from promptpack.batch.extras import import_extra
from promptpack.batch.lines import BOM, MAX_LINE, TOO_LONG, Line, read_lines
from promptpack.problem import Location, PackError, Problem, UsageError

STANDARD: Final = "-"
COMPRESSIONS: Final = (".gz", ".zst")
_FORMATS: Final = (".jsonl", ".ndjson", ".json", ".csv", ".parquet")
_ROWS: Final = 32
_PIECE: Final = 65_536
_COMPRESSED_PIECE: Final = 1_024


class FileKind(NamedTuple):
    """The format and the compression of a file, by its name."""

    format: str
    compression: str

    @classmethod
    def of(cls, path: str) -> "FileKind":
        """Return the kind of a file; raise a `UsageError` if its name does not show it."""
        if path == STANDARD:
            return cls("jsonl", "")
        name, compression = path.lower(), ""
        for suffix in COMPRESSIONS:
            if name.endswith(suffix):
                name, compression = name.removesuffix(suffix), suffix[1:]
        found = next((suffix for suffix in _FORMATS if name.endswith(suffix)), None)
        if found is None or (found == ".parquet" and compression):
            hint = "use .jsonl, .csv or .parquet; .jsonl and .csv also with .gz or .zst"
            raise UsageError(Problem("PP982", "the file name does not show the format", Location(path), hint))
        return cls("jsonl" if found in (".ndjson", ".json") else found[1:], compression)


class RowSource:
    """One file of rows, read from its start to its end."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.kind: FileKind = FileKind.of(path)
        self._raw: BinaryIO | None = None
        if path != STANDARD and not os.path.isfile(path):
            raise UsageError(Problem("PP982", "there is no such file", Location(path)))
        self.size: int = 0 if path == STANDARD else os.path.getsize(path)
        """The bytes of the file; 0 for standard input."""
        if self.kind.compression == "zst":
            import_extra("zstandard")
        if self.kind.format == "parquet":
            import_extra("pyarrow")

    @property
    def label(self) -> str:
        """The name of the file in records and problems."""
        return "(standard input)" if self.path == STANDARD else self.path

    @property
    def is_table(self) -> bool:
        """Whether rows have cells: their texts are parsed for inputs that are not text."""
        return self.kind.format != "jsonl"

    @property
    def done(self) -> int:
        """How many bytes of the file have been read."""
        if self._raw is None:
            return 0
        return self.size if self._raw.closed else min(self.size, self._raw.tell())

    def lines(self) -> Iterator[Line]:
        """Yield all rows as JSON; raise a `PackError` if the file is damaged."""
        with self._translating_errors():
            if self.path == STANDARD:
                if sys.stdin is None:
                    raise PackError(Problem("PP982", "standard input is closed"))
                yield from read_lines(sys.stdin.buffer)
                return
            with open(self.path, "rb") as self._raw:
                yield from self._read(self._raw)

    def _read(self, raw: BinaryIO) -> Iterator[Line]:
        if self.kind.format == "parquet":
            yield from _read_parquet(raw)
            return
        with _decompress(raw, self.kind.compression) as stream:
            yield from _read_csv(stream, self.label) if self.is_table else read_lines(stream)

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not isinstance(error, OSError | EOFError | zlib.error) and not _is_from_library(error):
                raise
            message = f"cannot be read completely: {' '.join(str(error).split())[:200]}"
            raise PackError(Problem("PP982", message, Location(self.label), "write or download it again")) from error


def _is_from_library(error: Exception) -> bool:
    """Return whether zstandard or pyarrow raised an error, without importing them."""
    return any(cls.__module__.partition(".")[0] in ("zstandard", "zstd", "pyarrow") for cls in type(error).__mro__)


def _decompress(raw: BinaryIO, compression: str) -> BinaryIO:
    if compression == "gz":
        return cast("BinaryIO", gzip.open(raw))
    if compression == "zst":
        return cast("BinaryIO", io.BufferedReader(_ZstdReader(raw), _PIECE))
    return raw


class _ZstdReader(io.RawIOBase):
    """Decompresses frames one after another; unlike the readers of the package, it notices that the last one is cut.

    Small pieces are read, because each of them may become thousands of times as long.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._start = import_extra("zstandard").ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._rest = b""
        self._text = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._text:
            data = self._rest or self._raw.read(_COMPRESSED_PIECE)
            self._rest = b""
            if not data and self._frame is None:
                return 0
            if not data:
                raise EOFError("the compressed data is cut off")
            self._frame = self._frame or self._start()
            self._text = memoryview(self._frame.decompress(data))
            if self._frame.eof:
                self._frame, self._rest = None, self._frame.unused_data
        size = min(len(buffer), len(self._text))
        buffer[:size], self._text = self._text[:size], self._text[size:]
        return size


def _read_csv(stream: BinaryIO, label: str) -> Iterator[Line]:
    """Yield rows as objects of cells. A row that spans lines has the number of its first one."""
    lines = _CsvLines(stream, label)
    rows = csv.reader(lines, strict=True)
    try:
        header = _next_cells(rows) or []
    except csv.Error as error:
        raise PackError(Problem("PP982", f"the header is not CSV: {error}", Location(label, 1, 1))) from error
    _require_different(header, label)
    while True:
        number, lines.size = rows.line_num + 1, 0
        try:
            cells = _next_cells(rows)
        except csv.Error as error:
            yield Line(number, b"", f"invalid CSV: {error}")
            continue
        if cells is None:
            return
        if len(cells) != len(header) and cells:
            yield Line(number, b"", f"the row has {len(cells)} cells, but the header has {len(header)}")
        elif any(cells):
            yield _row(number, dict(zip(header, cells, strict=True)))


def _next_cells(rows: Iterator[list[str]]) -> list[str] | None:
    """Return the cells of the next row; None at the end. The limit of cells belongs to the whole process."""
    limit = csv.field_size_limit(MAX_LINE)
    try:
        return next(rows, None)
    finally:
        csv.field_size_limit(limit)


class _CsvLines:
    """The lines of a CSV file; `size` is that of the current row: beyond a long one, rows cannot be separated."""

    def __init__(self, stream: BinaryIO, label: str) -> None:
        self._stream = stream
        self._label = label
        self._mark = BOM
        self.size = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._stream.readline(MAX_LINE + 1)
        if not line:
            raise StopIteration
        self.size += len(line)
        if self.size > MAX_LINE:
            message = f"a row is longer than {MAX_LINE:,} bytes"
            raise PackError(Problem("PP982", message, Location(self._label), "close the quotes of the cells"))
        mark, self._mark = self._mark, b""
        return line.removeprefix(mark).decode("utf-8", "surrogateescape")


def _require_different(header: list[str], label: str) -> None:
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise PackError(Problem("PP982", f"the column {twice[0]!r} appears twice", Location(label, 1, 1)))


def _read_parquet(raw: BinaryIO) -> Iterator[Line]:
    """Yield rows as objects; each is converted alone, because together they may be much larger than the file."""
    with import_extra("pyarrow.parquet").ParquetFile(raw) as file:
        batches = file.iter_batches(batch_size=_ROWS)
        rows = (batch.slice(index, 1) for batch in batches for index in range(batch.num_rows))
        for number, row in enumerate(rows, 1):
            try:
                cells = row.to_pylist()[0]
            except (ValueError, OverflowError) as error:
                yield Line(number, b"", f"a cell has no form in JSON: {' '.join(str(error).split())[:200]}")
            else:
                yield _row(number, cells)


def _row(number: int, row: dict[str, Any]) -> Line:
    try:
        data = json.dumps(row, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError:
        return Line(number, b"", "the row is not UTF-8")
    except (TypeError, ValueError) as error:
        return Line(number, b"", str(error))
    return Line(number, data) if len(data) <= MAX_LINE else Line(number, b"", TOO_LONG)


def _plain(value: object) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    raise TypeError(f"a value of type {type(value).__name__!r} is not plain data")
