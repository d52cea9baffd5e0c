"""Records -> blocks of bytes, in the format of the output; a file is its header and its blocks, one after another."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from promptpack.batch.extras import import_extra
from promptpack.batch.sources import FileKind

_MAX_BLOCK: Final = 8_000_000
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class EncodedBlock(NamedTuple):
    """Some records, encoded; `size` is the size of their text before compression."""

    rows: int
    size: int
    data: bytes


class Encoding(NamedTuple):
    """How records become bytes. Blocks are compressed separately, so a file may be cut after any of them."""

    format: str
    compression: str
    columns: tuple[str, ...]

    @classmethod
    def of(cls, path: str, columns: tuple[str, ...]) -> "Encoding":
        """Return the encoding of a file by its name. A Parquet file is written as lines first, to be converted."""
        kind = FileKind.of(path)
        if kind.compression == "zst":
            import_extra("zstandard")
        if kind.format == "parquet":
            import_extra("pyarrow")
            return cls("jsonl", "", columns)
        return cls(kind.format, kind.compression, columns)

    @property
    def header(self) -> bytes:
        """The start of every file."""
        return self._compress(_write_cells(self.columns)) if self.format == "csv" else b""

    def encode(self, records: Iterable[Mapping[str, Any]]) -> tuple[EncodedBlock, ...]:
        """Return records as blocks of limited size."""
        blocks: list[EncodedBlock] = []
        texts: list[bytes] = []
        size = 0
        for record in records:
            text = self._write(record)
            if texts and size + len(text) > _MAX_BLOCK:
                blocks.append(self._block(texts, size))
                texts, size = [], 0
            texts.append(text)
            size += len(text)
        return (*blocks, self._block(texts, size)) if texts else tuple(blocks)

    def _block(self, texts: list[bytes], size: int) -> EncodedBlock:
        return EncodedBlock(len(texts), size, self._compress(b"".join(texts)))

    def _write(self, record: Mapping[str, Any]) -> bytes:
        if self.format == "csv":
            return _write_cells([_to_text(record.get(name)) for name in self.columns])
        return write_record(record) + b"\n"

    def _compress(self, text: bytes) -> bytes:
        if self.compression == "gz":
            return gzip.compress(text, 6, mtime=0)
        if self.compression == "zst":
            compressed: bytes = import_extra("zstandard").ZstdCompressor().compress(text)
            return compressed
        return text


def write_record(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line of JSON, without a line end; halves of surrogate pairs stay escaped."""
    try:
        return _ENCODER.encode(record).encode()
    except UnicodeEncodeError:
        return json.dumps(record, separators=(",", ":")).encode()


def to_cell(value: Any) -> str | int | float | None:
    """Return a value for a cell: data that is not a text, a number or a truth value is written as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _to_text(value: Any) -> str | int | float | None:
    return to_cell(str(value).lower() if isinstance(value, bool) else value)


def _write_cells(cells: Iterable[str | int | float | None]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")
