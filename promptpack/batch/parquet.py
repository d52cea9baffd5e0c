"""Lines of records -> a Parquet file: one column of text for each key, and data in JSON."""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, Final

from promptpack import strict_json
from promptpack.batch.encoding import to_cell
from promptpack.batch.extras import import_extra

_ROWS: Final = 2_000
_KINDS: Final = {"ok": "bool_", "rounds": "int64"}


def convert(path: str, columns: tuple[str, ...]) -> None:
    """Replace a file of lines by a Parquet file, in one step."""
    pyarrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")

    fields = [(name, getattr(pyarrow, _KINDS.get(name, "string"))()) for name in columns]
    schema = pyarrow.schema(fields)
    mode = stat.S_IMODE(os.stat(path).st_mode)
    with (
        open(path, "rb") as stream,
        open(os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as target,
    ):
        with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
            for rows in _batches(stream, columns):
                writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
        target.flush()
        os.fsync(target.fileno())
    os.replace(f"{path}.new", path)


def _batches(stream: BinaryIO, columns: tuple[str, ...]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(stream, _ROWS)):
        rows = (strict_json.read(line.decode()) for line in batch)
        yield [{name: to_cell(row.get(name)) for name in columns} for row in rows]
