"""The progress of a batch: a bar on a terminal, a line per minute in logs."""

import io
from collections import Counter
from pathlib import Path

import pytest

from promptpack.batch.sources import RowSource
from promptpack.batch.summary import BatchSummary
from promptpack.cli.batch_progress import BatchProgress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RowSource:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "rows.jsonl").write_text("{}\n" * 100)
    return RowSource(str(tmp_path / "rows.jsonl"))


def show(source: RowSource, stream: io.StringIO, moments: list[tuple[float, int, int]]) -> str:
    """Show the counts at some times: seconds, rows, and bytes that are read."""
    now = [0.0]
    progress = BatchProgress([source], stream, lambda: now[0])
    for seconds, rows, done in moments:
        now[0] = seconds
        type(source).done = property(lambda _, done=done: done)  # type: ignore[method-assign, assignment, misc]
        progress.show(BatchSummary(rows=rows, errors=Counter(PP980=rows // 100)))
    progress.clear()
    return stream.getvalue()


@pytest.fixture(autouse=True)
def _restore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RowSource, "done", RowSource.done)


def test_a_terminal_has_a_bar_with_rate_errors_and_time_left(source: RowSource) -> None:
    text = show(source, Terminal(), [(1.0, 500, 30), (4.0, 2000, 75), (4.05, 2100, 78), (400.0, 3000, 150)])
    assert text.split("\r\x1b[K")[1:] == [
        "██████░░░░░░░░░░░░░░░░░░ 25 %, 2,000 rows, 500 per second, 20 errors and refusals, 15 s left",
        "████████████░░░░░░░░░░░░ 50 %, 3,000 rows, 6 per second, 30 errors and refusals, 8 min 19 s left",
        "",
    ]


def test_the_rate_begins_with_the_first_rows(source: RowSource) -> None:
    text = show(source, Terminal(), [(1.0, 0, 30), (4.0, 0, 75), (5.0, 100, 150), (10.0, 600, 225)])
    assert text.split("\r\x1b[K")[1:] == [
        "██████░░░░░░░░░░░░░░░░░░ reading contexts and corrections, 25 %",
        "████████████░░░░░░░░░░░░ 50 %, 100 rows, 100 per second, 1 errors and refusals, 2 s left",
        "██████████████████░░░░░░ 75 %, 600 rows, 100 per second, 6 errors and refusals, 3 s left",
        "",
    ]


def test_a_log_has_a_line_per_minute(source: RowSource) -> None:
    text = show(
        source, io.StringIO(), [(1.0, 100, 30), (59.0, 200, 60), (61.0, 300, 90), (100.0, 400, 120), (122.0, 500, 150)]
    )
    assert text.splitlines() == [
        "30 %, 300 rows, 3 per second, 3 errors and refusals, 3 min 30 s left",
        "50 %, 500 rows, 3 per second, 5 errors and refusals, 2 min 31 s left",
    ]


def test_a_pipe_has_no_share_and_no_time_left() -> None:
    stream = io.StringIO()
    now = [0.0]
    progress = BatchProgress([RowSource("-")], stream, lambda: now[0])
    progress.show(BatchSummary())
    now[0] = 60.0
    progress.show(BatchSummary(rows=1200))
    assert stream.getvalue() == "1,200 rows, 20 per second, 0 errors and refusals\n"
