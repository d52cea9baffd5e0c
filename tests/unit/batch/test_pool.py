"""Several processes: the same bytes as one, and what happens when they die."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from promptpack.batch.chunks import Chunk, cut
from promptpack.batch.encoding import EncodedBlock, Encoding
from promptpack.batch.lines import Line
from promptpack.batch.pool import ProcessEngine
from promptpack.batch.summary import BatchSummary
from promptpack.batch.worker import ChunkResult, Row, Worker
from promptpack.problem import UsageError


class FragileHandler:
    """Repeats rows, but ends its process for some of them as often as a file allows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def identify(self, row: Row) -> str:
        return str(row["id"])

    def join(self, ids: Sequence[str]) -> "FragileHandler":  # noqa: ARG002 -- as in RowHandler
        return self

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:  # noqa: ARG002 -- as in RowHandler
        lives = self._folder / identifier
        if lives.exists():
            left = len(lives.read_bytes())
            lives.write_bytes(b"x" * (left - 1)) if left > 1 else lives.unlink()
            os._exit(9)
        return row


def handle_all(folder: Path, rows: int) -> list[ChunkResult]:
    lines = (Line(number, f'{{"id":{number}}}'.encode()) for number in range(rows))
    worker = Worker(FragileHandler(folder), Encoding("jsonl", "", ()))
    return [result for _, result in ProcessEngine(2)(worker, cut(lines, "rows.jsonl", 10))]


def read(blocks: Iterable[EncodedBlock]) -> list[Any]:
    return [json.loads(line) for block in blocks for line in block.data.splitlines()]


def test_rows_of_a_process_that_died_are_handled_again(tmp_path: Path) -> None:
    whole = handle_all(tmp_path, 100)
    (tmp_path / "33").write_bytes(b"x")
    (tmp_path / "71").write_bytes(b"x")
    assert handle_all(tmp_path, 100) == whole
    assert [row["id"] for result in whole for row in read(result.blocks)] == list(range(100))


def test_a_row_that_always_ends_its_process_becomes_an_error_and_the_rest_is_handled(tmp_path: Path) -> None:
    lost = [0, 33, 34, 99]
    for number in lost:
        (tmp_path / str(number)).write_bytes(b"x" * 100)
    results = handle_all(tmp_path, 100)
    written = [row["id"] for result in results for row in read(result.blocks)]
    errors = [row for result in results for row in read(result.errors)]
    assert written == [number for number in range(100) if number not in lost]
    assert [(row["id"], row["file"], row["line"]) for row in errors] == [(str(n), "rows.jsonl", n) for n in lost]
    assert errors[0]["problems"] == [
        {
            "code": "PP987",
            "message": "the row ends the process that handles it",
            "hint": "look for what the row needs so much of, such as memory",
        }
    ]
    assert sum(result.summary.errors["PP987"] for result in results) == len(lost)


def test_more_rows_than_bad_rows_explain_stop_the_batch(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / str(number)).write_bytes(b"x" * 100)
    with pytest.raises(UsageError) as caught:
        handle_all(tmp_path, 30)
    assert str(caught.value) == (
        "PP987 the worker processes die on more than 5 of them: lines 0 to 9 of rows.jsonl\n"
        "  hint: check the memory of the machine, then continue with --resume"
    )


class GreedyHandler(FragileHandler):
    """Has too little memory for one row."""

    def handle(self, identifier: str, row: Row, summary: BatchSummary) -> Row | None:  # noqa: ARG002 -- as in RowHandler
        if identifier == "1":
            raise MemoryError
        return row


def test_a_row_without_enough_memory_becomes_an_error(tmp_path: Path) -> None:
    worker = Worker(GreedyHandler(tmp_path), Encoding("jsonl", "", ()))
    lines = tuple(Line(number, f'{{"id":{number}}}'.encode()) for number in range(3))
    result = worker(Chunk("rows.jsonl", lines))
    assert [row["id"] for row in read(result.blocks)] == [0, 2]
    problem = read(result.errors)[0]["problems"][0]
    assert (problem["code"], problem["message"]) == ("PP987", "the row needs more memory than there is")
