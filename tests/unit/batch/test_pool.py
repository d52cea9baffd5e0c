"""Several processes: the same bytes as one, and what happens when they die."""

import os
from pathlib import Path
from typing import Any

import pytest

from promptpack.batch.chunks import cut
from promptpack.batch.encoding import Encoding
from promptpack.batch.lines import Line
from promptpack.batch.pool import ProcessEngine
from promptpack.batch.summary import BatchSummary
from promptpack.batch.worker import Row, Worker
from promptpack.problem import UsageError


class FragileHandler:
    """Repeats rows, but ends its process for some of them as often as a file allows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def identify(self, row: Row) -> str:
        return str(row["id"])

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:  # noqa: ARG002 -- as in RowHandler
        lives = self._folder / identifier
        if lives.exists():
            left = len(lives.read_bytes())
            lives.write_bytes(b"x" * (left - 1)) if left > 1 else lives.unlink()
            os._exit(9)
        return row


def handle_all(folder: Path, rows: int) -> list[Any]:
    lines = (Line(number, f'{{"id":{number}}}'.encode()) for number in range(rows))
    worker = Worker(FragileHandler(folder), Encoding("jsonl", "", ()))
    results = ProcessEngine(2)(worker, cut(lines, "rows.jsonl", 10))
    return [(chunk.lines[0].number, b"".join(block.data for block in result.blocks)) for chunk, result in results]


def test_rows_of_a_process_that_died_are_handled_again(tmp_path: Path) -> None:
    whole = handle_all(tmp_path, 100)
    (tmp_path / "33").write_bytes(b"x")
    (tmp_path / "71").write_bytes(b"x")
    assert handle_all(tmp_path, 100) == whole
    assert [first for first, _ in whole] == list(range(0, 100, 10))


def test_a_row_that_always_ends_its_process_stops_the_batch(tmp_path: Path) -> None:
    (tmp_path / "33").write_bytes(b"x" * 100)
    with pytest.raises(UsageError) as caught:
        handle_all(tmp_path, 100)
    assert str(caught.value) == (
        "PP987 the worker processes died 4 times on one of lines 30 to 39 of rows.jsonl\n"
        "  hint: look for a row that needs too much memory, then continue with --resume"
    )
